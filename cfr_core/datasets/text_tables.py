"""CSV and TSV files: encoding and delimiter are found out, and no row is lost in reading."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cfr_core.datasets.columns import n_usual_names
from cfr_core.datasets.raw import RawTable, raw_table
from cfr_core.datasets.records import Finding, Severity
from cfr_core.datasets.text_files import DecodedText, read_text
from cfr_core.errors import InputError

if TYPE_CHECKING:
    from _csv import Reader

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SNIFFED_LINES = 200
# A run-length mask in a cell is often longer than the 128 KiB that csv allows unless told.
_MAX_CELL_CHARS = 2**31 - 1


@dataclass(frozen=True)
class _Dialect:
    delimiter: str
    skip_space: bool = False


@dataclass(frozen=True)
class _Record:
    """One record; `is_whole` is False if its quotes do not close where they should."""

    cells: list[str]
    first_line: int
    last_line: int
    is_whole: bool = True

    @property
    def is_blank(self) -> bool:
        return not any(self.cells)


def read_text_table(path: Path) -> RawTable:
    """Read a delimited text file; every cell stays text as typed.

    Rows that do not fit the header are kept: a short one is filled up with empty cells and noted,
    a longer one is set aside, since its cells may stand under wrong names.

    Raises:
        InputError: if the file is empty, no text, or has no data rows.
    """
    decoded = read_text(path)
    csv.field_size_limit(_MAX_CELL_CHARS)
    lines = list(io.StringIO(decoded.text, newline=""))
    dialect, start = _dialect(lines)
    records = list(_records(lines, dialect, start))
    header, body = records[0], [record for record in records[1:] if not record.is_blank]
    if not body:
        raise InputError(f"{path} has a header but no rows: {', '.join(header.cells)}")
    names = _header_names(header, body)
    numbers = [at for at, record in enumerate(records[1:], start=1) if not record.is_blank]
    rows = [_fit(record.cells, len(names)) for record in body]
    table = raw_table(path.name, names, rows, np.asarray(numbers, dtype=np.int64))
    return table.with_findings(
        [
            *_format_notes(table, decoded, dialect),
            *_shape_findings(table, records, names),
            *_damage_findings(table, records, decoded),
        ]
    )


def _dialect(lines: Sequence[str]) -> tuple[_Dialect, int]:
    """How cells are separated, and the index of the header's line."""
    start = next(at for at, line in enumerate(lines) if line.strip())
    first = lines[start].strip().strip('"')
    # Spreadsheets in Europe declare the separator in a line of its own: "sep=;".
    if first.lower().startswith("sep=") and first[4:] in _DELIMITERS:
        return _Dialect(first[4:]), start + 1
    return _sniff(lines[: start + _SNIFFED_LINES], start), start


def _sniff(sample: Sequence[str], start: int) -> _Dialect:
    """The delimiter under which most names are usual and the rows are as wide as the header."""

    def score(delimiter: str) -> tuple[int, float]:
        records = [r for r in _records(sample, _Dialect(delimiter), start) if not r.is_blank]
        header = records[0].cells
        fitting = sum(len(r.cells) == len(header) for r in records) / len(records)
        return n_usual_names(header), fitting if len(header) > 1 else 0.0

    best = max(_DELIMITERS, key=score)
    header = next(_records(sample, _Dialect(best), start)).cells
    spaced = len(header) > 1 and all(name.startswith(" ") for name in header[1:])
    return _Dialect(best, skip_space=spaced)


def _records(lines: Sequence[str], dialect: _Dialect, start: int) -> Iterator[_Record]:
    """Records in file order, from line index `start` on.

    A stray quote would swallow the rows after it: where quotes do not close, or a record over
    several lines is not as wide as the header, its first line is a broken record by itself, and
    reading goes on with its second line.
    """
    reader, offset, width = _reader(lines, dialect, start), start, 0
    while start < len(lines):
        try:
            cells = next(reader)
        except csv.Error:
            cells = []
        end = offset + reader.line_num
        width = width or len(cells)
        is_blank_line = not lines[start].strip("\r\n")
        if is_blank_line or (cells and (end == start + 1 or len(cells) == width)):
            yield _Record(cells, start + 1, end)
            start = end
        else:
            parts = lines[start].strip("\r\n").replace('"', "").split(dialect.delimiter)
            yield _Record(parts, start + 1, start + 1, is_whole=False)
            start += 1
            reader, offset = _reader(lines, dialect, start), start


def _reader(lines: Sequence[str], dialect: _Dialect, start: int) -> "Reader":
    return csv.reader(
        (lines[at] for at in range(start, len(lines))),
        delimiter=dialect.delimiter,
        skipinitialspace=dialect.skip_space,
        # Else text after a closing quote, and a quote open at the end, are read without a word.
        strict=True,
    )


def _header_names(header: _Record, body: Sequence[_Record]) -> list[str]:
    """The header's names, with one in front if every row has a nameless first cell, as in R."""
    widths = Counter(len(record.cells) for record in body)
    has_row_names = set(widths) == {len(header.cells) + 1} and all(r.cells[-1] for r in body)
    return ["", *header.cells] if has_row_names else header.cells


def _fit(cells: Sequence[str], width: int) -> list[str]:
    return [*cells[:width], *[""] * (width - len(cells))]


def _format_notes(table: RawTable, decoded: DecodedText, dialect: _Dialect) -> Iterator[Finding]:
    if decoded.encoding != "UTF-8":
        message = f"read as {decoded.encoding}; the plain form is UTF-8"
        yield table.note("encoding", message, "Look whether accented names are right.")
    if dialect.delimiter != ",":
        message = f"cells are separated by a {_DELIMITERS[dialect.delimiter]}, not by a comma"
        yield table.note("delimiter", message)
    if dialect.skip_space:
        yield table.note("delimiter", "one space after each separator was taken off")


def _shape_findings(
    table: RawTable, records: Sequence[_Record], names: Sequence[str]
) -> Iterator[Finding]:
    n_blank = sum(record.is_blank for record in records[1:])
    if n_blank:
        yield table.note("blank row", f"{n_blank} rows without any text were passed over")
    for number, record in enumerate(records[1:], start=1):
        n_cells = len(record.cells)
        place = f"line {record.first_line}"
        if record.is_blank:
            continue
        if not record.is_whole:
            message = f"{place} opens a quote that does not close where the row ends"
            yield _row(table, Severity.SET_ASIDE, "broken quotes", number, message)
        elif any(record.cells[len(names) :]):
            message = f"{place} has {n_cells} cells under {len(names)} names: cells may be shifted"
            yield _row(table, Severity.SET_ASIDE, "too many cells", number, message)
        elif n_cells < len(names):
            message = f"{place} has {n_cells} cells under {len(names)} names: the rest is empty"
            yield _row(table, Severity.NOTE, "too few cells", number, message)


def _damage_findings(
    table: RawTable, records: Sequence[_Record], decoded: DecodedText
) -> Iterator[Finding]:
    damaged, legacy = set(decoded.damaged_lines), set(decoded.legacy_lines)
    if not damaged | legacy:
        return
    for number, record in enumerate(records[1:], start=1):
        lines = set(range(record.first_line, record.last_line + 1))
        if lines & damaged:
            message = (
                f"line {record.first_line} has bytes that are no text in UTF-8 or Windows-1252"
            )
            yield _row(table, Severity.SET_ASIDE, "unreadable text", number, message)
        elif lines & legacy:
            message = f"line {record.first_line} is no UTF-8 as the rest is; read as Windows-1252"
            yield _row(table, Severity.NOTE, "encoding", number, message)


def _row(table: RawTable, severity: Severity, reason: str, number: int, message: str) -> Finding:
    return Finding(severity, reason, table.name, number, message, "Correct this row of the table.")
