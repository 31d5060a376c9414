"""One decision for many masks, chosen in a gallery."""

from collections.abc import Mapping

import streamlit as st

from cfr_core.types import MaskStatus
from cfr_core.workspace.review_queue import ReviewQueue, RowState
from components import state
from components.errors import plain
from components.gallery import GalleryRows, GalleryStyle, gallery
from components.masks.listing import draw_up_anew
from server.images import OUTLINE
from server.workspace import workspace

_TOLD = 5
"""Reasons that are shown in full."""


_STYLE = GalleryStyle(OUTLINE, tile_px=200)


def many_photos(rows: GalleryRows, queue: ReviewQueue, *, author: str) -> int | None:
    """Draw the photos with their masks, and what can be done to those that are ticked.

    Args:
        rows: Photos of the list.
        queue: Their masks.
        author: Who decides.

    Returns:
        The photo that was just opened, or None.
    """
    notes = state.notes(__name__)
    _tell_outcome()
    bar = st.container(horizontal=True, vertical_alignment="center")
    result = gallery(
        rows,
        # After a decision nothing is ticked, nor when everything is asked for a second time.
        key=f"masks to review {notes.get('round', 0)}",
        style=_STYLE,
        current=state.get(state.ROW),
        selected=rows.positions.keys() if notes.get("all") else (),
    )
    with bar:
        _choose_all(len(rows), len(result.selected))
        _decide(queue, result.selected, author)
    return result.opened


def _choose_all(n: int, n_chosen: int) -> None:
    st.button(f"Select all {n:,}", key="select all", on_click=_start_round, args=(True,))
    st.button(
        "Select none",
        key="select none",
        disabled=not n_chosen,
        on_click=_start_round,
        args=(False,),
    )
    st.caption(
        f"{n_chosen:,} selected" if n_chosen else "Tick photos to decide about several at once."
    )


def _decide(queue: ReviewQueue, chosen: frozenset[int], author: str) -> None:
    masks = queue.rows[queue.rows["row_id"].isin(chosen) & (queue.rows["version"] > 0)]
    seen = dict(zip(masks["row_id"].tolist(), masks["version"].tolist(), strict=True))
    words = _what_is_chosen(queue, chosen)
    n = f"{len(seen):,} {'mask' if len(seen) == 1 else 'masks'}"
    with st.popover(f"Accept {n}", icon=":material/check:", disabled=not seen):
        st.markdown(f"{words} Accepted masks are what the views and the audits are made with.")
        st.button(
            f"Yes, accept {n}",
            key="accept selection",
            type="primary",
            on_click=_review,
            args=(seen, MaskStatus.ACCEPTED, author),
        )
    with st.popover(f"Reject {n}", icon=":material/close:", disabled=not seen):
        reason = st.text_input("Why", key="reason for selection", placeholder="wrong animal, …")
        st.markdown(f"{words} A rejected mask is in no audit; it is kept among its versions.")
        # What the person has seen is what the run before this one drew.
        notes = state.notes(__name__)
        shown, notes["shown"] = notes.get("shown", seen), seen
        if st.button(
            f"Yes, reject {n}",
            key="reject selection",
            disabled=not reason.strip(),
            help=None if reason.strip() else "Say why first; it is kept with the masks.",
        ):
            _review(shown, MaskStatus.REJECTED, author, reason.strip())
            st.rerun()


def _what_is_chosen(queue: ReviewQueue, chosen: frozenset[int]) -> str:
    is_chosen = queue.rows["row_id"].isin(chosen)
    n_none = int((is_chosen & (queue.rows["state"] == RowState.NO_MASK)).sum())
    n_flagged = int(queue.flags[is_chosen].any(axis=1).sum())
    parts = [f"{len(chosen) - n_none:,} of {len(chosen):,} selected photos have a mask."]
    if n_flagged:
        parts.append(f"**{n_flagged:,} of them {'is' if n_flagged == 1 else 'are'} worth a look.**")
    return " ".join(parts)


def _review(seen: Mapping[int, int], status: MaskStatus, author: str, reason: str = "") -> None:
    outcome = workspace().mask_history.review_many(
        list(seen), status, author=author, reason=reason, seen=seen
    )
    n_same = len(seen) - len(outcome.changed) - len(outcome.refused)
    state.notes(__name__)["outcome"] = (status, len(outcome.changed), n_same, outcome.refused)
    _start_round(selects_all=False)
    draw_up_anew()


def _start_round(selects_all: bool) -> None:
    notes = state.notes(__name__)
    notes.update(round=notes.get("round", 0) + 1, all=selects_all)


def _tell_outcome() -> None:
    outcome = state.notes(__name__).pop("outcome", None)
    if outcome is None:
        return
    status, n_changed, n_same, refused = outcome
    words = f"{n_changed:,} {'mask' if n_changed == 1 else 'masks'} {status.value}."
    if n_same:
        words += f" {n_same:,} {'was' if n_same == 1 else 'were'} so already."
    st.success(words)
    if refused:
        shown = [f"- {plain(why)}" for why in list(refused.values())[:_TOLD]]
        more = len(refused) - len(shown)
        rest = [f"- and {more:,} more"] if more > 0 else []
        st.warning("\n".join([f"{len(refused):,} left as they were:", *shown, *rest]))
