"""Run-length coding of masks in the COCO format, which every annotation tool reads.

COCO counts runs down the columns (Fortran order), starting with a run of zeros.
"""

from typing import cast

import numpy as np
from pycocotools import mask as coco

from cfr_core.errors import MaskError
from cfr_core.types import BoolArray, Mask


def encode(pixels: BoolArray) -> str:
    """Compressed COCO counts of a mask.

    Args:
        pixels: (H, W) bool, True on the animal.

    Raises:
        MaskError: if the array is not two-dimensional or has no pixels.
    """
    if pixels.ndim != 2 or pixels.size == 0:
        raise MaskError(f"a mask must be (height, width) with pixels, got shape {pixels.shape}")
    encoded = coco.encode(np.asfortranarray(pixels, dtype=np.uint8))
    return cast("bytes", encoded["counts"]).decode("ascii")


def decode(mask: Mask) -> BoolArray:
    """(H, W) bool, True on the animal.

    Raises:
        MaskError: if the counts do not fill the stated size exactly.
    """
    return decode_counts(mask.counts, mask.size_hw)


def decode_counts(counts: str, size_hw: tuple[int, int]) -> BoolArray:
    """(H, W) bool from compressed COCO counts.

    Raises:
        MaskError: if the counts do not fill the size exactly. (pycocotools returns garbage then.)
    """
    height, width = size_hw
    runs = _filling_runs(counts, size_hw)
    is_animal = np.arange(len(runs)) % 2 == 1
    return np.repeat(is_animal, runs).reshape(width, height).T


def run_lengths(pixels: BoolArray) -> list[int]:
    """Plain COCO counts of a mask, which begin with a run of zeros: what programs can read easily.

    Args:
        pixels: (H, W) bool, True on the animal.
    """
    columns = pixels.T.ravel()
    turns = np.flatnonzero(columns[1:] != columns[:-1]) + 1
    ends = [0] if columns.size and columns[0] else []
    runs: list[int] = np.diff([0, *ends, *turns.tolist(), columns.size]).tolist()
    return runs


def area_px(mask: Mask) -> int:
    """Number of pixels on the animal.

    Raises:
        MaskError: if the counts do not fill the stated size exactly.
    """
    return sum(_filling_runs(mask.counts, mask.size_hw)[1::2])


def _filling_runs(counts: str, size_hw: tuple[int, int]) -> list[int]:
    runs = _runs(counts)
    height, width = size_hw
    if min(runs, default=0) < 0 or sum(runs) != height * width:
        raise MaskError(
            f"run lengths cover {sum(runs)} pixels, but the mask is {width} x {height} px "
            f"= {height * width}"
        )
    return runs


def _runs(counts: str) -> list[int]:
    """Plain run lengths from compressed ones (pycocotools maskApi.c, rleFrString).

    A number is 5-bit groups, low first, with its sign in the last; from the fourth number on it
    is the difference to the run of the same kind before it.
    """
    runs: list[int] = []
    value, shift = 0, 0
    for char in counts:
        group = ord(char) - 48
        if not 0 <= group < 64:
            raise MaskError(f"compressed run lengths hold the character {char!r}")
        value |= (group & 0x1F) << shift
        shift += 5
        if group & 0x20:
            continue
        if group & 0x10:
            value -= 1 << shift
        runs.append(value + runs[-2] if len(runs) > 2 else value)
        value, shift = 0, 0
    if shift:
        raise MaskError("compressed run lengths end in the middle of a number")
    return runs
