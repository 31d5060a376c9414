"""Boxes, masks and sizes as text cells or JSON values; nothing in a cell is ever evaluated."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from cfr_core.datasets.records import MaskReference
from cfr_core.errors import InputError
from cfr_core.masks.rle import decode_counts

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, width, height in pixels, as written."""

UNREADABLE_BOX: Box = (math.nan, math.nan, math.nan, math.nan)

_N_BOX = 4
_MIN_POLYGON = 6
_BRACKETS = "[](){} \t\r\n"
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,(\d{1,2}|\d{4,})")
# The alphabet of COCO's compressed counts: six bits from "0" on.
_COUNTS = re.compile(r"[0-o]+")
_STARTS_AND_LENGTHS = re.compile(r"\d+( \d+)+")
_PYTHON_BYTES = re.compile(r"(?<![\w'])b'")


def number(text: str) -> float:
    """A number as typed; "12,5" is 12.5, but "1,234" may be 1234 or 1.234 and is neither.

    Raises:
        InputError: if the text is no finite number.
    """
    text = text.strip()
    if _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise InputError(f'"{text}" is no number of pixels')
    return value


def box_from_cell(text: str, *, corners: bool = False) -> Box:
    """A box from one cell such as "[10, 20, 300, 200]" or "10 20 300 200".

    Args:
        text: Four numbers, separated by commas, semicolons or spaces.
        corners: True if they are left, top, right, bottom; else left, top, width, height.

    Raises:
        InputError: if there are not four numbers.
    """
    bare = text.strip(_BRACKETS)
    parts = bare.split(";") if ";" in bare else bare.split()
    # Commas separate the numbers unless spaces do already; then they are decimal commas.
    if len(parts) != _N_BOX or any(part.strip(",") != part for part in parts):
        parts = re.split("[,;]", bare)
    return box_from_numbers(parts, corners=corners)


def box_from_numbers(values: Sequence[Any], *, corners: bool = False) -> Box:
    """A box from four numbers or texts of numbers.

    Raises:
        InputError: if there are not four, or one is no finite number.
    """
    if len(values) != _N_BOX:
        raise InputError(f"a box has 4 numbers, not {len(values)}")
    left, top, third, fourth = (number(str(value)) for value in values)
    return (left, top, third - left, fourth - top) if corners else (left, top, third, fourth)


def mask_from_cell(text: str, size_hw: tuple[int, int] | None) -> MaskReference:
    """A mask reference from one cell: JSON polygons or run lengths, bare counts, or a file name.

    Args:
        text: The cell.
        size_hw: Image size that the row states, used for counts that come without a size.

    Raises:
        InputError: if the cell is JSON of another kind, or run lengths of unknown order or size.
    """
    text = text.strip()
    # Counts come first: "[" is one of their letters. JSON has commas or braces, a path has a dot or
    # a slash, and these are none.
    if _COUNTS.fullmatch(text):
        return _bare_counts(text, size_hw)
    if text[0] in "[{":
        return mask_from_value(_json(text), size_hw)
    if _STARTS_AND_LENGTHS.fullmatch(text):
        raise InputError(
            "pairs of start and length do not say whether they run by rows or columns: give COCO "
            "run lengths"
        )
    return MaskReference("file", text)


def mask_from_value(value: Any, size_hw: tuple[int, int] | None) -> MaskReference:  # noqa: ANN401
    """A mask reference from a COCO segmentation, or the path of a file.

    Raises:
        InputError: if it is neither polygons nor run lengths, or malformed.
    """
    if isinstance(value, dict):
        return _run_lengths(value, size_hw)
    if isinstance(value, list):
        parts = value if value and isinstance(value[0], list) else [value]
        # A list of points is one outline; the outlines of several parts are one list deeper.
        parts = [parts] if len(parts[0]) == len("xy") else parts
        return MaskReference("polygons", [_polygon(part) for part in parts], size_hw)
    if isinstance(value, str) and value.strip():
        return mask_from_cell(value, size_hw)
    raise InputError(f"a mask is polygons, run lengths or a file, not {type(value).__name__}")


def size_from_values(width: Any, height: Any) -> tuple[int, int] | None:  # noqa: ANN401
    """(height, width) in pixels, or None unless both are positive whole numbers."""
    try:
        size = (number(str(height)), number(str(width)))
    except InputError:
        return None
    if any(side <= 0 or not side.is_integer() for side in size):
        return None
    return int(size[0]), int(size[1])


def _json(text: str) -> Any:  # noqa: ANN401
    """JSON, or a Python dict of COCO run lengths as tables written from pandas have it.

    Counts hold no quotes, so that changing the quotes is all it takes to make the latter JSON.
    """
    candidates = [text] if '"' in text else [text, _PYTHON_BYTES.sub("'", text).replace("'", '"')]
    for candidate in candidates:
        try:
            return json.loads(candidate)
        except (json.JSONDecodeError, RecursionError):
            continue
    raise InputError(f"a cell that starts with {text[0]} must be JSON; this is not: {text[:60]}")


def _bare_counts(text: str, size_hw: tuple[int, int] | None) -> MaskReference:
    if size_hw is None:
        raise InputError(
            f'"{text[:20]}" is no file name; if these are run lengths, they need columns with the '
            "height and width of the image"
        )
    decode_counts(text, size_hw)
    return MaskReference("rle", {"size": list(size_hw), "counts": text}, size_hw)


def _run_lengths(value: dict[str, Any], size_hw: tuple[int, int] | None) -> MaskReference:
    counts, size = value.get("counts"), value.get("size") or size_hw
    if (
        not isinstance(size, (list, tuple))
        or len(size) != len("hw")
        or not all(map(_is_count, size))
    ):
        raise InputError(f'run lengths need "size": [height, width], not {size!r}')
    is_compressed = isinstance(counts, str) and _COUNTS.fullmatch(counts) is not None
    is_list = isinstance(counts, list) and bool(counts) and all(map(_is_count, counts))
    if not is_compressed and not is_list:
        raise InputError('run lengths need "counts": a COCO string or a list of whole numbers')
    if is_list and sum(counts or ()) != size[0] * size[1]:
        raise InputError(f"run lengths add up to {sum(counts or ())}, not to {size[0]} x {size[1]}")
    height, width = int(size[0]), int(size[1])
    return MaskReference("rle", {"size": [height, width], "counts": counts}, (height, width))


def _polygon(part: Any) -> list[float]:  # noqa: ANN401
    """One closed outline; four numbers would be taken for a box by COCO's own code."""
    if isinstance(part, list) and part and all(isinstance(point, list) for point in part):
        part = [value for point in part for value in point]
    if not isinstance(part, list) or len(part) < _MIN_POLYGON or len(part) % 2:
        raise InputError("a polygon is a list of at least 3 points: x, y, x, y, x, y")
    if not all(isinstance(v, (int, float)) and math.isfinite(v) for v in part):
        raise InputError("a polygon has a coordinate that is no number")
    return [float(value) for value in part]


def _is_count(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
