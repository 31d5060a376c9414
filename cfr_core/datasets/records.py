"""What an import passes on: the parsed source, the checked annotations, and the report."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import pandas as pd

from cfr_core.errors import InputError
from cfr_core.types import Mask, SilhouetteRole

UNKNOWN_IDENTITIES: tuple[str, ...] = ("unknown", "Unknown", "?")
"""Names that stand for "nobody knows"; compared as typed. An empty cell is unknown as well."""

COLUMNS: tuple[str, ...] = (
    "row_id",  # int64, unique in the workspace, ascending in source order
    "source_row",  # int64, 1-based record of the source (a CSV's first data row is 1)
    "path",  # str, as the source names it; relative to the dataset's root, or absolute
    "identity",  # str exactly as typed, or <NA> for an empty cell
    "is_known",  # bool, identity present and not an unknown name
    "bbox_x",  # Int64, crop in upright pixels, inside the image; <NA> in all four = whole image
    "bbox_y",
    "bbox_w",
    "bbox_h",
    "width",  # int64, upright image, px
    "height",
    "captured_at",  # datetime64[s], camera time without zone, or NaT
    "encounter",  # str or <NA>
    "camera",  # str or <NA>
    "orientation",  # str or <NA>, side of the animal that is seen
    "split",  # str or <NA>
    "species",  # str or <NA>
    "file_sha256",  # str
    "file_bytes",  # int64
    "exif_orientation",  # int64, 1 to 8, as stored in the file; pixels are already turned
)
"""Columns of `Annotations.table`; any further columns of the source follow as text."""


class Severity(StrEnum):
    """What a finding did to its row."""

    SET_ASIDE = "set aside"  # the row is not in the dataset
    NO_MASK = "mask refused"  # the row is there, without the mask that came with it
    CHANGED = "changed"  # used, with the change that the message states
    NOTE = "note"  # used as it is; worth knowing


@dataclass(frozen=True)
class Finding:
    """One thing the import wants a person to know.

    Attributes:
        severity: What happened to the row.
        reason: Short key to count by, such as "missing file".
        file: The file as the source names it, or the table itself.
        source_row: 1-based record of the source, or None if it concerns the whole source.
        message: What was expected and what came.
        action: What to do about it.
    """

    severity: Severity
    reason: str
    file: str
    source_row: int | None
    message: str
    action: str


@dataclass(frozen=True)
class MaskReference:
    """Where the source says a row's mask is; decoded later, against the image.

    Attributes:
        kind: "file" (path of an image file), "rle" (COCO run lengths, compressed or not) or
            "polygons" (list of flat x, y lists in pixels).
        value: The path as written, {"size": [h, w], "counts": ...}, or the polygons.
        size_hw: Size the coordinates refer to, where the source says so.
    """

    kind: str
    value: Any
    size_hw: tuple[int, int] | None = None


@dataclass(frozen=True)
class SourceTable:
    """A source as parsed, before any image is opened.

    A row that parsing could not trust stays in the table, so that it is counted, and a SET_ASIDE
    finding names its source_row: the check takes it out without a second finding. Its box is NaN
    where the box could not be read, never None, which would mean the whole image.

    Attributes:
        kind: "csv", "folders", "coco" or "wildlife-datasets".
        root: Folder that relative paths start from.
        table: One row an animal: source_row, path, identity, captured_at, encounter, camera,
            orientation, split, species as in `COLUMNS`, further columns as text.
        boxes: For each row (x, y, w, h) as written, in pixels, or None.
        masks: For each row its mask reference, or None.
        sizes_hw: For each row the (height, width) that the source states for the image, or None.
        column_roles: Source column -> canonical name, for the columns that were recognised.
        findings: What parsing already noticed (bad cells, how dates were read, ...).
    """

    kind: str
    root: Path
    table: pd.DataFrame
    boxes: tuple[tuple[float, float, float, float] | None, ...]
    masks: tuple[MaskReference | None, ...]
    sizes_hw: tuple[tuple[int, int] | None, ...]
    column_roles: dict[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        lengths = {len(self.table), len(self.boxes), len(self.masks), len(self.sizes_hw)}
        if len(lengths) != 1:
            raise InputError(f"table, boxes, masks and sizes differ in length: {sorted(lengths)}")


@dataclass(frozen=True)
class Annotations:
    """Checked rows of one dataset, one row an animal; `table` has at least `COLUMNS`."""

    table: pd.DataFrame

    def __post_init__(self) -> None:
        missing = [name for name in COLUMNS if name not in self.table.columns]
        if missing:
            raise InputError(f"annotations lack the columns {missing}")
        if not self.table["row_id"].is_monotonic_increasing or not self.table["row_id"].is_unique:
            raise InputError("row_id must be unique and ascending")

    def __len__(self) -> int:
        return len(self.table)

    @property
    def extra_columns(self) -> list[str]:
        """Columns kept from the source beyond the usual ones."""
        return [name for name in self.table.columns if name not in COLUMNS]


@dataclass(frozen=True)
class DatasetCard:
    """What is known of a dataset beside its rows, fixed before any result is seen.

    Attributes:
        name: Name in the workspace.
        root: Absolute folder that relative paths start from.
        silhouette_role: Whether the outline is a biometric (CFR S1).
        role_source: "given", "published table" or "default".
        unknown_identities: Names that were read as unknown.
        biometric: Intended biometric, free text; empty if not known.
        species: Free text; empty if not known.
        prompts: Text prompts for a segmenter, in order of preference.
    """

    name: str
    root: str
    silhouette_role: SilhouetteRole
    role_source: str
    unknown_identities: tuple[str, ...] = UNKNOWN_IDENTITIES
    biometric: str = ""
    species: str = ""
    prompts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportReport:
    """Rows read, used and set aside, and everything that was noticed."""

    n_read: int
    n_used: int
    n_masks: int
    findings: tuple[Finding, ...]

    @property
    def n_set_aside(self) -> int:
        """Rows of the source that are not in the dataset."""
        return self.n_read - self.n_used

    def counts(self, severity: Severity) -> dict[str, int]:
        """Findings of one severity, counted by reason, the most frequent first."""
        reasons = (f.reason for f in self.findings if f.severity is severity)
        return dict(Counter(reasons).most_common())


@dataclass(frozen=True)
class ImportResult:
    """A checked dataset, ready to be stored."""

    card: DatasetCard
    annotations: Annotations
    masks: tuple[Mask, ...]
    report: ImportReport
