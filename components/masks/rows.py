"""The photo that the editor shows, and where it goes from there."""

from collections.abc import Sequence

import pandas as pd

from components.four_views import photo_at
from components.gallery import GalleryRows
from components.mask_editor import EditorEvent, EditorRow

N_AHEAD = 3
"""Photos that the editor may go to before the page has run again."""


def place_after(event: EditorEvent | None, rows: GalleryRows) -> int | None:
    """Place of the photo to show after what was done in the editor; None to stay."""
    if event is None or event.kind == "saved":
        return None
    if event.to in rows.positions:
        return rows.positions[event.to]
    place = rows.positions.get(event.row_id)
    return None if place is None else min(place + 1, len(rows) - 1)


def editor_rows(rows: pd.DataFrame, places: Sequence[int]) -> list[EditorRow]:
    """Photos of a dataset as the editor names them.

    Args:
        rows: As of `Workspace.browse`.
        places: Their places; those outside the dataset are left out.
    """
    shown = [photo_at(rows, place) for place in places if 0 <= place < len(rows)]
    return [EditorRow(photo.row_id, photo.title, photo.detail) for photo in shown]
