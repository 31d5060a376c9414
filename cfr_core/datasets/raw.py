"""A table as its file has it: every cell text as typed, an empty cell the only missing one."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from cfr_core.datasets.records import Finding, Severity
from cfr_core.errors import InputError
from cfr_core.types import IntArray


@dataclass(frozen=True)
class RawTable:
    """A source table before any column has a meaning.

    Attributes:
        name: File or dataset name, for messages.
        cells: (N, C) text columns of pandas' "string" type, <NA> where a cell is empty. Column
            names are unique, also without regard to case.
        source_rows: (N,) int64, 1-based record of each row in the source.
        findings: What reading noticed.
    """

    name: str
    cells: pd.DataFrame
    source_rows: IntArray
    findings: tuple[Finding, ...] = ()

    def with_findings(self, findings: Iterable[Finding]) -> "RawTable":
        """The same table with further findings behind its own."""
        return replace(self, findings=(*self.findings, *findings))

    def note(self, reason: str, message: str, action: str = "Nothing, if it is so.") -> Finding:
        """A NOTE on the table as a whole."""
        return Finding(Severity.NOTE, reason, self.name, None, message, action)


@dataclass(frozen=True)
class RowNames:
    """What findings call the rows of a table: the image file, or the table where none is named.

    Attributes:
        files: For each row the file.
        source_rows: (N,) int64, 1-based record of each row in the source.
    """

    files: tuple[str, ...]
    source_rows: IntArray

    def set_aside(self, at: int, reason: str, message: str, action: str) -> Finding:
        """Row number `at` cannot be trusted."""
        return self._finding(Severity.SET_ASIDE, at, reason, message, action)

    def no_mask(self, at: int, reason: str, message: str, action: str) -> Finding:
        """The mask of row number `at` cannot be used."""
        return self._finding(Severity.NO_MASK, at, reason, message, action)

    def note(self, at: int, reason: str, message: str, action: str) -> Finding:
        """Something about row number `at` that does not change it."""
        return self._finding(Severity.NOTE, at, reason, message, action)

    def _finding(
        self, severity: Severity, at: int, reason: str, message: str, action: str
    ) -> Finding:
        row = int(self.source_rows[at])
        return Finding(severity, reason, self.files[at], row, message, action)


def raw_table(
    name: str, header: Sequence[str], rows: Sequence[Sequence[str | None]], source_rows: IntArray
) -> RawTable:
    """A table from text cells; "" and None are empty.

    Names are stripped and made unique; a changed one is noted, for its meaning is a guess.

    Raises:
        InputError: if there is no row.
    """
    if not rows:
        raise InputError(f"{name} has columns but no rows: {', '.join(header)}")
    stripped = [text.strip().strip("\ufeff") for text in header]
    names = unique_names([text or f"column {at}" for at, text in enumerate(stripped, start=1)])
    cells = pd.DataFrame(np.asarray(rows, dtype=object), columns=names, dtype="string")
    table = RawTable(name, cells.mask(cells == ""), source_rows)
    renamed = [
        f'"{old}" as "{new}"' for old, new in zip(stripped, names, strict=True) if old != new
    ]
    if not renamed:
        return table
    message = f"columns without a name of their own are read so: {', '.join(renamed)}"
    return table.with_findings([table.note("column renamed", message, "Name every column once.")])


def frame_table(name: str, frame: pd.DataFrame) -> RawTable:
    """A typed table (Parquet, or another package's DataFrame) as text cells.

    Whole numbers lose a ".0" that only missing neighbours gave them, dates become ISO 8601, lists
    and dicts JSON.
    """
    columns = [[cell_text(value) for value in series] for _, series in frame.items()]
    rows = list(zip(*columns, strict=True))
    header = [str(column) for column in frame.columns]
    return raw_table(name, header, rows, np.arange(1, len(frame) + 1))


def cell_text(value: Any) -> str | None:  # noqa: ANN401
    """Text of one typed cell; None where there is no value."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, bytes):
        return value.decode("ascii", errors="replace") or None
    if isinstance(value, (list, tuple, dict)):
        # A list of nothing but NaN is how typed tables leave a box or a mask out.
        is_missing = not isinstance(value, dict) and all(item != item for item in value)
        return None if is_missing else json.dumps(value, default=_json_value)
    if value is None or pd.isna(value):
        return None
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def unique_names(names: Sequence[str], taken: Iterable[str] = ()) -> list[str]:
    """Names made unique without regard to case by a number at the end: "side", "Side_2"."""
    used = {name.casefold() for name in taken}
    unique = []
    for name in names:
        candidate, number = name, 2
        while candidate.casefold() in used:
            candidate, number = f"{name}_{number}", number + 1
        used.add(candidate.casefold())
        unique.append(candidate)
    return unique


def _json_value(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, bytes):
        return value.decode("ascii", errors="replace")
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return str(value)
