"""Clean-up of a mask: loose specks dropped, small holes filled, the edge smoothed."""

from dataclasses import dataclass

import cv2
import numpy as np

from cfr_core.errors import InputError
from cfr_core.masks.measures import bounding_box, holes, parts
from cfr_core.types import BoolArray

_LARGEST_SMOOTHING = 0.1
"""A blur of a tenth of the animal's size takes its legs off."""


@dataclass(frozen=True)
class CleanUp:
    """How much is cleaned up, in shares of the animal, so that it means the same at any size.

    Attributes:
        island_share: Parts smaller than this share of the largest part are dropped, 0 to 1.
        hole_share: Holes smaller than this share of the mask with all its holes filled are filled,
            0 to 1.
        smoothing: Width of the edge's blur, a share of the square root of the mask's area, 0 to
            0.1. Legs and tails narrower than 1.35 times the blur vanish.
    """

    island_share: float = 0.01
    hole_share: float = 0.01
    smoothing: float = 0.01

    def __post_init__(self) -> None:
        limits = {"island_share": 1.0, "hole_share": 1.0, "smoothing": _LARGEST_SMOOTHING}
        for name, most in limits.items():
            value = getattr(self, name)
            if not 0 <= value <= most:
                raise InputError(f"{name} must be from 0 to {most:g}, got {value}")


@dataclass(frozen=True)
class CleanedMask:
    """A cleaned mask and what was done to it.

    Attributes:
        pixels: (H, W) bool, True on the animal.
        n_islands: Parts that were dropped.
        n_holes: Holes that were filled.
        added_px: Pixels that came to the animal.
        removed_px: Pixels that left it.
    """

    pixels: BoolArray
    n_islands: int
    n_holes: int
    added_px: int
    removed_px: int

    @property
    def words(self) -> str:
        """What was done, with its numbers, for people."""
        if not self.added_px and not self.removed_px:
            return "Nothing to clean up."
        islands = "1 loose part" if self.n_islands == 1 else f"{self.n_islands} loose parts"
        filled = "1 hole" if self.n_holes == 1 else f"{self.n_holes} holes"
        return (
            f"{islands} dropped, {filled} filled: {self.added_px} px added and "
            f"{self.removed_px} px removed in all."
        )


def clean_up(pixels: BoolArray, amount: CleanUp) -> CleanedMask:
    """Fill small holes, drop small parts, smooth the edge.

    Without smoothing, to clean up twice is the same as once. A mask that has pixels keeps some:
    where smoothing would leave none, it is left out.

    Args:
        pixels: (H, W) bool; not changed.
        amount: How much.
    """
    out = np.zeros(pixels.shape, np.bool_)
    box_xywh = bounding_box(pixels)
    if box_xywh is None:
        return CleanedMask(out, 0, 0, 0, 0)
    # All that changes lies within the box: half of a blur never reaches past the convex hull.
    x, y, w, h = box_xywh
    body = np.ascontiguousarray(pixels[y : y + h, x : x + w])
    tidy, n_islands, n_holes = _tidied(body, amount)
    smooth = _smoothed(tidy, amount.smoothing, at_border=_sides_at_border(pixels, box_xywh))
    if amount.smoothing and smooth.any():
        # A neck that was smoothed away leaves a part, and a bay that closed leaves a hole.
        tidy, more_islands, more_holes = _tidied(smooth, amount)
        n_islands, n_holes = n_islands + more_islands, n_holes + more_holes
    out[y : y + h, x : x + w] = tidy
    return CleanedMask(
        out,
        n_islands,
        n_holes,
        added_px=int(np.count_nonzero(tidy & ~body)),
        removed_px=int(np.count_nonzero(body & ~tidy)),
    )


def _tidied(pixels: BoolArray, amount: CleanUp) -> tuple[BoolArray, int, int]:
    """Small holes filled, then small parts dropped; numbers of parts and holes."""
    hole_of, hole_px = holes(pixels)
    whole_px = np.count_nonzero(pixels) + hole_px.sum()
    is_filled = np.append(False, hole_px < amount.hole_share * whole_px)
    filled = pixels | is_filled[hole_of]
    part_of, part_px = parts(filled)
    is_kept = np.append(False, part_px >= amount.island_share * part_px.max())
    return is_kept[part_of], int((~is_kept[1:]).sum()), int(is_filled.sum())


def _sides_at_border(
    pixels: BoolArray, box_xywh: tuple[int, int, int, int]
) -> tuple[bool, bool, bool, bool]:
    """Whether top, bottom, left and right of a mask's box are at the picture's border."""
    x, y, w, h = box_xywh
    height, width = pixels.shape
    return y == 0, y + h == height, x == 0, x + w == width


def _smoothed(
    pixels: BoolArray, smoothing: float, *, at_border: tuple[bool, bool, bool, bool]
) -> BoolArray:
    """The mask blurred and cut at a half; at the picture's border it goes on as it ends there."""
    sigma = smoothing * float(np.sqrt(np.count_nonzero(pixels)))
    if not sigma:
        return pixels
    room = int(np.ceil(4 * sigma))
    grey = pixels.astype(np.float32)
    for axis, sides in ((0, at_border[:2]), (1, at_border[2:])):
        for side, is_border in enumerate(sides):
            widths = [(0, 0), (0, 0)]
            widths[axis] = (0, room) if side else (room, 0)
            grey = np.pad(grey, widths, mode="edge" if is_border else "constant")
    blurred = cv2.GaussianBlur(grey, (0, 0), sigma)
    height, width = pixels.shape
    return np.asarray(blurred[room : room + height, room : room + width] >= 0.5)
