"""Run-length coding of masks in the COCO format, which every annotation tool reads.

COCO counts runs down the columns (Fortran order), starting with a run of zeros.
"""

from typing import cast

import numpy as np
from pycocotools import mask as coco

from cfr_core.errors import MaskError
from cfr_core.types import BoolArray, IntArray, Mask

_FIRST_CHARACTER = 48
_N_CHARACTERS = 64
_N_BITS = 5
_BITS = 0x1F
_IS_NEGATIVE = 0x10
_GOES_ON = 0x20
_MOST_GROUPS = 8
"""Of a number: 40 bits, with which sums of them stay below 64."""


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
    return int(_filling_runs(mask.counts, mask.size_hw)[1::2].sum())


def _filling_runs(counts: str, size_hw: tuple[int, int]) -> IntArray:
    runs = _runs(counts)
    height, width = size_hw
    if runs.min(initial=0) < 0 or runs.sum() != height * width:
        raise MaskError(
            f"run lengths cover {runs.sum()} pixels, but the mask is {width} x {height} px "
            f"= {height * width}"
        )
    return runs


def _runs(counts: str) -> IntArray:
    """(R,) int64 plain run lengths from compressed ones (pycocotools maskApi.c, rleFrString).

    A number is 5-bit groups, low first, with its sign in the last; from the fourth number on it
    is the difference to the run of the same kind before it.
    """
    groups = (
        np.frombuffer(counts.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
        - _FIRST_CHARACTER
    )
    strange = (groups < 0) | (groups >= _N_CHARACTERS)
    if strange.any():
        raise MaskError(f"compressed run lengths hold the character {counts[strange.argmax()]!r}")
    if len(groups) and groups[-1] & _GOES_ON:
        raise MaskError("compressed run lengths end in the middle of a number")
    ends = np.flatnonzero((groups & _GOES_ON) == 0)
    n_groups = np.diff(ends, prepend=-1)
    if n_groups.max(initial=0) > _MOST_GROUPS:
        raise MaskError("compressed run lengths hold a number that no picture is large enough for")
    starts = ends - n_groups + 1
    place = np.arange(len(groups)) - np.repeat(starts, n_groups)
    values = (groups & _BITS) << (_N_BITS * place)
    runs: IntArray = np.add.reduceat(values, starts) if len(starts) else values
    runs -= ((groups[ends] & _IS_NEGATIVE) != 0).astype(np.int64) << (_N_BITS * n_groups)
    for first in (1, 2):
        runs[first::2] = np.cumsum(runs[first::2])
    return runs
