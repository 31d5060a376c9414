"""The picture of a crop with masks drawn on it, whatever their state in review."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from cfr_core.fingerprint import fingerprint
from cfr_core.images import crop, decode
from cfr_core.masks import rle
from cfr_core.pictures import PictureSpec, fitted, jpeg
from cfr_core.types import RGB, BoolArray, CropRequest, ImageArray, Mask
from cfr_core.workspace.cache import FileCache

_DRAWING = 1
"""Raise it when pictures come to be drawn otherwise, so that kept ones are not used any more."""

_LINES: tuple[RGB, ...] = ((86, 180, 233), (230, 159, 0))
"""Sky blue and orange (Okabe and Ito 2008); the second is dashed, so that colour is not all."""

_DASH_PX = 5
_DIMMED = 0.45
"""Brightness of what a single mask leaves out."""


def outlined_key(request: CropRequest, masks: Sequence[Mask], spec: PictureSpec) -> str:
    """Fingerprint of a picture, known without opening the image."""
    return fingerprint(
        outlines=_DRAWING,
        image=request.file_sha256,
        box=list(request.bbox_xywh or ()),
        masks=[mask.fingerprint for mask in masks],
        size_px=spec.size_px,
    )


def outlined(
    request: CropRequest, masks: Sequence[Mask], spec: PictureSpec, cache: FileCache
) -> bytes:
    """JPEG of a crop with the outlines of at most two masks, drawn on first use.

    One mask darkens what is outside; of two, the first has a whole line and the second a dashed
    one. Without a mask it is the crop alone.

    Args:
        request: The crop.
        masks: Masks of the crop's size.
        spec: How large; its view is of no concern.
        cache: Where pictures are kept.

    Raises:
        ImageError: if the image is missing, damaged or has changed since its import.
        MaskError: if the run lengths of a mask do not fill its size.
    """
    key = outlined_key(request, masks, spec)
    content = cache.get(key)
    if content is None:
        content = _drawn(request, masks, spec)
        cache.put(key, content)
    return content


def _drawn(request: CropRequest, masks: Sequence[Mask], spec: PictureSpec) -> bytes:
    photo = decode(Path(request.path), expected_sha256=request.file_sha256).pixels
    pixels = np.array(fitted(crop(photo, request.bbox_xywh), spec.size_px))
    animals = [_scaled(rle.decode(mask), pixels) for mask in masks]
    if len(animals) == 1:
        pixels[~animals[0]] = (pixels[~animals[0]] * _DIMMED).astype(np.uint8)
    for number, animal in enumerate(animals):
        _draw_line(pixels, animal, _LINES[number], is_dashed=number == 1)
    return jpeg(Image.fromarray(pixels))


def _scaled(animal: BoolArray, like: ImageArray) -> BoolArray:
    """(h, w) bool: pixels of the picture of which the mask covers half or more."""
    grey = Image.fromarray(animal.astype(np.uint8) * 255)
    small: BoolArray = (
        np.asarray(grey.resize((like.shape[1], like.shape[0]), Image.Resampling.BOX)) >= 128
    )
    return small


def _draw_line(pixels: ImageArray, animal: BoolArray, colour: RGB, *, is_dashed: bool) -> None:
    """A line of two pixels within the mask's edge, and a dark one around it."""
    line = animal & ~_filtered(animal, ImageFilter.MinFilter(5))
    if is_dashed:
        y, x = np.indices(animal.shape)
        line &= (x // _DASH_PX + y // _DASH_PX) % 2 == 0  # broken in every direction
    pixels[_filtered(line, ImageFilter.MaxFilter(3)) & ~line] //= 3
    pixels[line] = colour


def _filtered(
    animal: BoolArray, kernel: ImageFilter.MinFilter | ImageFilter.MaxFilter
) -> BoolArray:
    # With room around it, so that a mask at the picture's edge has a line there too.
    room = Image.fromarray(np.pad(animal, 3).astype(np.uint8))
    found: BoolArray = np.asarray(room.filter(kernel))[3:-3, 3:-3] > 0
    return found
