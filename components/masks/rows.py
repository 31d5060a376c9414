"""Photos of a dataset as the editor names them."""

from collections.abc import Sequence

import pandas as pd

from components.four_views import photo_at
from components.mask_editor import EditorRow


def editor_rows(rows: pd.DataFrame, places: Sequence[int]) -> list[EditorRow]:
    """Photos of a dataset as the editor names them.

    Args:
        rows: As of `Workspace.browse`.
        places: Their places; those outside the dataset are left out.
    """
    shown = [photo_at(rows, place) for place in places if 0 <= place < len(rows)]
    return [EditorRow(photo.row_id, photo.version, photo.title, photo.detail) for photo in shown]
