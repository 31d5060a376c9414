"""Mask files: which pixels of a picture of a mask are the animal, and how we write one.

Foreground, by what the file holds:
- Two values, or two colours of which one is black (or nearly so): the other one. So 0/255, 0/1 and
  the first object of a palette file are read alike.
- One value: all of it, or nothing if it is black.
- A grey scale up to (nearly) white, as soft edges or JPEG make it: above half of the range.
- Transparency that varies: the alpha channel by the rules above; the colours do not count.
- Anything else, such as several labels in one file, is refused: it does not say which is the
  animal.
"""

from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from PIL import Image

from cfr_core.errors import MaskError
from cfr_core.images import apply_exif, exif_orientation, open_image
from cfr_core.types import BoolArray

_TRANSPOSED_ORIENTATIONS = frozenset({5, 6, 7, 8})
_RANGES = (1, 255, 4095, 65535)
"""Greatest values of the grey scales that are read: 0..1 (floats), 8, 12 and 16 bits."""

_MAX_COLOUR_NOISE = 24
"""Difference of the channels up to which a colour counts as grey; JPEG makes some."""

_MAX_PLATEAU_SHARE = 0.05
"""Share of the middle greys that may lie amid equal neighbours."""


def read_mask_file(path: Path) -> BoolArray:
    """Read a mask of one animal from an image file, by the rules of this module.

    Args:
        path: PNG or any other format of `cfr_core.images`; 1, 8 or 16 bits, palette, RGB(A).

    Returns:
        (H, W) bool, True on the animal; turned by the file's own EXIF orientation, if it has one.

    Raises:
        ImageError: if the file is missing, damaged or no image.
        MaskError: if the file does not say which pixels are the animal.
    """
    with open_image(path) as image:
        orientation = exif_orientation(image)
        image.load()
        is_turned = image.format == "TIFF"  # by Pillow, while it loads
        upright = image if is_turned else apply_exif(image, orientation)
        upright.load()
    try:
        return _foreground(upright)
    except MaskError as error:
        raise MaskError(f"{path}: {error}") from None


def mask_file_size_hw(path: Path) -> tuple[int, int]:
    """(height, width) in pixels of what `read_mask_file` would return; decodes nothing.

    Raises:
        ImageError: if the file is missing or no image.
    """
    with open_image(path) as image:
        width, height = image.size
        is_turned = image.format == "TIFF"  # Pillow states the size after turning
        if exif_orientation(image) in _TRANSPOSED_ORIENTATIONS and not is_turned:
            return width, height
        return height, width


def write_mask_file(pixels: BoolArray, path: Path) -> None:
    """Write a mask as an 8-bit PNG, 255 on the animal and 0 elsewhere.

    Args:
        pixels: (H, W) bool, True on the animal.
        path: The file to write.
    """
    # Masks are flat: a low effort gives nearly the smallest file in a fraction of the time.
    Image.fromarray(np.where(pixels, np.uint8(255), np.uint8(0))).save(
        path, format="PNG", compress_level=1
    )


def _foreground(image: Image.Image) -> BoolArray:
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        alpha = rgba.getchannel("A")
        low, high = alpha.getextrema()
        if low != high:
            return _from_grey(np.asarray(alpha))
        image = rgba.convert("RGB")
    if image.mode == "1":
        return np.array(image, bool)
    if image.mode == "L" or image.mode == "F" or image.mode.startswith("I"):
        return _from_grey(np.asarray(image))
    return _from_colours(image.convert("RGB"))


def _from_colours(image: Image.Image) -> BoolArray:
    pixels = np.asarray(image)
    if np.ptp(pixels, axis=2).max() <= _MAX_COLOUR_NOISE:
        return _from_grey(np.asarray(image.convert("L")))
    colours = [colour for _, colour in image.getcolors(maxcolors=2) or ()]
    if len(colours) == 1 or (0, 0, 0) in colours:
        return cast("BoolArray", (pixels > 0).any(axis=2))
    raise MaskError(
        "more than one colour beside black: this is a label image, or no mask. Save the animal in "
        "white on black"
    )


def _from_grey(values: npt.NDArray[Any]) -> BoolArray:
    low, high = values.min().item(), values.max().item()
    if not np.isfinite(high) or low < 0 or high > _RANGES[-1]:
        raise MaskError(f"values from {low} to {high}: a mask has finite values from 0 to 65535")
    if low == high:
        return values > 0
    is_high = cast("BoolArray", values == high)
    is_two_valued = bool((is_high | (values == low)).all())
    if is_two_valued and low <= high / 8:
        return is_high
    top = next(top for top in _RANGES if high <= top)
    if is_two_valued or high < 0.75 * top or _has_plateaus(values, high):
        raise MaskError(
            f"{len(np.unique(values))} values from {low} to {high}: this is a label image, or no "
            "mask. Save the animal as 255 and all the rest as 0"
        )
    return values > top / 2


def _has_plateaus(values: npt.NDArray[Any], high: float) -> bool:
    """True if middle greys fill areas of 3 x 3 equal pixels, which soft edges do not."""
    middle = (values > high / 8) & (values < high * 7 / 8)
    rows, columns = np.nonzero(middle[1:-1, 1:-1])
    centre = values[rows + 1, columns + 1]
    same = np.ones(len(rows), bool)
    for down, right in product(range(3), repeat=2):
        same &= values[rows + down, columns + right] == centre
    return bool(same.mean() > _MAX_PLATEAU_SHARE) if len(same) else False
