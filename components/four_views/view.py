"""The component: four pictures by URL, one zoom, and keys that step from photo to photo."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from cfr_core.types import RGB, View
from cfr_core.views import VIEW_NOTES
from components import zoom
from components.events import last_event_id, new_event
from server.images import image_query

_SIZES_PX = (640, 1024, 2048)
_FOLDER = Path(__file__).parent


def _source(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


_COMPONENT = st.components.v2.component(
    "cfr_four_views",
    html=_source("four_views.html"),
    css=zoom.CSS + _source("four_views.css"),
    js=zoom.JS + _source("four_views.js"),
)


@dataclass(frozen=True)
class Shown:
    """The photo to show, and its place among those that can be stepped through.

    Attributes:
        row_id: Its row.
        version: Raised when its pictures have changed (its mask version).
        title: Whom it shows.
        detail: When, and which file.
        has_mask: Whether its mask is accepted; without one, only the full view exists.
        place: Its place, from 0.
        count: How many photos there are.
        ahead: Row and mask version of those that will be looked at next.
    """

    row_id: int
    version: int
    title: str
    detail: str
    has_mask: bool
    place: int
    count: int
    ahead: Sequence[tuple[int, int]] = ()


def moved_to(key: str) -> int | None:
    """The place that a person has stepped to by keys since the last run, or None."""
    place = (new_event(key) or {}).get("place")
    return place if isinstance(place, int) else None


def four_views(shown: Shown, *, key: str, fill_rgb: RGB, silhouette_rgb: RGB) -> None:
    """Draw a photo in its four views.

    Keys: + and - zoom, 0 shows the whole picture, Shift and arrows move, left and right step to
    other photos (see `moved_to`).

    Args:
        shown: The photo.
        key: Name on the page.
        fill_rgb: Colour in place of what a view removes.
        silhouette_rgb: Colour of the animal in the silhouette view.
    """
    data = {
        "seen": last_event_id(key),
        "row": shown.row_id,
        "version": shown.version,
        "title": shown.title,
        "detail": shown.detail,
        "place": shown.place,
        "count": shown.count,
        "sizes": _SIZES_PX,
        "ahead": [{"row": row, "version": version} for row, version in shown.ahead],
        "views": [
            {
                "name": view.value,
                "title": view.value.capitalize(),
                "words": VIEW_NOTES[view],
                "problem": None
                if shown.has_mask or view is View.FULL
                else "This photo has no accepted mask, so this view does not exist.",
                "query": image_query(
                    view=view,
                    size_px=_SIZES_PX[0],
                    fill_rgb=fill_rgb,
                    silhouette_rgb=silhouette_rgb,
                ),
            }
            for view in View
        ],
    }
    _COMPONENT(key=key, data=data, on_event_change=_nothing)


def _nothing() -> None:
    """Streamlit keeps only those of a component's values that have a callback."""
