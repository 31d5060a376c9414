"""The photos that are gone through: a list that stays as it is while masks are reviewed.

A photo that no longer fits the filter, since it was reviewed, stays in its place, so that nothing
jumps and every step back leads to where one came from. Another filter, another order or a wish
draws the list up anew.
"""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from cfr_core.types import BoolArray, IntArray
from cfr_core.workspace.review_queue import QueueFilter, QueueOrder, ReviewQueue, RowState
from components import state
from components.gallery import GalleryRows

_OPEN = (RowState.NO_MASK, RowState.PROPOSED)


@dataclass(frozen=True)
class ReviewList:
    """Photos in the order in which they are gone through.

    Attributes:
        row_ids: (N,) int64, the photos.
        is_open: (N,) bool, those without a mask or with one that waits for review.
        is_new: True if another list was asked for since the last run of the page.
        n_new: Photos that would fit by now and are not in it.
        n_old: Photos in it that no longer fit.
    """

    row_ids: IntArray
    is_open: BoolArray
    is_new: bool = False
    n_new: int = 0
    n_old: int = 0

    def __len__(self) -> int:
        return len(self.row_ids)

    def place(self, row_id: int) -> int | None:
        """Place of a photo, from 0; None if it is not in the list."""
        found = np.flatnonzero(self.row_ids == row_id)
        return int(found[0]) if len(found) else None


def review_list(
    dataset: str, queue: ReviewQueue, which: QueueFilter, order: QueueOrder
) -> ReviewList:
    """The list of this session.

    Args:
        dataset: Name in the workspace.
        queue: Its rows now.
        which: The filter.
        order: The order.
    """
    notes = state.notes(__name__)
    fitting = queue.row_ids(which, order)
    asked = (dataset, which, order)
    before = notes.get("asked")
    kept = _still_there(notes.get("ids"), queue) if before == asked else fitting[:0]
    # A list of which nothing is left is of no use to anybody.
    ids = kept if len(kept) else fitting
    notes.update(asked=asked, ids=ids)
    return ReviewList(
        row_ids=ids,
        is_open=_is_open(queue, ids),
        is_new=before is not None and before != asked,
        n_new=len(np.setdiff1d(fitting, ids)),
        n_old=len(np.setdiff1d(ids, fitting)),
    )


def draw_up_anew() -> None:
    """Forget the list; the next run of the page makes another."""
    state.notes(__name__).pop("ids", None)


def list_state(listed: ReviewList) -> None:
    """Draw how much of the list waits, and the way to a new one where it would differ."""
    n, n_open = len(listed), int(listed.is_open.sum())
    if n_open:
        st.caption(f"{n_open:,} of {n:,} photos in this list wait.")
    elif n:
        st.caption(f"All {n:,} photos in this list are reviewed.")
    told = [
        f"{listed.n_old:,} no longer fit" if listed.n_old else "",
        f"{listed.n_new:,} more fit by now" if listed.n_new else "",
    ]
    words = ", ".join(filter(None, told))
    if words:
        st.button(
            f"Refresh the list: {words}",
            icon=":material/refresh:",
            key="refresh the list",
            type="tertiary",
            help="Photos stay in their places while you work, also where they no longer fit what "
            "is chosen above.",
            on_click=draw_up_anew,
        )


def _still_there(ids: IntArray | None, queue: ReviewQueue) -> IntArray:
    known = queue.rows["row_id"].to_numpy()
    return known[:0] if ids is None else ids[np.isin(ids, known)]


def _is_open(queue: ReviewQueue, ids: IntArray) -> BoolArray:
    places = np.searchsorted(queue.rows["row_id"].to_numpy(), ids)
    found: BoolArray = queue.rows["state"].isin(_OPEN).to_numpy()[places]
    return found


def photos(every: GalleryRows, row_ids: IntArray) -> GalleryRows:
    """Some photos of a dataset for a gallery.

    Args:
        every: All of them, by row id.
        row_ids: The photos, in any order.
    """
    if np.array_equal(row_ids, every.row_ids):
        return every
    places = np.searchsorted(every.row_ids, row_ids)
    details, states, versions = every.details or (), every.states or (), every.versions
    return GalleryRows(
        row_ids=row_ids,
        captions=[every.captions[place] for place in places],
        details=[details[place] for place in places],
        states=[states[place] for place in places],
        versions=None if versions is None else versions[places],
    )
