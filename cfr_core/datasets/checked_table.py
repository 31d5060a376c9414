"""The table of checked rows, with the columns that every later step relies on."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from cfr_core.datasets.boxes import Crop
from cfr_core.datasets.opened import ImageFacts
from cfr_core.datasets.records import COLUMNS, SourceTable
from cfr_core.datasets.rows import OpenedRow

_TEXT_COLUMNS = ("encounter", "camera", "orientation", "split", "species")
_BOX_COLUMNS = ("bbox_x", "bbox_y", "bbox_w", "bbox_h")


def checked_table(
    source: SourceTable,
    rows: Sequence[OpenedRow],
    crops: Mapping[int, Crop],
    unknown_identities: Sequence[str],
) -> pd.DataFrame:
    """Rows that are used, in source order, numbered from 0.

    Args:
        source: The source, with its further columns.
        rows: The rows to keep.
        crops: The crop of each of them, by position in the source.
        unknown_identities: Names that stand for "nobody knows".

    Returns:
        `COLUMNS`, then the further columns of the source as text.
    """
    kept = source.table.iloc[[row.at for row in rows]].reset_index(drop=True)
    identity = kept["identity"].astype("string")
    identity = identity.mask(identity == "")
    columns: dict[str, object] = {
        **{name: kept[name].astype("string") for name in _TEXT_COLUMNS},
        "path": _paths(kept["path"], rows, source.root),
        "row_id": np.arange(len(rows)),
        "source_row": kept["source_row"].astype("int64"),
        "identity": identity,
        "is_known": (identity.notna() & ~identity.isin(unknown_identities)).astype(bool),
        **_boxes([crops[row.at] for row in rows]),
        **_files([row.image for row in rows]),
        "captured_at": kept["captured_at"].astype("datetime64[s]"),
    }
    extras = [name for name in kept.columns if name not in COLUMNS]
    ordered = pd.DataFrame({name: columns[name] for name in COLUMNS})
    return pd.concat([ordered, kept[extras].astype("string")], axis=1)


def with_exif_dates(table: pd.DataFrame, images: Sequence[ImageFacts]) -> pd.DataFrame:
    """The table with dates from EXIF, or the table itself where it has a date or EXIF has none.

    Args:
        table: Checked rows.
        images: The image of each row.
    """
    from_exif = np.array([image.captured_at for image in images], dtype="datetime64[s]")
    if table["captured_at"].notna().any() or np.isnat(from_exif).all():
        return table
    return table.assign(captured_at=from_exif)


def _paths(names: "pd.Series[str]", rows: Sequence[OpenedRow], root: Path) -> object:
    """Paths as written, but with slashes where the file was found by reading backslashes so."""
    return pd.array(
        [
            name if os.path.normpath(root.absolute() / name) == str(row.image.path) else slashed
            for name, slashed, row in zip(names, names.str.replace("\\", "/"), rows, strict=True)
        ],
        dtype="string",
    )


def _boxes(crops: Sequence[Crop]) -> dict[str, object]:
    boxes = [crop.bbox_xywh or (None,) * len(_BOX_COLUMNS) for crop in crops]
    return {
        name: pd.array([box[side] for box in boxes], dtype="Int64")
        for side, name in enumerate(_BOX_COLUMNS)
    }


def _files(images: Sequence[ImageFacts]) -> dict[str, object]:
    return {
        "width": np.array([image.image_hw[1] for image in images], dtype="int64"),
        "height": np.array([image.image_hw[0] for image in images], dtype="int64"),
        "file_sha256": pd.array([image.file_sha256 for image in images], dtype="string"),
        "file_bytes": np.array([image.file_bytes for image in images], dtype="int64"),
        "exif_orientation": np.array([image.exif_orientation for image in images], dtype="int64"),
    }
