"""One photo in the editor, with the photos of the list that are around it."""

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from cfr_core.datasets.next_row import next_row
from cfr_core.masks.defects import DEFECT_LABELS
from cfr_core.workspace.review_queue import ReviewQueue
from components import cached, state
from components.errors import plain
from components.gallery import GalleryRows, GalleryStyle, gallery
from components.mask_editor import editor_event, mask_editor
from components.masks.listing import ReviewList, photos
from components.masks.rows import editor_rows
from components.masks.setup import Setup
from components.masks.walk import Walk, walk
from components.stepping import stepper

_STRIP = GalleryStyle(layout="strip", tile_px=72)
_STRIP_ROWS = 100
"""Photos that stand beside each other; the strip turns like a page at its end."""


def one_photo(
    setup: Setup, listed: ReviewList, queue: ReviewQueue, *, passes_over: bool
) -> int | None:
    """Draw a photo of the list, or the one that the address says, in the editor.

    Args:
        setup: What a person works with.
        listed: The photos that are gone through.
        queue: The masks of their dataset.
        passes_over: Whether to go on to photos that wait for a decision.

    Returns:
        The row that is shown; None if there is none.
    """
    every, table = cached.review_rows(setup.dataset), cached.rows(setup.dataset)
    here = walk(every, listed, editor_event("mask editor"), passes_over=passes_over)
    if here is None:
        st.info("No photo is like that. Choose other states or filters above.")
        return None
    _strip(every, listed, here)
    _flagged(queue, here.row_id)
    shown, *around = editor_rows(table, _places(every, here.row_id, *here.ahead, *here.behind))
    n_ahead = len(here.ahead)
    mask_editor(
        shown,
        key="mask editor",
        engine=setup.engine,
        author=setup.author,
        ahead=around[:n_ahead],
        behind=around[n_ahead:],
        fill_rgb=setup.fill_rgb,
        silhouette_rgb=setup.silhouette_rgb,
    )
    if here.place is not None:
        places = np.searchsorted(every.row_ids, listed.row_ids)
        of_list = table.iloc[places].reset_index(drop=True)
        stepper(photos(every, listed.row_ids), here.place, partial(next_row, of_list))
    return here.row_id


def _strip(every: GalleryRows, listed: ReviewList, here: Walk) -> None:
    if here.place is None:
        st.info("This photo is not among those chosen above; Next leads to the first of them.")
    if not len(listed):
        return
    first = (here.place or 0) // _STRIP_ROWS * _STRIP_ROWS
    around = photos(every, listed.row_ids[first : first + _STRIP_ROWS])
    around = replace(around, details=None)  # one line is enough: the frame says what waits
    opened = gallery(around, key="masks of the list", style=_STRIP, current=here.row_id).opened
    if opened is not None and opened != here.row_id:
        state.put(state.ROW, opened)
        st.rerun()


def _flagged(queue: ReviewQueue, row_id: int) -> None:
    """What is worth a look at this mask, in words."""
    words = [f"**{DEFECT_LABELS[one]}**: {plain(why)}" for one, why in queue.words(row_id).items()]
    if words:
        st.markdown(f":material/flag: Worth a look: {' · '.join(words)}")


def _places(every: GalleryRows, *row_ids: int) -> list[int]:
    return [every.positions[row_id] for row_id in row_ids]
