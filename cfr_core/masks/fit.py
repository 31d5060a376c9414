"""Masks that meet their crop: turned with the picture, cut by the box, or scaled to its size."""

from enum import StrEnum

import numpy as np

from cfr_core.types import BoolArray

BoxXywh = tuple[int, int, int, int]


class Fit(StrEnum):
    """How a mask of some size belongs to a crop."""

    IMAGE = "drawn on the whole image"
    CROP = "drawn on the crop"
    SCALED_IMAGE = "drawn on the whole image at another scale"
    SCALED_CROP = "drawn on the crop at another scale"
    NONE = "of another shape than image and crop"


def fit_of(size_hw: tuple[int, int], *, image_hw: tuple[int, int], crop_hw: tuple[int, int]) -> Fit:
    """How a mask of a size belongs to a crop of an image; the image goes before the crop.

    Args:
        size_hw: Size of the mask, (height, width) in pixels.
        image_hw: Size of the whole image.
        crop_hw: Size of the row's crop.
    """
    if size_hw == image_hw:
        return Fit.IMAGE
    if size_hw == crop_hw:
        return Fit.CROP
    if same_aspect(size_hw, image_hw):
        return Fit.SCALED_IMAGE
    return Fit.SCALED_CROP if same_aspect(size_hw, crop_hw) else Fit.NONE


def same_aspect(a_hw: tuple[int, int], b_hw: tuple[int, int]) -> bool:
    """True if the smaller size is the larger one times a factor, to within a pixel each side."""
    small, large = sorted((a_hw, b_hw))
    least = max((side - 1) / whole for side, whole in zip(small, large, strict=True))
    most = min((side + 1) / whole for side, whole in zip(small, large, strict=True))
    return least <= most


def place(
    pixels: BoolArray, fit: Fit, *, image_hw: tuple[int, int], bbox_xywh: BoxXywh | None
) -> BoolArray:
    """Bring a mask to its crop.

    Args:
        pixels: (H, W) bool, upright.
        fit: How the mask belongs to the crop; not NONE.
        image_hw: Size of the whole image, (height, width) in pixels.
        bbox_xywh: The crop in pixels, inside the image; None for all of it.

    Returns:
        (h, w) bool of the crop's size.
    """
    x, y, w, h = bbox_xywh or (0, 0, image_hw[1], image_hw[0])
    if fit is Fit.SCALED_CROP:
        return scale_nearest(pixels, (h, w))
    if fit is Fit.CROP:
        return pixels
    whole = scale_nearest(pixels, image_hw) if fit is Fit.SCALED_IMAGE else pixels
    return whole[y : y + h, x : x + w]


def scale_nearest(pixels: BoolArray, size_hw: tuple[int, int]) -> BoolArray:
    """Mask at another size: each pixel takes the source pixel under its centre.

    Args:
        pixels: (H, W) bool.
        size_hw: Size of the result, (height, width) in pixels.
    """
    rows, columns = (
        (2 * np.arange(new) + 1) * old // (2 * new)
        for new, old in zip(size_hw, pixels.shape, strict=True)
    )
    return pixels[np.ix_(rows, columns)]


def turn(pixels: BoolArray, exif_orientation: int) -> BoolArray:
    """Turn a mask drawn on a picture as stored upright, as EXIF turns the picture.

    Args:
        pixels: (H, W) bool, of the stored picture.
        exif_orientation: 1 to 8.

    Returns:
        (H, W) bool, or (W, H) for the orientations 5 to 8.
    """
    turned = pixels.T if exif_orientation in (5, 6, 7, 8) else pixels
    flip_rows = exif_orientation in (3, 4, 7, 8)
    flip_columns = exif_orientation in (2, 3, 6, 7)
    return turned[:: -1 if flip_rows else 1, :: -1 if flip_columns else 1]


def upright_hw(stored_hw: tuple[int, int], exif_orientation: int) -> tuple[int, int]:
    """Size after turning, (height, width); the same formula leads back."""
    height, width = stored_hw
    return (width, height) if exif_orientation in (5, 6, 7, 8) else (height, width)


def turn_box(
    box_xywh: tuple[float, float, float, float], stored_hw: tuple[int, int], exif_orientation: int
) -> tuple[float, float, float, float]:
    """Turn a box drawn on a picture as stored upright.

    Args:
        box_xywh: Left, top, width, height in pixels of the stored picture.
        stored_hw: Size of the stored picture, (height, width) in pixels.
        exif_orientation: 1 to 8.
    """
    x, y, w, h = box_xywh
    height, width = upright_hw(stored_hw, exif_orientation)
    if exif_orientation in (5, 6, 7, 8):
        x, y, w, h = y, x, h, w
    if exif_orientation in (3, 4, 7, 8):
        y = height - y - h
    if exif_orientation in (2, 3, 6, 7):
        x = width - x - w
    return x, y, w, h
