"""A checked dataset as files, from the process that checked it to the one that stores it."""

from pathlib import Path

import pandas as pd

from cfr_core.datasets.records import ImportResult
from cfr_core.workspace import coding
from cfr_core.workspace.files import write_parquet

_ROWS, _MASKS, _CARD, _REPORT = "rows.parquet", "masks.parquet", "card.json", "report.json"
_MASK_COLUMNS = coding.MASK_COLUMNS.split(", ")


def save_import(folder: Path, result: ImportResult) -> None:
    """Write a checked dataset; `load_import` gives an equal one in any process.

    Args:
        folder: Where to; it is made if absent. It is whole when this returns, not before.
        result: The dataset.
    """
    write_parquet(folder / _ROWS, coding.rows_table(result.annotations, result.card.name, 0))
    masks = coding.masks_table(result.masks, 0)
    write_parquet(folder / _MASKS, masks.reindex(columns=_MASK_COLUMNS))
    (folder / _CARD).write_text(coding.to_json(result.card), "utf-8")
    (folder / _REPORT).write_text(coding.to_json(result.report), "utf-8")


def load_import(folder: Path) -> ImportResult:
    """The dataset that `save_import` wrote."""
    table = pd.read_parquet(folder / _ROWS)
    table["captured_at"] = table["captured_at"].astype("datetime64[s]")
    masks = pd.read_parquet(folder / _MASKS).astype(object)
    masks = masks.where(masks.notna(), None)
    return ImportResult(
        card=coding.card_from_json((folder / _CARD).read_text("utf-8")),
        annotations=coding.annotations_from_table(table),
        masks=tuple(coding.mask_from_row(row) for row in masks.itertuples(index=False, name=None)),
        report=coding.report_from_json((folder / _REPORT).read_text("utf-8")),
    )
