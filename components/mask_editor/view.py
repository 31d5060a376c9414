"""The component: a canvas where masks are made, which saves by itself and says what was done.

Photos and masks go by URL (server/images.py, server/segmentation.py); what a page run sends to the
browser is the row to edit and its neighbours.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import streamlit as st

from cfr_core.fingerprint import fingerprint
from cfr_core.types import BLACK_RGB, IMAGENET_MEAN_RGB, RGB
from components import palette
from components.colours import colour_text
from components.events import last_event_id, new_event
from server.workspace import workspace

_FOLDER = Path(__file__).parent
_SCRIPTS = (
    "geometry",
    "raster",
    "render",
    "session",
    "api",
    "drafts",
    "desk",
    "stage",
    "strip",
    "marks",
    "tools",
    "drawing",
    "commands",
    "panel",
    "proposals",
    "cleaning",
    "journey",
    "pointer",
    "keyboard",
    "editor",
)


def _source(*names: str) -> str:
    return "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in names)


_COMPONENT = st.components.v2.component(
    "cfr_mask_editor",
    html=_source("editor.html"),
    css=_source("editor.css"),
    js=_source(*(f"{name}.js" for name in _SCRIPTS)),
)

_COLOURS = {"mask": palette.SKY, "added": palette.GREEN, "removed": palette.VERMILION}
"""Of the mask, and of what is or would be added to it and taken away."""


@dataclass(frozen=True)
class EditorRow:
    """A photo that can be edited.

    Attributes:
        row: Its row id.
        version: Its mask version, 0 where it has none; the editor follows where it is newer.
        title: Whom it shows.
        detail: When, and which file.
    """

    row: int
    version: int
    title: str
    detail: str = ""


@dataclass(frozen=True)
class EditorEvent:
    """What a person has done in the editor; the mask is stored already.

    Attributes:
        kind: "saved" and stayed; "reviewed": accepted or rejected; "skipped"; or "go": went on.
        row_id: The row that it was done to.
        version: Its mask version now; 0 if it has none.
        status: Status of that version; "" if it has none.
        to: The row that the editor shows by now; None leaves it to the page.
    """

    kind: Literal["saved", "reviewed", "skipped", "go"]
    row_id: int
    version: int
    status: str
    to: int | None


def editor_event(key: str) -> EditorEvent | None:
    """What was done since the last run, or None; ask before the editor is drawn.

    Of several events in a hurry the last one is told: what is stored is in the workspace anyway.
    """
    event = new_event(key)
    if event is None:
        return None
    return EditorEvent(
        kind=event["kind"],
        row_id=event["row"],
        version=event["version"],
        status=event["status"],
        to=event.get("to"),
    )


def mask_editor(  # noqa: PLR0913 - what an editor shows, each by its name
    row: EditorRow,
    *,
    key: str,
    engine: str,
    author: str,
    ahead: Sequence[EditorRow] = (),
    behind: Sequence[EditorRow] = (),
    advances: bool = True,
    blind_audit: str = "",
    fill_rgb: RGB = IMAGENET_MEAN_RGB,
    silhouette_rgb: RGB = BLACK_RGB,
) -> None:
    """Draw the editor on a photo.

    It goes to a neighbour by itself, before the page has run again, and the page follows by
    `editor_event`. Whatever is left unsaved is saved on the way.

    Args:
        row: The photo to edit; a photo that the editor has gone to by itself meanwhile stays.
        key: Name on the page.
        engine: The engine that answers points and boxes.
        author: Who works here, as it is stored with each version.
        ahead: The next photos, the nearest first; the first ones are loaded while nobody waits.
        behind: The photos before, the nearest first.
        advances: Whether a decision goes on to the next photo.
        blind_audit: Id of a blind audit: the editor then starts without the dataset's mask, and
            what is drawn is stored with the audit alone.
        fill_rgb: Colour in place of what a view removes, in the strip of views.
        silhouette_rgb: Colour of the animal in the silhouette view, there.
    """
    data = {
        "workspace": fingerprint(folder=str(workspace().root)),
        "row": asdict(row),
        "ahead": [asdict(other) for other in ahead],
        "behind": [asdict(other) for other in behind],
        "advances": advances,
        "audit": blind_audit,
        "engine": engine,
        "author": author,
        "colours": _COLOURS,
        "views": {"fill": colour_text(fill_rgb), "silhouette": colour_text(silhouette_rgb)},
        "seen": last_event_id(key),
    }
    _COMPONENT(key=key, data=data, on_event_change=_nothing)


def _nothing() -> None:
    """Streamlit keeps only those of a component's values that have a callback."""
