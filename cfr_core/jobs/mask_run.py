"""A bulk run of masks as a folder: its question, its rows, and what is found, part by part.

As with an audit, the opener of the workspace writes `mask_runs/<run_id>/`, any process does the
work and writes files only, and the opener takes the result. A run that was stopped goes on behind
its last whole part.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from cfr_core.errors import ImageError
from cfr_core.images import crop, decode
from cfr_core.segmenters.bulk import BulkQuestion, RowProposal, propose_row
from cfr_core.segmenters.segmenter import Segmenter
from cfr_core.types import (
    CropRequest,
    DeviceChoice,
    ImageArray,
    Mask,
    MaskStatus,
    OnProgress,
    Progress,
    no_progress,
)
from cfr_core.workspace.files import read_json, write_json
from cfr_core.workspace.mask_table import MaskCandidate

_SPEC, _ROWS, _STORED, _PARTS = "spec.json", "rows.json", "stored.json", "parts"
_ROWS_A_PART = 4
_STAGE = "Finding masks"


@dataclass(frozen=True)
class MaskRunSpec:
    """What a bulk run is asked.

    Attributes:
        dataset: Name in the workspace.
        engine: Name of the engine.
        prompts: Names of the animal in order of preference; for engines that read text.
        device: Where to compute.
        accept: Take chosen masks as accepted; else a person reviews them.
    """

    dataset: str
    engine: str
    prompts: tuple[str, ...] = ()
    device: DeviceChoice = "auto"
    accept: bool = False

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The spec whose plain values these are."""
        return cls(**{**value, "prompts": tuple(value["prompts"])})


@dataclass(frozen=True)
class RunResult:
    """What a bulk run has found.

    Attributes:
        masks: At most one a row.
        candidates: All that it chose among.
        skipped: Why a row has no mask, by row id.
        n_human: Rows that were not asked for, since a person or the dataset gave their masks.
    """

    masks: tuple[Mask, ...]
    candidates: tuple[MaskCandidate, ...]
    skipped: Mapping[int, str]
    n_human: int


@dataclass(frozen=True)
class MaskRun:
    """Reads and writes the files of a bulk run.

    Attributes:
        folder: `mask_runs/<run_id>` of a workspace.
    """

    folder: Path

    @property
    def spec(self) -> MaskRunSpec:
        """What is asked."""
        return MaskRunSpec.from_json(read_json(self.folder / _SPEC)["spec"])

    @property
    def is_stored(self) -> bool:
        """True once the workspace has the result."""
        return (self.folder / _STORED).exists()

    def write(self, spec: MaskRunSpec, rows: Sequence[CropRequest], n_human: int) -> None:
        """Write what is to be done."""
        plain = [{**vars(row), "mask": None, "views": []} for row in rows]
        write_json(self.folder / _ROWS, {"rows": plain})
        write_json(self.folder / _SPEC, {"spec": dataclasses.asdict(spec), "n_human": n_human})

    def mark_stored(self) -> None:
        """Say that the workspace has the result."""
        write_json(self.folder / _STORED, {})

    def rows(self) -> list[CropRequest]:
        """The rows to be asked for, in order."""
        plain = read_json(self.folder / _ROWS)["rows"]
        return [CropRequest(**{**row, "bbox_xywh": _box(row["bbox_xywh"])}) for row in plain]

    def work(self, segmenter: Segmenter, on_progress: OnProgress = no_progress) -> None:
        """Find the masks of all rows that no part has yet.

        Args:
            segmenter: The engine of the spec.
            on_progress: Told the rows that are done; it may raise to stop the work.
        """
        spec, rows = self.spec, self.rows()
        question = BulkQuestion(self.folder.name, spec.prompts, accept=spec.accept)
        for start in range(0, len(rows), _ROWS_A_PART):
            on_progress(Progress(_STAGE, start, len(rows), "rows"))
            path = self.folder / _PARTS / f"{start:07d}.json"
            if not path.exists():
                write_json(path, _part(segmenter, question, rows[start : start + _ROWS_A_PART]))
        on_progress(Progress(_STAGE, len(rows), len(rows), "rows"))

    def result(self) -> RunResult:
        """What all parts hold together."""
        parts = [read_json(path) for path in sorted((self.folder / _PARTS).glob("*.json"))]
        return RunResult(
            masks=tuple(_mask(plain) for part in parts for plain in part["masks"]),
            candidates=tuple(_candidate(plain) for part in parts for plain in part["candidates"]),
            skipped={int(row): why for part in parts for row, why in part["skipped"].items()},
            n_human=read_json(self.folder / _SPEC)["n_human"],
        )


def _part(
    segmenter: Segmenter, question: BulkQuestion, rows: Sequence[CropRequest]
) -> dict[str, Any]:
    """What is found for some rows, as plain values."""
    skipped: dict[str, str] = {}
    crops = dict(_crops(rows, skipped))
    encoded = dict(zip(crops, segmenter.encode(list(crops.values())), strict=True))
    proposals: dict[int, RowProposal] = {}
    for row in rows:
        if row.row_id in encoded:
            proposals[row.row_id] = propose_row(
                segmenter,
                encoded[row.row_id],
                question,
                row_id=row.row_id,
                is_crop_of_box=row.bbox_xywh is not None,
            )
    for row_id, proposal in proposals.items():
        if proposal.mask is None:
            skipped[str(row_id)] = f"{segmenter.name} finds nothing"
    found = [proposal for proposal in proposals.values() if proposal.mask is not None]
    return {
        "masks": [vars(proposal.mask) for proposal in found],
        "candidates": [vars(one) for each in proposals.values() for one in each.candidates],
        "skipped": skipped,
    }


def _crops(
    rows: Sequence[CropRequest], skipped: dict[str, str]
) -> Iterator[tuple[int, ImageArray]]:
    """The crops that can be read; why the others cannot goes to `skipped`."""
    for row in rows:
        try:
            photo = decode(Path(row.path), expected_sha256=row.file_sha256).pixels
        except ImageError as error:
            skipped[str(row.row_id)] = str(error)
            continue
        yield row.row_id, np.ascontiguousarray(crop(photo, row.bbox_xywh))


def _box(plain: list[int] | None) -> tuple[int, int, int, int] | None:
    return None if plain is None else (plain[0], plain[1], plain[2], plain[3])


def _mask(plain: Mapping[str, Any]) -> Mask:
    height, width = plain["size_hw"]
    return Mask(**{**plain, "size_hw": (height, width), "status": MaskStatus(plain["status"])})


def _candidate(plain: Mapping[str, Any]) -> MaskCandidate:
    height, width = plain["size_hw"]
    return MaskCandidate(**{**plain, "size_hw": (height, width)})
