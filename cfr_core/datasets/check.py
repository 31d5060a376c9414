"""From a source as parsed to a checked dataset: every file decoded, every row used or reported."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from cfr_core.datasets.boxes import Crop, crop_of
from cfr_core.datasets.checked_table import checked_table, with_exif_dates
from cfr_core.datasets.crop_masks import CropMask, crop_mask
from cfr_core.datasets.file_finder import FileFinder
from cfr_core.datasets.found import find_images, find_masks, has_mask_file
from cfr_core.datasets.frames import Frames, decide_frames
from cfr_core.datasets.notes import row_notes
from cfr_core.datasets.opened import ImageFacts, open_images
from cfr_core.datasets.published import dataset_card
from cfr_core.datasets.raw import RowNames
from cfr_core.datasets.records import (
    UNKNOWN_IDENTITIES,
    Annotations,
    Finding,
    ImportReport,
    ImportResult,
    Severity,
    SourceTable,
)
from cfr_core.datasets.rows import OpenedRow, RowError
from cfr_core.datasets.statements import dataset_statements, reading_notes
from cfr_core.datasets.threads import map_in_threads
from cfr_core.errors import ImageError
from cfr_core.types import Mask, MaskStatus, OnProgress, SilhouetteRole, no_progress

_ACTIONS = {
    "empty file": "Copy the file again from where it came.",
    "web page": "Download the image itself, not the page that shows it.",
    "damaged image": "Copy the file again from where it came.",
    "not an image": "Save it as JPEG, PNG or TIFF.",
    "too large": "Save a smaller copy, below 179 megapixels.",
    "unreadable file": "Check that you may read it.",
}


def check(
    source: SourceTable,
    *,
    name: str,
    role: SilhouetteRole | None = None,
    unknown_identities: Sequence[str] = UNKNOWN_IDENTITIES,
    on_progress: OnProgress = no_progress,
) -> ImportResult:
    """Open every image and mask of a source, and keep the rows that can be used.

    No row is left out or changed without a finding, and none stops the others. Masks that come
    with the dataset are accepted.

    Args:
        source: The source as parsed.
        name: Name of the dataset.
        role: Whether the outline counts as a biometric; default: the published role, else
            ambiguous.
        unknown_identities: Names that stand for "nobody knows", compared as typed.
        on_progress: Called after every image and every mask.

    Returns:
        The checked dataset, its row ids counted from 0; it may be without rows.
    """
    names = RowNames(
        tuple(source.table["path"].fillna("")), source.table["source_row"].to_numpy(dtype="int64")
    )
    rows, findings = _opened_rows(source, names, on_progress)
    frames = decide_frames(rows, source=name)
    crops, crop_findings = _crops(rows, frames, names)
    rows = [row for row in rows if row.at in crops]
    masks, mask_findings = _masks(rows, crops, frames, names, on_progress)
    images = [row.image for row in rows]
    bare_table = checked_table(source, rows, crops, unknown_identities)
    table = with_exif_dates(bare_table, images)
    card = dataset_card(name, source.root, role=role, unknown_identities=unknown_identities)
    annotations = Annotations(table)
    every_finding = (
        *dataset_statements(card, annotations, n_masks=len(masks), had_dates=table is bare_table),
        *(*source.findings, *findings, *frames.findings, *crop_findings, *mask_findings),
        *reading_notes(rows, crops, frames, names, source=name),
        *row_notes(annotations, images, unknown_identities, source=name),
    )
    report = ImportReport(len(source.table), len(rows), len(masks), every_finding)
    return ImportResult(card, annotations, masks, report)


def _opened_rows(
    source: SourceTable, names: RowNames, on_progress: OnProgress
) -> tuple[list[OpenedRow], list[Finding]]:
    """Rows whose image was found and decoded."""
    finder = FileFinder(source.root)
    paths, findings = find_images(source, names, finder)
    opened = open_images(paths.values(), on_progress)
    images: dict[int, ImageFacts] = {}
    for at, path in paths.items():
        image = opened[path]
        if isinstance(image, ImageFacts):
            images[at] = image
        else:
            findings.append(_cannot_open(names, at, image))
    mask_paths, mask_findings = find_masks(source, names, finder, images)
    rows = [
        OpenedRow(
            at=at,
            image=image,
            box=source.boxes[at],
            stated_hw=source.sizes_hw[at],
            mask=None if has_mask_file(source, at) and at not in mask_paths else source.masks[at],
            mask_path=mask_paths.get(at),
        )
        for at, image in images.items()
    ]
    return rows, [*findings, *_conversions(images, names), *mask_findings]


def _cannot_open(names: RowNames, at: int, error: ImageError) -> Finding:
    action = _ACTIONS.get(error.reason, "Save it as JPEG or PNG.")
    return names.set_aside(at, error.reason, str(error), action)


def _conversions(images: Mapping[int, ImageFacts], names: RowNames) -> list[Finding]:
    """What decoding changed, once for every file."""
    first: dict[Path, int] = {}
    for at, image in images.items():
        first.setdefault(image.path, at)
    action = "Look at it, and save it anew if it is wrong."
    return [
        _changed(names, at, str(conversion), str(conversion), action)
        for at in first.values()
        for conversion in images[at].conversions
    ]


def _crops(
    rows: Sequence[OpenedRow], frames: Frames, names: RowNames
) -> tuple[dict[int, Crop], list[Finding]]:
    crops: dict[int, Crop] = {}
    findings = []
    for row in rows:
        try:
            crop = crop_of(row, is_stored=row.at in frames.annotations)
        except RowError as error:
            findings.append(names.set_aside(row.at, error.reason, error.message, error.action))
            continue
        crops[row.at] = crop
        findings += [
            _changed(names, row.at, reason, message, "Correct the box if the crop is not right.")
            for reason, message in crop.changes
        ]
    return crops, findings


def _masks(
    rows: Sequence[OpenedRow],
    crops: Mapping[int, Crop],
    frames: Frames,
    names: RowNames,
    on_progress: OnProgress,
) -> tuple[tuple[Mask, ...], list[Finding]]:
    """Masks of the rows that have one that fits; row ids are positions in `rows`."""

    def read(item: tuple[int, OpenedRow]) -> CropMask | RowError:
        row = item[1]
        stored = frames.mask_files if row.mask_path else frames.annotations
        try:
            return crop_mask(row, crops[row.at].bbox_xywh, is_stored=row.at in stored)
        except RowError as error:
            return error

    items = [(row_id, row) for row_id, row in enumerate(rows) if row.mask is not None]
    results = map_in_threads(
        read, items, stage="Reading masks", unit="masks", on_progress=on_progress
    )
    masks, findings = [], []
    for (row_id, row), result in zip(items, results, strict=True):
        findings += _mask_findings(names, row.at, result)
        if isinstance(result, CropMask):
            masks.append(
                Mask(row_id, result.size_hw, result.counts, "dataset", MaskStatus.ACCEPTED)
            )
    return tuple(masks), findings


def _mask_findings(names: RowNames, at: int, result: CropMask | RowError) -> list[Finding]:
    if isinstance(result, RowError):
        return [names.no_mask(at, result.reason, result.message, result.action)]
    findings = []
    if result.change:
        action = "Look at it in the mask editor."
        findings.append(_changed(names, at, "mask rescaled", result.change, action))
    if result.is_full:
        message = "the mask covers all of the crop: there is no background to test"
        action = "Check the mask, or give a wider box."
        findings.append(names.note(at, "mask covers everything", message, action))
    return findings


def _changed(names: RowNames, at: int, reason: str, message: str, action: str) -> Finding:
    row = int(names.source_rows[at])
    return Finding(Severity.CHANGED, reason, names.files[at], row, message, action)
