"""In which pixels a dataset draws its boxes and masks: those of the upright or the stored picture.

A camera may store a photo lying on its side and say so in EXIF. Most tools turn it before anybody
draws on it, some do not. Sizes tell the two apart where width and height are exchanged (EXIF
orientation 5 to 8); a dataset is read in one way, so those photos decide for mirrored and
upside-down ones (2 to 4) as well.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cfr_core.datasets.records import Finding, Severity
from cfr_core.datasets.rows import OpenedRow
from cfr_core.errors import ImageError
from cfr_core.masks.files import mask_file_size_hw
from cfr_core.masks.fit import same_aspect

_SLACK_PX = 2
"""A box may reach this far past the edge without being evidence of anything."""


@dataclass(frozen=True)
class Frames:
    """Rows whose coordinates refer to the stored picture, before its EXIF orientation.

    Attributes:
        annotations: Positions of rows whose box, polygons or run lengths do.
        mask_files: Positions of rows whose mask file does.
        findings: What was decided, and by which evidence.
    """

    annotations: frozenset[int]
    mask_files: frozenset[int]
    findings: tuple[Finding, ...]


def decide_frames(rows: Iterable[OpenedRow], *, source: str) -> Frames:
    """Decide for every row by its own evidence, or else as most rows of the dataset.

    Evidence on boxes, polygons and run lengths are the sizes that go with them; only where there
    are none, the mask files, and last the boxes that fit one picture alone. Evidence on mask files
    are their own sizes, else what holds for the rest. Without any, all is upright.

    Args:
        rows: The rows; those without an EXIF orientation do not count.
        source: What findings call the source.
    """
    turned = [row for row in rows if row.image.exif_orientation != 1]
    by_size = {row.at: _by_size(_annotation_hw(row), row) for row in turned}
    by_file = {row.at: _by_size(_file_hw(row), row) for row in turned if row.mask_path}
    by_box = {row.at: _by_box(row) for row in turned}
    evidence = next((known for known in (by_size, by_file, by_box) if _any(known)), by_size)
    annotations = _stored(turned, evidence)
    files = _stored(turned, by_file) if _any(by_file) else annotations
    findings = []
    if any(row.box or _is_drawn(row) for row in turned):
        findings.append(_finding(source, "boxes, polygons and run lengths", evidence))
    if by_file:
        of_files = by_file if _any(by_file) else evidence
        findings.append(_finding(source, "mask files", of_files))
    if turned and not findings:
        findings.append(_turned(source, len(turned)))
    return Frames(annotations, files, tuple(findings))


def _is_drawn(row: OpenedRow) -> bool:
    return row.mask is not None and row.mask.kind != "file"


def _annotation_hw(row: OpenedRow) -> tuple[int, int] | None:
    if row.stated_hw is None and row.mask is not None and _is_drawn(row):
        return row.mask.size_hw
    return row.stated_hw


def _file_hw(row: OpenedRow) -> tuple[int, int] | None:
    try:
        return mask_file_size_hw(row.mask_path) if row.mask_path else None
    except ImageError:
        return None  # reported where the mask is read


def _by_size(size_hw: tuple[int, int] | None, row: OpenedRow) -> bool | None:
    """True if a size fits the stored picture alone, False if the upright one alone."""
    upright, stored = row.image.image_hw, row.image.stored_hw
    if size_hw is None or upright == stored:
        return None
    if size_hw in (upright, stored):
        return size_hw == stored
    fits = [same_aspect(size_hw, picture) for picture in (upright, stored)]
    return None if fits[0] == fits[1] else fits[1]


def _by_box(row: OpenedRow) -> bool | None:
    if row.box is None:
        return None
    x, y, w, h = row.box
    fits = [
        min(x, y) >= -_SLACK_PX and x + w <= width + _SLACK_PX and y + h <= height + _SLACK_PX
        for height, width in (row.image.image_hw, row.image.stored_hw)
    ]
    return None if fits[0] == fits[1] else fits[1]


def _any(evidence: Mapping[int, bool | None]) -> bool:
    return any(value is not None for value in evidence.values())


def _stored(turned: Sequence[OpenedRow], evidence: Mapping[int, bool | None]) -> frozenset[int]:
    values = list(evidence.values())
    most = values.count(True) > values.count(False)
    by_row = {row.at: evidence.get(row.at) for row in turned}
    return frozenset(at for at, value in by_row.items() if (most if value is None else value))


def _turned(source: str, n_turned: int) -> Finding:
    message = f"{n_turned} rows have photos that EXIF turns: they are turned upright"
    action = "Nothing, if they stand upright in the gallery."
    return Finding(Severity.NOTE, "EXIF orientation", source, None, message, action)


def _finding(source: str, what: str, evidence: Mapping[int, bool | None]) -> Finding:
    values = list(evidence.values())
    n_stored, n_upright = values.count(True), values.count(False)
    side = "as stored" if n_stored > n_upright else "upright"
    if n_stored and n_upright:
        proof = f"{n_stored} fit it only as stored, {n_upright} only upright; the rest follow most"
    elif n_stored or n_upright:
        proof = f"{n_stored or n_upright} fit only that"
    else:
        proof = "nothing tells, so the usual way is taken"
    return Finding(
        Severity.NOTE,
        "EXIF orientation",
        source,
        None,
        f"{len(values)} rows have photos that EXIF turns; their {what} are read as drawn on the "
        f"picture {side} ({proof}), and all are turned upright",
        "Look at a few of these rows. If a box is off, state each photo's width and height.",
    )
