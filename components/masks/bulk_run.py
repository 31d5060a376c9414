"""Finding the masks of a whole dataset with an engine, as a job."""

import pandas as pd
import streamlit as st

from cfr_core.errors import InputError
from cfr_core.jobs.masks import KIND, masks_job
from cfr_core.segmenters.cards import GRABCUT, find_segmenter
from components import cached
from components.errors import plain
from components.masks.setup import Setup
from server.workspace import jobs, workspace

_TWO_DIGITS = st.column_config.NumberColumn(format="%.2f")
_RULE = (
    "Where the dataset gives a box for the animal, the candidate whose own box overlaps it most is "
    "taken, and none if the overlap (IoU) is under 0.5; without a box, the one that the engine is "
    "surest of. All candidates are kept, with the reason why each was taken or left."
)
_SAFE = (
    "Masks that a person drew or reviewed, and those that came with the dataset, are never changed."
)


def bulk_run(setup: Setup) -> None:
    """Draw what a run would do, its start, and what the last ones of this dataset have brought.

    Args:
        setup: Dataset and engine.
    """
    with st.expander("Find all masks of this dataset", icon=":material/auto_awesome:"):
        st.markdown(
            f"**{plain(setup.engine)}** looks at every photo whose mask no person gave, and "
            f"proposes one. {_RULE} {_SAFE}"
        )
        prompts = _ask_prompts(setup)
        accepts = st.checkbox(
            "Accept them at once",
            key="accept bulk masks",
            help="Otherwise they wait for a person, as “Proposed”. Masks that nobody has looked at "
            "make audits that nobody should trust.",
        )
        if setup.engine == GRABCUT:
            st.caption(
                "grabcut needs no weights, and expects corrections: asked with a box, half of its "
                "masks share less than 69 to 78 % with hand-drawn ones (docs/masks.md). A SAM "
                "model needs fewer; “More engines”, below, says how to get one."
            )
        if st.button(
            f"Find masks with {setup.engine}", key="start bulk run", icon=":material/play_arrow:"
        ):
            _start(setup, prompts, accepts=accepts)
        _outcomes(setup.dataset)


def _ask_prompts(setup: Setup) -> tuple[str, ...]:
    if not find_segmenter(setup.engine).reads_text:
        st.caption("This engine takes no words: it is asked with a box a little inside each crop.")
        return ()
    known = cached.card(setup.dataset).prompts
    text = st.text_input(
        "Words for the animal, tried in this order",
        value=", ".join(known),
        placeholder="zebra, animal",
        key=f"prompts of {setup.dataset}",
        help="Separated by commas. Published datasets bring the words of the paper.",
    )
    return tuple(filter(None, (word.strip() for word in text.split(","))))


def _start(setup: Setup, prompts: tuple[str, ...], *, accepts: bool) -> None:
    try:
        job = masks_job(workspace(), setup.dataset, setup.engine, prompts=prompts, accept=accepts)
    except InputError as error:
        st.error(plain(str(error)))
        return
    jobs().submit(job)
    # The jobs are in the sidebar, which is drawn before this.
    st.rerun()


def _outcomes(dataset: str) -> None:
    """What ended runs of this dataset have brought, in words; the sidebar forgets them sooner."""
    for job in reversed(jobs().jobs()):
        if job.order.kind == KIND and job.end and job.end.detail.get("dataset") == dataset:
            st.caption(plain(f"{job.end.detail['engine']}: {job.end.reason}."))


def candidates(row_id: int) -> None:
    """Draw what engines proposed for a photo in bulk, and why each was taken or left."""
    found = workspace().mask_history.candidates(row_id)
    if not found:
        return
    with st.expander(f"What bulk runs chose among: {len(found)}", icon=":material/checklist:"):
        table = pd.DataFrame(
            {
                "Engine": each.engine,
                "Asked for": each.prompt,
                "Score": each.score,
                "Overlap with the box (IoU)": each.box_iou,
                "Outcome": each.outcome,
            }
            for each in found
        )
        numbers = dict.fromkeys(("Score", "Overlap with the box (IoU)"), _TWO_DIGITS)
        st.dataframe(table, hide_index=True, column_config=numbers)
