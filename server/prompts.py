"""Masks and prompts as the editor writes them in JSON."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from cfr_core.errors import InputError
from cfr_core.masks import rle
from cfr_core.masks.coco import from_rle, rle_size_hw
from cfr_core.segmenters.segmenter import Prompts
from cfr_core.types import BoolArray, Mask, MaskStatus

_MAX_POINTS = 1000
_MAX_TEXT = 2000
_MAX_NOTES = 200_000


def size_of(asked: Mapping[str, Any]) -> tuple[int, int]:
    """(height, width) in pixels, stated as "size_hw".

    Raises:
        MaskError: if it is not there or makes no sense.
    """
    return rle_size_hw({"size": asked.get("size_hw")})


def mask_of(asked: Mapping[str, Any], key: str = "counts") -> BoolArray:
    """(H, W) bool from plain run lengths under a key, of the size stated as "size_hw".

    Raises:
        MaskError: if they do not fill that size.
    """
    return from_rle({"size": list(size_of(asked)), "counts": asked.get(key)})


def drawn_mask(row_id: int, asked: Mapping[str, Any]) -> Mask:
    """A mask that a person has made of a row.

    Args:
        row_id: The row.
        asked: "counts" and "size_hw" as of `mask_of`, "status", and "reason", "author", "score"
            and "prompts" where they are known.

    Raises:
        InputError: if one of them is malformed.
    """
    return Mask(
        row_id=row_id,
        size_hw=size_of(asked),
        counts=rle.encode(mask_of(asked)),
        source="human",
        status=_status(asked.get("status")),
        score=number(asked, "score"),
        prompts=text(asked, "prompts", _MAX_NOTES),
        author=text(asked, "author"),
        reason=text(asked, "reason"),
    )


def prompts_of(asked: Mapping[str, Any]) -> Prompts:
    """What an engine is asked.

    Args:
        asked: "points" as pairs x, y and "labels" as truth values; "box" as left, top, right,
            bottom, or absent; "prior" as run lengths, or absent.

    Raises:
        InputError: if one of them is malformed; whether they fit the crop is checked by engines.
    """
    points, labels = asked.get("points", []), asked.get("labels", [])
    if not isinstance(points, list) or not isinstance(labels, list) or len(points) > _MAX_POINTS:
        raise InputError(f"points and labels must be lists of at most {_MAX_POINTS}")
    if not all(isinstance(label, bool) for label in labels):
        raise InputError("labels must be true or false")
    pairs = np.array([_numbers(point, 2) for point in points], np.float32).reshape(-1, 2)
    box = asked.get("box")
    left, top, right, bottom = _numbers(box, 4) if box is not None else (0.0, 0.0, 0.0, 0.0)
    return Prompts(
        points_xy=pairs,
        is_animal=np.array(labels, np.bool_),
        box_xyxy=None if box is None else (left, top, right, bottom),
        text=text(asked, "text", 200),
        prior=None if asked.get("prior") is None else mask_of(asked, "prior"),
    )


def text(asked: Mapping[str, Any], key: str, longest: int = _MAX_TEXT) -> str:
    """A text, "" where it is absent.

    Raises:
        InputError: if it is no text or too long.
    """
    value = asked.get(key, "")
    if not isinstance(value, str) or len(value) > longest:
        raise InputError(f"{key} must be a text of at most {longest:,} characters")
    return value


def number(asked: Mapping[str, Any], key: str) -> float | None:
    """A finite number, None where it is absent.

    Raises:
        InputError: if it is something else.
    """
    return None if asked.get(key) is None else _numbers([asked[key]], 1)[0]


def whole_number(asked: Mapping[str, Any], key: str) -> int:
    """A whole number, 0 or more.

    Raises:
        InputError: if it is something else.
    """
    value = asked.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 62:
        raise InputError(f"{key} must be a whole number, got {str(value)[:40]!r}")
    return value


def _status(value: object) -> MaskStatus:
    try:
        return MaskStatus(str(value))
    except ValueError:
        raise InputError(
            f"status must be one of {', '.join(MaskStatus)}, got {str(value)[:40]!r}"
        ) from None


def _numbers(value: object, n: int) -> list[float]:
    if isinstance(value, list) and len(value) == n:
        numbers = [v for v in value if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) == n and all(math.isfinite(v) and abs(v) < 1e9 for v in numbers):
            return [float(v) for v in numbers]
    raise InputError(f"expected {n} numbers, got {str(value)[:60]}")
