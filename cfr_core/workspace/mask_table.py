"""The tables of mask versions and of the candidates of bulk runs, inside a transaction."""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pandas as pd

from cfr_core.errors import MaskError, UnknownRowError
from cfr_core.types import Mask
from cfr_core.workspace import coding
from cfr_core.workspace.database import insert, now

_CURRENT = f"""
    SELECT version, by_person, {coding.MASK_COLUMNS}
    FROM masks
    WHERE row_id IN (SELECT unnest(?::BIGINT[]))
    QUALIFY row_number() OVER (PARTITION BY row_id ORDER BY version DESC) = 1
"""
_CROP_SIZES = """
    SELECT row_id, coalesce(bbox_h, height), coalesce(bbox_w, width) FROM rows
    WHERE row_id IN (SELECT unnest(?::BIGINT[]))
"""


@dataclass(frozen=True)
class MaskCandidate:
    """One of the masks that a bulk run chose among.

    Attributes:
        job: The run.
        row_id: The row.
        number: Place among the row's candidates, from 0.
        engine: Name of the engine.
        prompt: What the engine was asked, such as a text of the shipped table, or "box".
        size_hw: Size of the crop, (height, width) in pixels.
        counts: COCO compressed run lengths.
        score: The engine's own score from 0 to 1, or None.
        box_iou: IoU of its bounding box with the annotation box, or None without such a box.
        outcome: "chosen", or why it was not, in words.
    """

    job: str
    row_id: int
    number: int
    engine: str
    prompt: str
    size_hw: tuple[int, int]
    counts: str
    score: float | None
    box_iou: float | None
    outcome: str


CANDIDATE_COLUMNS = (
    "job, row_id, number, engine, prompt, height, width, counts, score, box_iou, outcome"
)
"""Columns that `candidate_from_row` reads, in its order."""


def current_masks(
    cursor: duckdb.DuckDBPyConnection, row_ids: Sequence[int]
) -> dict[int, tuple[int, Mask, bool]]:
    """The current masks of rows, by row id, of those that have one.

    Returns:
        Version, mask, and whether a person drew, reviewed or restored it.
    """
    found = cursor.execute(_CURRENT, [list(row_ids)]).fetchall()
    return {row[2]: (row[0], coding.mask_from_row(row[2:]), bool(row[1])) for row in found}


def check_sizes(cursor: duckdb.DuckDBPyConnection, masks: Sequence[Mask]) -> None:
    """Refuse masks of rows that are not there, and masks of another size than their crops.

    Raises:
        UnknownRowError: if there is no such row.
        MaskError: with both sizes.
    """
    found = cursor.execute(_CROP_SIZES, [[mask.row_id for mask in masks]]).fetchall()
    sizes = {row_id: (height, width) for row_id, height, width in found}
    for mask in masks:
        if mask.row_id not in sizes:
            raise UnknownRowError(
                f"there is no row {mask.row_id} in this workspace; its dataset may have been "
                "replaced"
            )
        if mask.size_hw != sizes[mask.row_id]:
            height, width = sizes[mask.row_id]
            raise MaskError(
                f"the mask of row {mask.row_id} is {mask.size_hw[1]} x {mask.size_hw[0]} px, its "
                f"crop {width} x {height} px: draw it on the crop"
            )


def store_versions(
    cursor: duckdb.DuckDBPyConnection, versions: Iterable[tuple[int, Mask]], *, by_person: bool
) -> None:
    """Append versions; the time is set to now where a mask has none."""
    time = now()
    records = [
        coding.mask_record(mask, version)
        | {"created_at": mask.created_at or time, "by_person": by_person}
        for version, mask in versions
    ]
    insert(cursor, "masks", pd.DataFrame(records))


def store_candidates(
    cursor: duckdb.DuckDBPyConnection, candidates: Iterable[MaskCandidate]
) -> None:
    """Keep the candidates of a run; those that it has kept for the same rows are replaced."""
    records = pd.DataFrame([_candidate_record(candidate) for candidate in candidates])
    if records.empty:
        return
    for job, of_job in records.groupby("job"):
        cursor.execute(
            "DELETE FROM mask_candidates WHERE job = ? AND row_id IN (SELECT unnest(?::BIGINT[]))",
            [job, of_job["row_id"].unique().tolist()],
        )
    insert(cursor, "mask_candidates", records)


def candidate_from_row(row: tuple[Any, ...]) -> MaskCandidate:
    """A candidate from a row of `CANDIDATE_COLUMNS`."""
    job, row_id, number, engine, prompt, height, width, *rest = row
    return MaskCandidate(job, row_id, number, engine, prompt, (height, width), *rest)


def _candidate_record(candidate: MaskCandidate) -> dict[str, object]:
    fields = dataclasses.asdict(candidate)
    height, width = fields.pop("size_hw")
    return fields | {"height": height, "width": width}
