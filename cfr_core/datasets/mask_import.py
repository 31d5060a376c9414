"""Masks from files for the rows of a dataset that is there already."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from cfr_core.datasets.check import check
from cfr_core.datasets.file_finder import FileFinder
from cfr_core.datasets.mask_sources import with_mask_folder
from cfr_core.datasets.records import (
    Annotations,
    DatasetCard,
    ImportResult,
    Severity,
    SourceTable,
)
from cfr_core.datasets.sources import detect_source, read_source
from cfr_core.types import Mask, OnProgress, no_progress

_Place: TypeAlias = tuple[Any, ...]
"""Digest of a photo's file and the box of a row, or None for the whole photo."""
_SOURCE_COLUMNS = [
    *("source_row", "path", "identity", "captured_at", "encounter", "camera", "orientation"),
    *("split", "species"),
]
_BOX_COLUMNS = ["bbox_x", "bbox_y", "bbox_w", "bbox_h"]


@dataclass(frozen=True)
class FoundMasks:
    """Masks of files, by the rows of a dataset.

    Attributes:
        masks: At most one a row, of its crop's size, by row id.
        problems: What could not be used, a sentence each.
    """

    masks: Mapping[int, Mask]
    problems: tuple[str, ...]


def masks_for(
    card: DatasetCard,
    annotations: Annotations,
    source: Path,
    on_progress: OnProgress = no_progress,
) -> FoundMasks:
    """Read masks and find the rows that they belong to: the same photo and the same box.

    A COCO file, a table or an exported folder says itself which photo a mask is of, by a path
    from where it lies or from the dataset's root; in a folder of mask files the names say it.

    Args:
        card: The dataset.
        annotations: Its rows.
        source: File or folder with the masks.
        on_progress: Called after every image and every mask.

    Raises:
        InputError: if the source cannot be read.
    """
    if source.is_dir() and detect_source(source)[0] == "folders":
        table = with_mask_folder(_of_dataset(card, annotations), source)
    else:
        table = _with_dataset_root(read_source(source), card)
    result = check(_with_masks_only(table), name=card.name, on_progress=on_progress)
    found, problems = _by_row(result, annotations, card.name)
    unusable = (
        f"{finding.file}: {finding.message}. {finding.action}"
        for finding in result.report.findings
        if finding.source_row is not None and finding.severity is not Severity.NOTE
    )
    return FoundMasks(found, (*unusable, *problems))


def _by_row(
    result: ImportResult, annotations: Annotations, dataset: str
) -> tuple[dict[int, Mask], list[str]]:
    """The masks by the rows of a dataset, and why some belong to none."""
    places, of_source = _places(annotations), _places(result.annotations)
    n_rows = Counter(places.values())
    row_at = {place: row_id for row_id, place in places.items()}
    found: dict[int, Mask] = {}
    problems = []
    for mask in result.masks:
        place = of_source[mask.row_id]
        row_id = row_at.get(place)
        if row_id is None:
            name = _name(result.annotations, mask)
            problems.append(f"a mask of {name} fits no photo and box of {dataset}")
        elif n_rows[place] > 1 or row_id in found:
            name = _name(result.annotations, mask)
            problems.append(f"{name} has several masks or rows: give each row a box of its own")
        else:
            found[row_id] = replace(mask, row_id=row_id)
    return found, problems


def _of_dataset(card: DatasetCard, annotations: Annotations) -> SourceTable:
    """The rows of a dataset as a source without masks."""
    table = annotations.table
    columns = (table[column].tolist() for column in _BOX_COLUMNS)
    n_rows = len(table)
    return SourceTable(
        kind="csv",
        root=Path(card.root),
        table=table[_SOURCE_COLUMNS].reset_index(drop=True),
        boxes=tuple(
            None if pd.isna(x) else (float(x), float(y), float(w), float(h))
            for x, y, w, h in zip(*columns, strict=True)
        ),
        masks=(None,) * n_rows,
        sizes_hw=tuple(zip(table["height"].tolist(), table["width"].tolist(), strict=True)),
    )


def _with_dataset_root(source: SourceTable, card: DatasetCard) -> SourceTable:
    """Paths start from the dataset's root where the photos are not beside the masks."""
    finder = FileFinder(source.root)
    is_beside = any(finder.find(path) is not None for path in source.table["path"].dropna())
    return source if is_beside else replace(source, root=Path(card.root))


def _with_masks_only(source: SourceTable) -> SourceTable:
    """The rows that have a mask, so that no photo is opened in vain."""
    kept = [at for at, mask in enumerate(source.masks) if mask is not None]
    return replace(
        source,
        table=source.table.iloc[kept].reset_index(drop=True),
        boxes=tuple(source.boxes[at] for at in kept),
        masks=tuple(source.masks[at] for at in kept),
        sizes_hw=tuple(source.sizes_hw[at] for at in kept),
    )


def _places(annotations: Annotations) -> dict[int, _Place]:
    """Photo and box of each row, by row id."""
    columns = annotations.table[["row_id", "file_sha256", *_BOX_COLUMNS]].astype(object)
    rows = columns.where(columns.notna(), None).itertuples(index=False, name=None)
    return {row_id: tuple(place) for row_id, *place in rows}


def _name(annotations: Annotations, mask: Mask) -> str:
    table = annotations.table
    return str(table.loc[table["row_id"] == mask.row_id, "path"].iloc[0])
