"""The gallery in the page: one component, which loads its pictures by URL as they come into sight.

Columns of many rows go by URL too, so that what a page run sends to the browser stays small.
"""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import streamlit as st

from cfr_core.types import BLACK_RGB, IMAGENET_MEAN_RGB, RGB, View
from components import palette, state
from components.gallery.rows import GalleryRows, TileState
from server.columns import publish
from server.images import image_query

_SIZES_PX = (160, 320, 640, 1024, 2048)
"""Pictures are asked in these sizes, so that a resized window finds them in the cache."""

_MAX_ROWS_SENT = 200


def _source(*names: str) -> str:
    return "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in names)


_COMPONENT = st.components.v2.component(
    "cfr_gallery",
    html=_source("gallery.html"),
    css=_source("gallery.css"),
    js=_source("layout.js", "tile.js", "gallery.js"),
)

_COLOURS = {"right": palette.RIGHT, "wrong": palette.WRONG, "attention": palette.ORANGE}


@dataclass(frozen=True)
class GalleryStyle:
    """How a gallery shows its rows.

    Attributes:
        view: A view's name, or "photo" for the whole photo with the crop's box.
        layout: "grid" scrolls down inside `height_px`; "strip" is one line that scrolls
            sideways, or whose tiles give way by a third if all of them are then in sight.
        tile_px: Least width of a picture in CSS pixels; a grid widens it to fill its lines.
        height_px: Greatest height of a grid in CSS pixels; a short grid is lower.
        fill_rgb: Colour in place of what the view removes.
        silhouette_rgb: Colour of the animal in the silhouette view.
    """

    view: str = View.FULL
    layout: Literal["grid", "strip"] = "grid"
    tile_px: int = 170
    height_px: int = 640
    fill_rgb: RGB = IMAGENET_MEAN_RGB
    silhouette_rgb: RGB = BLACK_RGB


@dataclass(frozen=True)
class GalleryResult:
    """What a person did with a gallery.

    Attributes:
        opened: The row that was clicked, or chosen with Enter, in this run only; an old click
            never comes again.
        selected: The rows that are ticked now, in no order.
    """

    opened: int | None
    selected: frozenset[int]


def gallery(
    rows: GalleryRows,
    *,
    key: str,
    style: GalleryStyle | None = None,
    current: int | None = None,
    selected: Collection[int] | None = None,
) -> GalleryResult:
    """Draw rows as pictures.

    Keys: arrows, Home, End and Page Up and Down move, Enter opens, Space ticks (or opens, where
    nothing can be ticked).

    Args:
        rows: The rows.
        key: Name of this gallery on the page, the same on every run.
        style: How they are shown.
        current: The row that is open elsewhere on the page; it is marked and scrolled to.
        selected: Rows that are ticked; None where rows cannot be ticked. What a person ticks or
            unticks holds until another collection is given here than the last time.
    """
    style = style or GalleryStyle()
    sent = state.component_state(key)
    ticked = _ticked(key, rows, sent.get("selection"), selected)
    data = {
        **_columns(rows),
        "digest": rows.digest,
        "query": image_query(
            view=style.view,
            size_px=_SIZES_PX[0],
            fill_rgb=style.fill_rgb,
            silhouette_rgb=style.silhouette_rgb,
        ),
        "sizes": _SIZES_PX,
        "view": str(style.view),
        "layout": style.layout,
        "tilePx": style.tile_px,
        "heightPx": style.height_px,
        "states": {state[0]: str(state) for state in TileState},
        "colours": _COLOURS,
        "current": current,
        "ticked": None if selected is None else sorted(ticked),
        "seen": _id(sent.get("selection")),
    }
    _COMPONENT(key=key, data=data, on_event_change=_nothing, on_selection_change=_nothing)
    return GalleryResult(opened=_opened(key, rows, sent.get("event")), selected=ticked)


def _columns(rows: GalleryRows) -> dict[str, str]:
    if len(rows) <= _MAX_ROWS_SENT:
        return {"columns": rows.columns.decode()}
    return {"columnsUrl": publish(rows.digest, rows.columns)}


def _nothing() -> None:
    """Streamlit keeps only those of a component's values that have a callback."""


def _opened(key: str, rows: GalleryRows, event: object) -> int | None:
    """The row of an event that has not been answered yet."""
    notes = state.notes(key)
    if not isinstance(event, dict) or notes.get("answered") == _id(event):
        return None
    notes["answered"] = _id(event)
    row = event.get("row")
    return row if isinstance(row, int) and row in rows.positions else None


def _ticked(
    key: str, rows: GalleryRows, selection: object, given: Collection[int] | None
) -> frozenset[int]:
    """The rows ticked: as given, when that has changed, else as last ticked in the browser."""
    notes = state.notes(key)
    wanted = frozenset(given or ())
    if notes.get("given") != wanted:
        notes.update(given=wanted, replaced=_id(selection))
    if isinstance(selection, dict) and _id(selection) != notes["replaced"]:
        wanted = frozenset(selection.get("rows", ()))
    return wanted & rows.positions.keys()


def _id(event: object) -> str | None:
    """The number that the browser gave to an event."""
    return event.get("id") if isinstance(event, dict) else None
