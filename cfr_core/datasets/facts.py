"""What a stored dataset consists of, in numbers: the report that a person reads first."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cfr_core.datasets.records import Finding, ImportReport, Severity
from cfr_core.types import IntArray, MaskStatus

NO_MASK = "no mask"
"""State of the mask of a row that has none."""

DUPLICATES = ("duplicate files", "repeated row")
"""Beginnings of the reasons for which files or rows were found to be there twice."""


@dataclass(frozen=True)
class DatasetFacts:
    """Numbers of one dataset.

    Attributes:
        n_rows: Rows, one an animal in a photo.
        n_images: Different image files.
        n_identities: Known individuals.
        n_unknown: Rows whose individual nobody knows.
        n_single: Individuals with one row only, which no query can find.
        n_encounters: Different encounters; 0 if the source names none.
        n_cameras: Different cameras; 0 if the source names none.
        rows_per_identity: (n_identities,) int64, rows of each known individual, most first.
        n_dated: Rows with a date.
        first_date: The earliest date, or NaT.
        last_date: The latest date, or NaT.
        masks: State of the mask -> rows, every state there.
        n_audited: Rows in an audit: identity known and mask accepted.
    """

    n_rows: int
    n_images: int
    n_identities: int
    n_unknown: int
    n_single: int
    n_encounters: int
    n_cameras: int
    rows_per_identity: IntArray
    n_dated: int
    first_date: pd.Timestamp
    last_date: pd.Timestamp
    masks: Mapping[str, int]
    n_audited: int


def dataset_facts(rows: pd.DataFrame) -> DatasetFacts:
    """Count the rows of a dataset.

    Args:
        rows: As of `Workspace.browse`.
    """
    known = rows["is_known"].to_numpy(dtype=bool)
    per_identity = rows["identity"][known].value_counts().to_numpy(dtype=np.int64)
    status = rows["mask_status"]
    is_accepted = (status == MaskStatus.ACCEPTED.value).to_numpy(dtype=bool)
    masks = {state.value: int((status == state.value).sum()) for state in MaskStatus}
    return DatasetFacts(
        n_rows=len(rows),
        n_images=int(rows["path"].nunique()),
        n_identities=len(per_identity),
        n_unknown=int((~known).sum()),
        n_single=int((per_identity == 1).sum()),
        n_encounters=int(rows["encounter"].nunique()),
        n_cameras=int(rows["camera"].nunique()),
        rows_per_identity=per_identity,
        n_dated=int(rows["captured_at"].notna().sum()),
        first_date=rows["captured_at"].min(),
        last_date=rows["captured_at"].max(),
        masks={**masks, NO_MASK: int((status == "").sum())},
        n_audited=int((known & is_accepted).sum()),
    )


def cover_rows(rows: pd.DataFrame, n: int) -> tuple[int, ...]:
    """Rows that stand for a dataset on its card: of different individuals, spread over all.

    Args:
        rows: As of `Workspace.browse`.
        n: How many at most.

    Returns:
        Row ids; rows with an accepted mask and a known individual are taken where there are any.
    """
    is_best = rows["is_known"] & (rows["mask_status"] == MaskStatus.ACCEPTED.value)
    candidates = rows[is_best] if is_best.any() else rows
    firsts = candidates.drop_duplicates("identity")["row_id"].to_numpy()
    if not len(firsts):
        return ()
    places = np.unique(np.linspace(0, len(firsts) - 1, n).astype(int))
    return tuple(int(row_id) for row_id in firsts[places])


def findings_table(report: ImportReport) -> pd.DataFrame:
    """Every finding of an import as one line, the gravest first.

    Returns:
        What happened, Reason, File, Row (Int64, <NA> for the whole source), Message, What to do.
    """
    order = {severity: place for place, severity in enumerate(Severity)}
    findings = sorted(report.findings, key=lambda finding: order[finding.severity])
    return pd.DataFrame(
        {
            "What happened": [str(f.severity) for f in findings],
            "Reason": [f.reason for f in findings],
            "File": [f.file for f in findings],
            "Row": pd.array([f.source_row for f in findings], dtype="Int64"),
            "Message": [f.message for f in findings],
            "What to do": [f.action for f in findings],
        }
    )


def duplicates(report: ImportReport) -> list[Finding]:
    """Findings about files or rows that are there more than once."""
    return [finding for finding in report.findings if finding.reason.startswith(DUPLICATES)]
