"""Boxes as written become crops: whole pixels of the upright image, inside it."""

import math
from dataclasses import dataclass

from cfr_core.datasets.cells import Box
from cfr_core.datasets.rows import OpenedRow, RowError
from cfr_core.masks.fit import BoxXywh, same_aspect, turn_box, upright_hw

_MAX_PX = 1e9
_ROUNDED_PX = 1e-6
_SIZE_ACTION = "Use the image that the source describes, or correct the size in the source."
_BOX_ACTION = "Correct the box: left, top, width, height in pixels of the image."


@dataclass(frozen=True)
class Crop:
    """The crop of a row.

    Attributes:
        bbox_xywh: Box in upright pixels, inside the image; None for the whole image.
        is_rounded: True if the box as written had fractions of pixels.
        changes: Reason and message of every change to the box beyond rounding and turning.
    """

    bbox_xywh: BoxXywh | None
    is_rounded: bool = False
    changes: tuple[tuple[str, str], ...] = ()


def crop_of(row: OpenedRow, *, is_stored: bool) -> Crop:
    """Turn a row's box upright, scale it where the source states another size, and clip it.

    A box that covers all of the image is the whole image.

    Args:
        row: The row.
        is_stored: True if its box is drawn on the stored picture.

    Raises:
        RowError: if the box has no pixel in the image, is unreadable, or is drawn on an image of
            another shape.
    """
    if row.box is None:
        return Crop(None)
    if not all(abs(side) <= _MAX_PX for side in row.box):
        raise RowError(
            "unreadable box", f"the box {_text(row.box)} is no box in pixels", _BOX_ACTION
        )
    if min(row.box[2:]) <= 0:
        raise RowError("empty box", f"the box {_text(row.box)} has no area", _BOX_ACTION)
    box, changes = _on_upright_image(row, row.box, is_stored=is_stored)
    x, y, w, h = box
    edges = (x, y, x + w, y + h)
    left, top, right, bottom = (math.floor(edge + 0.5) for edge in edges)
    is_rounded = any(abs(math.floor(edge + 0.5) - edge) > _ROUNDED_PX for edge in edges)
    height, width = row.image.image_hw
    inside = (max(left, 0), max(top, 0), min(right, width), min(bottom, height))
    clipped = (inside[0], inside[1], inside[2] - inside[0], inside[3] - inside[1])
    if min(clipped[2:]) <= 0:
        raise _no_pixels(row, box)
    if inside != (left, top, right, bottom):
        message = (
            f"the box {_text(box)} reaches past the image of {width} x {height} px and is clipped "
            f"to {_text(clipped)}"
        )
        changes = (*changes, ("box clipped", message))
    is_whole = clipped == (0, 0, width, height)
    return Crop(None if is_whole else clipped, is_rounded, changes)


def _on_upright_image(
    row: OpenedRow, box: Box, *, is_stored: bool
) -> tuple[Box, tuple[tuple[str, str], ...]]:
    """The box in pixels of the upright image, and what had to be changed for that."""
    image_hw, orientation = row.image.image_hw, row.image.exif_orientation
    drawn_hw = row.stated_hw or (row.image.stored_hw if is_stored else image_hw)
    if is_stored:
        box = turn_box(box, drawn_hw, orientation)
        drawn_hw = upright_hw(drawn_hw, orientation)
    if drawn_hw == image_hw:
        return box, ()
    sizes = f"{drawn_hw[1]} x {drawn_hw[0]} px, the file has {image_hw[1]} x {image_hw[0]} px"
    if not same_aspect(drawn_hw, image_hw):
        message = f"the box is drawn on an image of {sizes}: another shape"
        raise RowError("image of another shape", message, _SIZE_ACTION)
    down, right = (new / old for new, old in zip(image_hw, drawn_hw, strict=True))
    x, y, w, h = box
    message = f"the box is drawn on an image of {sizes}: it is scaled"
    return (x * right, y * down, w * right, h * down), (("box scaled", message),)


def _no_pixels(row: OpenedRow, box: Box) -> RowError:
    height, width = row.image.image_hw
    if max(map(abs, box)) <= 1:
        message = f"the box {_text(box)} looks like shares of the image from 0 to 1"
        return RowError("box without pixels", message, "Give the box in pixels of the image.")
    message = f"the box {_text(box)} has no pixel in the image of {width} x {height} px"
    return RowError("box without pixels", message, _BOX_ACTION)


def _text(box: tuple[float, ...]) -> str:
    return "[" + ", ".join(f"{side:.6g}" for side in box) + "]"
