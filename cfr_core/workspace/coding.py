"""How annotations, masks and records are laid out in the workspace's tables."""

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

import pandas as pd

from cfr_core.datasets.records import (
    COLUMNS,
    Annotations,
    DatasetCard,
    Finding,
    ImportReport,
    Severity,
)
from cfr_core.types import Mask, MaskStatus, SilhouetteRole

MASK_COLUMNS = (
    "row_id, height, width, counts, source, status, score, prompts, author, created_at, reason"
)
"""Columns that `mask_from_row` reads, in its order."""


def rows_table(annotations: Annotations, dataset: str, offset: int) -> pd.DataFrame:
    """Rows of the table "rows": further columns as one JSON text, row ids shifted by `offset`."""
    return annotations.table[list(COLUMNS)].assign(
        row_id=annotations.table["row_id"] + offset,
        dataset=dataset,
        extras=_extras_json(annotations),
    )


def annotations_from_table(table: pd.DataFrame) -> Annotations:
    """Annotations from rows of the table "rows"."""
    extras = pd.DataFrame([json.loads(text) for text in table["extras"]], dtype="string")
    extras.index = table.index
    bbox = {name: table[name].astype("Int64") for name in COLUMNS if name.startswith("bbox_")}
    return Annotations(pd.concat([table.assign(**bbox)[list(COLUMNS)], extras], axis=1))


def masks_table(masks: Iterable[Mask], offset: int) -> pd.DataFrame:
    """Rows of the table "masks", each the first version; row ids shifted by `offset`."""
    return pd.DataFrame([mask_record(mask, 1) | {"row_id": mask.row_id + offset} for mask in masks])


def mask_record(mask: Mask, version: int) -> dict[str, object]:
    """A row of the table "masks", by column."""
    return {
        "row_id": mask.row_id,
        "version": version,
        "height": mask.size_hw[0],
        "width": mask.size_hw[1],
        "counts": mask.counts,
        "source": mask.source,
        "status": mask.status.value,
        "score": mask.score,
        "prompts": mask.prompts,
        "author": mask.author,
        "created_at": mask.created_at,
        "reason": mask.reason,
        "pixels": mask.fingerprint,
    }


def mask_from_row(row: tuple[Any, ...]) -> Mask:
    """A mask from a row of `MASK_COLUMNS`."""
    row_id, height, width, counts, source, status, *rest = row
    return Mask(row_id, (height, width), counts, source, MaskStatus(status), *rest)


def to_json(record: DatasetCard | ImportReport) -> str:
    """A card or report as JSON text."""
    return json.dumps(dataclasses.asdict(record))


def card_from_json(text: str) -> DatasetCard:
    """The card that `to_json` wrote."""
    fields = json.loads(text)
    return DatasetCard(
        **fields
        | {
            "silhouette_role": SilhouetteRole(fields["silhouette_role"]),
            "unknown_identities": tuple(fields["unknown_identities"]),
            "prompts": tuple(fields["prompts"]),
        }
    )


def report_from_json(text: str) -> ImportReport:
    """The report that `to_json` wrote."""
    fields = json.loads(text)
    findings = tuple(
        Finding(**finding | {"severity": Severity(finding["severity"])})
        for finding in fields["findings"]
    )
    return ImportReport(**fields | {"findings": findings})


def _extras_json(annotations: Annotations) -> list[str]:
    columns = annotations.extra_columns
    if not columns:
        return ["{}"] * len(annotations)
    extras = annotations.table[columns].astype(object)
    extras = extras.where(extras.notna(), None)
    return [json.dumps(row, default=str) for row in extras.to_dict("records")]
