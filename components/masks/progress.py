"""How far the review of a dataset's masks is, and which masks have not been looked through yet."""

import streamlit as st

from cfr_core.types import Progress
from cfr_core.workspace.review_queue import ReviewProgress, RowState
from components import cached
from components.quantities import count_words
from server.workspace import workspace

_WORDS = {
    RowState.ACCEPTED: "accepted",
    RowState.REJECTED: "rejected",
    RowState.PROPOSED: "wait for review",
    RowState.NO_MASK: "without a mask",
}


def show_progress(progress: ReviewProgress) -> None:
    """Draw how many rows are reviewed, and what the others are."""
    share = progress.n_reviewed / progress.n_rows if progress.n_rows else 0.0
    counts = [f"{progress.n_by_state[one]:,} {words}" for one, words in _WORDS.items()]
    flagged = f"{progress.n_flagged:,} worth a look"
    st.progress(
        share,
        f"**{progress.n_reviewed:,} of {progress.n_rows:,} photos reviewed**: "
        + " · ".join([*counts, flagged]),
    )


def check_rest(dataset: str) -> None:
    """Look through all other masks; drawn last, since it takes a while the first time.

    Whatever a person does meanwhile comes first: the page starts anew, and this goes on where it
    was.
    """
    if not cached.n_unchecked(dataset):
        return
    bar = st.empty()

    def tell(progress: Progress) -> None:
        share = progress.done / progress.total if progress.total else 0.0
        words = count_words(progress.done, progress.total, progress.unit)
        bar.progress(min(1.0, share), f"{progress.stage} for defects: {words}")

    workspace().mask_checks.update(dataset, on_progress=tell)
    bar.empty()
    st.rerun()
