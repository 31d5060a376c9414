"""Table files by their ending: delimited text or Parquet, all cells as text."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from cfr_core.datasets.raw import RawTable, frame_table
from cfr_core.datasets.text_tables import read_text_table
from cfr_core.errors import InputError

TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".parquet"})
"""Endings of files that are taken for tables; lower case."""


def read_table(path: Path) -> RawTable:
    """Read a table file.

    Raises:
        InputError: if it is absent, damaged, empty or a spreadsheet.
    """
    if not path.is_file():
        raise InputError(f"there is no table {path}")
    if path.suffix.lower() != ".parquet":
        return read_text_table(path)
    try:
        frame = pd.read_parquet(path)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{path} is no Parquet table that can be read: {error}") from error
    return frame_table(path.name, frame)
