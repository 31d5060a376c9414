"""A source before it is stored: its table as read, with every cell marked that needs a look.

No image is opened, so damaged pixels are not known here; the check finds them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
import pandas as pd

from cfr_core.datasets.file_finder import FileFinder
from cfr_core.datasets.found import find_images, find_masks
from cfr_core.datasets.raw import RowNames
from cfr_core.datasets.records import Finding, MaskReference, Severity, SourceTable
from cfr_core.types import BoolArray

NOTICED = "Noticed"
"""Column of the preview's table with everything that was noticed about a row, in words."""


class Mark(StrEnum):
    """Why a cell needs a look."""

    NONE = ""
    BAD = "bad"  # the row, or its mask, cannot be used because of this cell
    LOOK = "look"  # used, but a person should know


_TITLES: Mapping[str, str] = {
    "path": "Image file",
    "identity": "Identity",
    "captured_at": "Date",
    "encounter": "Encounter",
    "camera": "Camera",
    "orientation": "Orientation",
    "split": "Split",
    "species": "Species",
}
"""Canonical column -> its title, in the order of the preview."""
_BOX, _MASK = "Box (x, y, width, height)", "Mask"
_COLUMN_OF_REASON: Mapping[str, str] = {
    "unreadable box": _BOX,
    "unreadable mask": _MASK,
    "missing mask file": _MASK,
    "unreadable date": _TITLES["captured_at"],
}
"""Column that a finding is about; other findings are about the image file."""
_MARK_OF_SEVERITY: Mapping[Severity, Mark] = {
    Severity.SET_ASIDE: Mark.BAD,
    Severity.NO_MASK: Mark.BAD,
    Severity.CHANGED: Mark.LOOK,
    Severity.NOTE: Mark.LOOK,
}


@dataclass(frozen=True)
class Preview:
    """What an import would start from.

    Attributes:
        root: Folder that relative paths start from.
        table: One line a row of the source: "Row" (1-based record), what was read from it, then
            the source's further columns, and `NOTICED`.
        marks: Of the same shape and columns, a `Mark` for each cell.
        n_used: Rows that are not known to be unusable yet.
        n_identities: Known individuals among all rows.
        n_unknown: Rows whose individual nobody knows.
        n_masks: Rows with a mask that may be usable.
        columns: Meaning -> column of the source that was found or chosen for it.
        general: Findings about the source as a whole.
    """

    root: Path
    table: pd.DataFrame
    marks: pd.DataFrame
    n_used: int
    n_identities: int
    n_unknown: int
    n_masks: int
    columns: Mapping[str, str]
    general: tuple[Finding, ...]

    @property
    def n_noticed(self) -> int:
        """Rows with at least one marked cell."""
        return int(self._is_noticed().sum())

    def part(self, *, only_noticed: bool, max_rows: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The first rows of `table` and `marks`, of all or of those with a mark."""
        chosen = self._is_noticed() if only_noticed else np.ones(len(self.table), dtype=bool)
        places = np.flatnonzero(chosen)[:max_rows]
        return self.table.iloc[places], self.marks.iloc[places]

    def _is_noticed(self) -> BoolArray:
        return np.asarray((self.marks != Mark.NONE.value).any(axis=1), dtype=bool)


def preview(source: SourceTable, unknown_identities: Sequence[str]) -> Preview:
    """Look at a source as a person would, without opening an image.

    Args:
        source: The source as parsed.
        unknown_identities: Names that stand for "nobody knows", compared as typed.
    """
    findings = (*source.findings, *_file_findings(source))
    of_rows = [finding for finding in findings if finding.source_row is not None]
    identity = source.table["identity"]
    is_unknown = (identity.isna() | (identity == "") | identity.isin(unknown_identities)).to_numpy()
    table = _table(source)
    marks = pd.DataFrame(Mark.NONE.value, index=table.index, columns=table.columns)
    marks.loc[is_unknown, _TITLES["identity"]] = Mark.LOOK.value
    _mark(table, marks, of_rows)
    table[NOTICED] = _words(table, of_rows, is_unknown)
    marks[NOTICED] = Mark.NONE.value
    set_aside = {f.source_row for f in of_rows if f.severity is Severity.SET_ASIDE}
    no_mask = {f.source_row for f in of_rows if f.severity is Severity.NO_MASK} | set_aside
    has_mask = np.array([mask is not None for mask in source.masks], dtype=bool)
    return Preview(
        root=source.root,
        table=table,
        marks=marks,
        n_used=int((~table["Row"].isin(set_aside)).sum()),
        n_identities=int(identity[~is_unknown].nunique()),
        n_unknown=int(is_unknown.sum()),
        n_masks=int((has_mask & ~table["Row"].isin(no_mask).to_numpy()).sum()),
        columns={role: column for column, role in source.column_roles.items()},
        general=tuple(finding for finding in findings if finding.source_row is None),
    )


def _file_findings(source: SourceTable) -> list[Finding]:
    """Missing and empty files, and missing mask files of the others."""
    names = RowNames(
        tuple(source.table["path"].fillna("")), source.table["source_row"].to_numpy(dtype="int64")
    )
    finder = FileFinder(source.root)
    paths, findings = find_images(source, names, finder)
    empty = {path for path in {*paths.values()} if path.stat().st_size == 0}
    findings += [
        names.set_aside(
            at,
            "empty file",
            "the file is empty (0 bytes)",
            "Copy the file again from where it came.",
        )
        for at, path in paths.items()
        if path in empty
    ]
    _, mask_findings = find_masks(source, names, finder, paths)
    return [*findings, *mask_findings]


def _table(source: SourceTable) -> pd.DataFrame:
    """The source as a person reads it; columns of which it has nothing are left out."""
    read = source.table
    columns: dict[str, object] = {"Row": read["source_row"]}
    for name, title in _TITLES.items():
        if name in ("path", "identity") or read[name].notna().any():
            columns[title] = _text(read[name])
    if any(source.boxes):
        columns[_BOX] = [_box_text(box) for box in source.boxes]
    if any(source.masks) or any(f.severity is Severity.NO_MASK for f in source.findings):
        columns[_MASK] = [_mask_text(mask) for mask in source.masks]
    extras = [name for name in read.columns if name not in _TITLES and name != "source_row"]
    columns |= {_free_title(name, columns): _text(read[name]) for name in extras}
    return pd.DataFrame(columns).reset_index(drop=True)


def _text(column: "pd.Series[str]") -> list[str]:
    # A date without a time of day was read as midnight.
    texts = column.astype("string").fillna("").str.removesuffix(" 00:00:00")
    return list(texts)


def _free_title(name: str, taken: Mapping[str, object]) -> str:
    return f"{name} (source)" if name in (*taken, NOTICED, _BOX, _MASK) else name


def _box_text(box: tuple[float, float, float, float] | None) -> str:
    if box is None:
        return "whole image"
    return "unreadable" if np.isnan(box).any() else ", ".join(f"{side:g}" for side in box)


def _mask_text(mask: MaskReference | None) -> str:
    if mask is None:
        return ""
    return (
        str(mask.value) if mask.kind == "file" else {"rle": "run lengths"}.get(mask.kind, mask.kind)
    )


def _mark(table: pd.DataFrame, marks: pd.DataFrame, findings: Sequence[Finding]) -> None:
    places = {row: place for place, row in enumerate(table["Row"])}
    columns = {str(name): place for place, name in enumerate(marks.columns)}
    for finding in findings:
        column = columns.get(_COLUMN_OF_REASON.get(finding.reason, ""), columns[_TITLES["path"]])
        mark = _MARK_OF_SEVERITY[finding.severity].value
        marks.iat[places[finding.source_row], column] = mark


def _words(table: pd.DataFrame, findings: Sequence[Finding], is_unknown: BoolArray) -> list[str]:
    words: dict[int, list[str]] = {}
    for finding in findings:
        said = f"{finding.reason}: {finding.message}. {finding.action}".replace("..", ".")
        words.setdefault(finding.source_row or 0, []).append(said[:1].upper() + said[1:])
    for row in table["Row"][is_unknown]:
        words.setdefault(row, []).append("Unknown identity: neither query nor gallery.")
    return [" ".join(words.get(row, ())) for row in table["Row"]]
