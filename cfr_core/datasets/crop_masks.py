"""The mask that comes with a row, brought to the row's crop or refused."""

from dataclasses import dataclass

from cfr_core.datasets.records import MaskReference
from cfr_core.datasets.rows import OpenedRow, RowError
from cfr_core.errors import ImageError, MaskError
from cfr_core.masks.coco import from_polygons, from_rle
from cfr_core.masks.files import read_mask_file
from cfr_core.masks.fit import BoxXywh, Fit, fit_of, place, turn
from cfr_core.masks.rle import encode
from cfr_core.types import BoolArray

_EMPTY_ACTION = "Draw the mask, or take the row as one without a mask."


@dataclass(frozen=True)
class CropMask:
    """A mask that came with the dataset, on its crop.

    Attributes:
        size_hw: Size of the crop, (height, width) in pixels.
        counts: COCO compressed run lengths.
        is_full: True if the mask leaves no background.
        change: What had to be changed, or "".
    """

    size_hw: tuple[int, int]
    counts: str
    is_full: bool
    change: str = ""


def crop_mask(row: OpenedRow, bbox_xywh: BoxXywh | None, *, is_stored: bool) -> CropMask:
    """Read a row's mask and bring it to the row's crop.

    A mask of the image's size is cut by the box, one of the crop's size is used as it is, and one
    of the same shape as either is scaled to it by nearest pixel.

    Args:
        row: A row with a mask; its file, if it is one, was found.
        bbox_xywh: The crop in upright pixels, or None for the whole image.
        is_stored: True if the mask is drawn on the stored picture.

    Raises:
        RowError: if the mask cannot be read, does not fit, or has no pixel on the crop.
    """
    pixels = _read(row, is_stored=is_stored)
    if not pixels.any():
        raise RowError("empty mask", "the mask has no pixel on an animal", _EMPTY_ACTION)
    if is_stored:
        pixels = turn(pixels, row.image.exif_orientation)
    image_hw = row.image.image_hw
    crop_hw = (bbox_xywh[3], bbox_xywh[2]) if bbox_xywh else image_hw
    mask_hw = (pixels.shape[0], pixels.shape[1])
    fit = fit_of(mask_hw, image_hw=image_hw, crop_hw=crop_hw)
    if fit is Fit.NONE:
        raise _other_size(mask_hw, image_hw, crop_hw)
    placed = place(pixels, fit, image_hw=image_hw, bbox_xywh=bbox_xywh)
    if not placed.any():
        message = "the mask has no pixel inside the box"
        raise RowError("empty mask", message, "Check that box and mask belong to the same animal.")
    change = ""
    if fit in (Fit.SCALED_IMAGE, Fit.SCALED_CROP):
        target = image_hw if fit is Fit.SCALED_IMAGE else crop_hw
        change = f"the mask is {_px(mask_hw)} and {fit.value}: scaled to {_px(target)}"
    return CropMask(crop_hw, encode(placed), bool(placed.all()), change)


def _read(row: OpenedRow, *, is_stored: bool) -> BoolArray:
    reference = row.mask
    if reference is None:
        raise ValueError(f"row {row.at} has no mask")
    try:
        if row.mask_path is not None:
            return read_mask_file(row.mask_path)
        if reference.kind == "rle":
            return from_rle({"size": reference.size_hw, **reference.value})
        return from_polygons(reference.value, _drawn_hw(row, reference, is_stored=is_stored))
    except ImageError as error:
        action = "Write the mask file again: white on black, as PNG."
        raise RowError("unreadable mask file", str(error), action) from None
    except MaskError as error:
        action = "Correct the mask in the source, or draw it anew."
        raise RowError("unusable mask", str(error), action) from None


def _drawn_hw(row: OpenedRow, reference: MaskReference, *, is_stored: bool) -> tuple[int, int]:
    picture_hw = row.image.stored_hw if is_stored else row.image.image_hw
    return reference.size_hw or row.stated_hw or picture_hw


def _other_size(
    mask_hw: tuple[int, int], image_hw: tuple[int, int], crop_hw: tuple[int, int]
) -> RowError:
    message = f"the mask is {_px(mask_hw)}, of another shape than the image ({_px(image_hw)})"
    if crop_hw != image_hw:
        message += f" and the crop ({_px(crop_hw)})"
    return RowError("mask of another size", message, "Give the mask in the size of image or crop.")


def _px(size_hw: tuple[int, int]) -> str:
    return f"{size_hw[1]} x {size_hw[0]} px"
