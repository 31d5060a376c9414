"""Going through a list of photos: which one is shown, which come next, and which were before."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from cfr_core.types import BoolArray, IntArray
from components import state
from components.errors import plain
from components.gallery import GalleryRows
from components.mask_editor import EditorEvent
from components.masks.listing import ReviewList
from components.state import Parameter

N_AHEAD = 3
"""Photos that the editor may go to before the page has run again."""


def _no(text: str) -> bool:
    if text != "all":
        raise ValueError("all, or left out")
    return False


_PASSES_OVER = Parameter[bool]("walk", True, _no, lambda _: "all")


@dataclass(frozen=True)
class Walk:
    """Where a person is.

    Attributes:
        row_id: The photo that is shown, which need not be in the list.
        place: Its place in the list, or None.
        ahead: Row ids of the next photos, the nearest first.
        behind: Of those before, the nearest first.
    """

    row_id: int
    place: int | None
    ahead: tuple[int, ...]
    behind: tuple[int, ...]


def ask_passes_over() -> bool:
    """Draw the choice whether photos that are reviewed are passed over; returns it."""
    return st.toggle(
        "Pass over reviewed photos",
        help="A decision, Skip and Next then go on to the next photo without a mask or with one "
        "that waits for review, and from the end of the list to its beginning.",
        **state.bound(_PASSES_OVER),
    )


def walk(
    every: GalleryRows,
    listed: ReviewList,
    event: EditorEvent | None,
    *,
    passes_over: bool,
) -> Walk | None:
    """Where to go on; the address says it from now on.

    Args:
        every: All photos of the dataset.
        listed: Those that are gone through.
        event: What was just done in the editor, or None.
        passes_over: Whether to go on to photos that wait for a decision, as long as there are any.

    Returns:
        None if neither the address nor the list holds a photo.
    """
    row_id = _row_to_show(every, listed, event)
    if row_id is None:
        return None
    state.put(state.ROW, row_id)
    place, ids = listed.place(row_id), listed.row_ids
    return Walk(
        row_id=row_id,
        place=place,
        ahead=_ids(ids, places_ahead(listed.is_open, place, passes_over=passes_over)),
        behind=_ids(ids, np.arange((place or 0) - 1, -1, -1)),
    )


def places_ahead(is_open: BoolArray, place: int | None, *, passes_over: bool) -> IntArray:
    """Places of a list to go on to, the nearest first.

    Args:
        is_open: (N,) bool, photos that wait for a decision.
        place: Where a person is; None outside the list.
        passes_over: Go on to photos that wait, and from the end to the beginning, as long as there
            are any but this one.

    Returns:
        (M,) int64 from 0.
    """
    start = 0 if place is None else place + 1
    later = np.arange(start, len(is_open))
    if not passes_over:
        return later
    round_trip = np.concatenate([later, np.arange(max(0, start - 1))])
    waiting: IntArray = round_trip[is_open[round_trip]]
    return waiting if len(waiting) else later


def _row_to_show(every: GalleryRows, listed: ReviewList, event: EditorEvent | None) -> int | None:
    if event is not None and event.kind != "saved" and event.to in every.positions:
        return event.to
    row_id = state.get(state.ROW)
    if row_id in every.positions and not listed.is_new:
        return row_id
    if row_id is not None and row_id not in every.positions and not listed.is_new:
        st.warning(plain(f"There is no row {row_id} in this dataset. Showing another instead."))
    if len(listed):
        # The first that waits, or else the first.
        return int(listed.row_ids[np.argmax(listed.is_open)])
    return row_id if row_id in every.positions else None


def _ids(row_ids: IntArray, places: IntArray) -> tuple[int, ...]:
    return tuple(row_ids[places[:N_AHEAD]].tolist())
