"""Masks from COCO annotations: polygons, and run lengths compressed or not.

COCO counts runs down the columns: a mask of 2 x 3 pixels with counts [1, 2, 3] is off at (row 0,
column 0), on at (1, 0) and (0, 1), off in the rest.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from pycocotools import mask as coco

from cfr_core.errors import MaskError
from cfr_core.masks.rle import decode_counts
from cfr_core.types import BoolArray

MAX_MASK_PX = 1 << 28
"""Largest mask that is decoded; a few bytes of run lengths can claim any size."""

_MARGIN = 8
"""A corner of a polygon may lie outside the image by this many times the image's longer side."""


def rle_size_hw(rle: Mapping[str, object]) -> tuple[int, int]:
    """Size that run lengths state, (height, width) in pixels.

    Raises:
        MaskError: if "size" is absent, not two positive whole numbers, or too large to decode.
    """
    size = rle.get("size")
    if not isinstance(size, list | tuple) or len(size) != 2:
        raise MaskError(f'run lengths need "size": [height, width], got {size!r}')
    if not all(isinstance(side, int | np.integer) and side > 0 for side in size):
        raise MaskError(f'run lengths need "size" in whole pixels above 0, got {size!r}')
    height, width = map(int, size)
    if height * width > MAX_MASK_PX:
        raise MaskError(f"run lengths claim {width} x {height} px, more than {MAX_MASK_PX} in all")
    return height, width


def from_rle(rle: Mapping[str, object]) -> BoolArray:
    """Decode COCO run lengths.

    Args:
        rle: {"size": [height, width], "counts": ...}; the counts are a list of run lengths, or
            their compressed form as ASCII text or bytes.

    Returns:
        (H, W) bool, True on the animal; holes and separate parts are kept.

    Raises:
        MaskError: if the runs do not fill the size exactly or are malformed.
    """
    height, width = rle_size_hw(rle)
    counts = rle.get("counts")
    if isinstance(counts, bytes):
        counts = counts.decode("latin-1")
    if isinstance(counts, str):
        return decode_counts(counts, (height, width))
    runs = _plain_runs(counts)
    if runs.sum() != height * width:
        raise MaskError(
            f"run lengths cover {runs.sum()} pixels, but the mask is {width} x {height} px "
            f"= {height * width}"
        )
    values = np.arange(len(runs)) % 2 == 1
    return np.repeat(values, runs).reshape((height, width), order="F")


def from_polygons(polygons: object, size_hw: tuple[int, int]) -> BoolArray:
    """Draw polygons as COCO does; several parts are one animal, their union.

    Args:
        polygons: List of parts, each a flat list x1, y1, x2, y2, ... in pixels of the picture. A
            part of fewer than three corners covers nothing.
        size_hw: Size of the picture, (height, width) in pixels.

    Returns:
        (H, W) bool, True on the animal.

    Raises:
        MaskError: if a part is no list of finite pairs, or lies far outside the picture.
    """
    if not isinstance(polygons, list | tuple) or not polygons:
        raise MaskError(f"polygons must be a list of parts, got {_short(polygons)}")
    height, width = size_hw
    if height * width > MAX_MASK_PX:
        raise MaskError(f"polygons on {width} x {height} px, more than {MAX_MASK_PX} px in all")
    parts = [_corners(part, number, size_hw) for number, part in enumerate(polygons, start=1)]
    # Three corners are six numbers; pycocotools would read a part of four numbers as a box.
    areas = [part.tolist() for part in parts if len(part) >= 6]
    if not areas:
        return np.zeros(size_hw, bool)
    merged = coco.merge(coco.frPyObjects(areas, height, width))
    return decode_counts(merged["counts"].decode("ascii"), size_hw)


def _plain_runs(counts: object) -> npt.NDArray[np.int64]:
    if not isinstance(counts, list | tuple) or not counts:
        raise MaskError(f'run lengths need "counts" as a list or text, got {_short(counts)}')
    if not all(isinstance(run, int | np.integer) and 0 <= run <= MAX_MASK_PX for run in counts):
        raise MaskError("run lengths must be whole numbers, 0 or more")
    return np.array(counts, np.int64)


def _corners(part: object, number: int, size_hw: tuple[int, int]) -> npt.NDArray[np.float64]:
    """(2 n,) float64, x and y in turn."""
    try:
        corners = np.asarray(part, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise MaskError(f"part {number} of the polygon holds {_short(part)}") from None
    if corners.ndim != 1 or len(corners) % 2 or not np.isfinite(corners).all():
        raise MaskError(
            f"part {number} of the polygon must be a flat list x1, y1, x2, y2, ... of finite "
            f"numbers, got {_short(part)}"
        )
    # pycocotools walks along every edge, so one wild corner would cost gigabytes.
    if np.abs(corners).max(initial=0) > (_MARGIN + 1) * max(size_hw):
        raise MaskError(f"part {number} of the polygon lies far outside the picture")
    return corners


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
