"""Whole columns of dates, sizes, boxes and masks; what cannot be read is listed row by row."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from cfr_core.datasets.cells import (
    UNREADABLE_BOX,
    Box,
    box_from_cell,
    box_from_numbers,
    mask_from_cell,
    size_from_values,
)
from cfr_core.datasets.columns import BOX_XYWH, BOX_XYXY, IMAGE_SIZE, name_key
from cfr_core.datasets.dates import DateColumn, parse_dates
from cfr_core.datasets.raw import RawTable, RowNames
from cfr_core.datasets.records import Finding, MaskReference
from cfr_core.errors import InputError

Roles: TypeAlias = Mapping[str, str]
"""Role -> column of the table."""
Size: TypeAlias = tuple[int, int] | None

_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2})?( ?[AaPp][Mm])?")
_ONE_DAY = np.timedelta64(1, "D")


def texts(table: RawTable, column: str) -> list[str | None]:
    """Cells of a column, None where empty."""
    cells = table.cells[column]
    return list(cells.astype(object).where(cells.notna(), None))


def read_dates(
    table: RawTable, roles: Roles, names: RowNames
) -> tuple[DateColumn | None, list[Finding]]:
    """The date of each row; None if no column has dates."""
    if "captured_at" not in roles:
        return None, []
    column = roles["captured_at"]
    cells, clock_notes = _with_clock(table, roles, texts(table, column))
    dates = parse_dates(cells)
    findings = [
        table.note("dates", f'dates of "{column}": {remark}', "If it is not so, write 2019-07-14.")
        for remark in dates.remarks
    ]
    findings += [
        names.note(
            at,
            "unreadable date",
            f'the date "{cells[at]}" {problem}; the row is used without a date',
            "Write it as 2019-07-14 or 2019-07-14T08:30:00.",
        )
        for at, problem in dates.problems.items()
    ]
    return dates, clock_notes + findings


def read_sizes(table: RawTable, roles: Roles) -> tuple[tuple[Size, ...], list[Finding]]:
    """The (height, width) that each row states for its image, or None."""
    if not set(IMAGE_SIZE) <= set(roles):
        return (None,) * len(table.cells), []
    widths, heights = (texts(table, roles[role]) for role in IMAGE_SIZE)
    sizes = tuple(size_from_values(w, h) for w, h in zip(widths, heights, strict=True))
    stated = [w is not None or h is not None for w, h in zip(widths, heights, strict=True)]
    n_bad = sum(size is None and said for size, said in zip(sizes, stated, strict=True))
    if not n_bad:
        return sizes, []
    message = f"{n_bad} rows state an image size that is not two positive whole numbers: not used"
    return sizes, [table.note("unreadable size", message)]


def read_boxes(
    table: RawTable, roles: Roles, names: RowNames
) -> tuple[tuple[Box | None, ...], list[Finding]]:
    """The box of each row; None where there is none, NaN where it cannot be read."""
    read, columns = _box_reader(roles)
    if not columns:
        return (None,) * len(table.cells), []
    boxes: list[Box | None] = []
    findings = []
    for at, cells in enumerate(zip(*(texts(table, name) for name in columns), strict=True)):
        try:
            boxes.append(read([text or "" for text in cells]) if any(cells) else None)
        except InputError as error:
            boxes.append(UNREADABLE_BOX)
            findings.append(_bad_box(names, at, f"{error} (box: {_join(cells)})"))
    if _are_relative(boxes):
        message = "the box is a share of the image (0 to 1); pixels are needed"
        relative = [at for at, box in enumerate(boxes) if box not in (None, UNREADABLE_BOX)]
        findings += [_bad_box(names, at, message) for at in relative]
        return tuple(box and UNREADABLE_BOX for box in boxes), findings
    n_whole = sum(box is None for box in boxes)
    if 0 < n_whole < len(boxes):
        message = f"{n_whole} of {len(boxes)} rows have no box: the whole image is their crop"
        findings.append(table.note("no box", message))
    return tuple(boxes), findings


def read_masks(
    table: RawTable, column: str, sizes: Sequence[Size], names: RowNames
) -> tuple[tuple[MaskReference | None, ...], list[Finding]]:
    """The mask reference of each row, or None."""
    masks: list[MaskReference | None] = []
    findings = []
    for at, text in enumerate(texts(table, column)):
        try:
            has_mask = text is not None and text.strip("[] ")
            masks.append(mask_from_cell(text, sizes[at]) if text and has_mask else None)
        except InputError as error:
            masks.append(None)
            findings.append(
                names.no_mask(
                    at,
                    "unreadable mask",
                    f"the mask cannot be read: {error}",
                    "Give COCO run lengths or polygons as JSON, or the path of a mask file.",
                )
            )
    return tuple(masks), findings


def _with_clock(
    table: RawTable, roles: Roles, dates: list[str | None]
) -> tuple[list[str | None], list[Finding]]:
    """Dates joined with a separate column of clock times, where the dates have none."""
    column = next((name for name in table.cells.columns if name_key(name) == "time"), None)
    if column is None or column in roles.values():
        return dates, []
    times = texts(table, column)
    moments = parse_dates(dates).captured_at
    moments = moments[~np.isnat(moments)]
    has_clock = (moments.astype("datetime64[D]") != moments).any()
    if has_clock or not all(text is None or _CLOCK.fullmatch(text.strip()) for text in times):
        return dates, []
    message = f'the time of day is taken from "{column}"'
    joined = [
        f"{day.strip()} {clock.strip()}" if day and clock else day
        for day, clock in zip(dates, times, strict=True)
    ]
    return joined, [table.note("dates", message)]


def _box_reader(roles: Roles) -> tuple[Callable[[Sequence[str]], Box], tuple[str, ...]]:
    """How a row's box is read, and from which columns."""
    if "bbox" in roles:
        return lambda cells: box_from_cell(cells[0]), (roles["bbox"],)
    if "bbox_xyxy" in roles:
        return lambda cells: box_from_cell(cells[0], corners=True), (roles["bbox_xyxy"],)
    if set(BOX_XYWH) <= set(roles):
        return box_from_numbers, tuple(roles[role] for role in BOX_XYWH)
    if set(BOX_XYXY) <= set(roles):
        columns = tuple(roles[role] for role in BOX_XYXY)
        return lambda cells: box_from_numbers(cells, corners=True), columns
    return box_from_numbers, ()


def _are_relative(boxes: Sequence[Box | None]) -> bool:
    """True if all boxes lie within 0 to 1 and are no pixels."""
    numbers = np.array([box for box in boxes if box], dtype=float).ravel()
    numbers = numbers[~np.isnan(numbers)]
    return bool(len(numbers) and (numbers <= 1).all() and (numbers % 1 != 0).any())


def _bad_box(names: RowNames, at: int, message: str) -> Finding:
    action = "Give the box in pixels of the upright image: left, top, width, height."
    return names.set_aside(at, "unreadable box", message, action)


def _join(cells: Sequence[str | None]) -> str:
    return ", ".join(text or "empty" for text in cells)
