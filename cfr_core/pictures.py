"""The picture of a row as a screen shows it: any view of its crop, or the photo it is from."""

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from cfr_core.errors import InputError, MissingMaskError
from cfr_core.fingerprint import fingerprint
from cfr_core.images import crop, decode
from cfr_core.masks import rle
from cfr_core.types import CropRequest, ImageArray, ViewSpec
from cfr_core.views import render
from cfr_core.workspace.cache import FileCache
from cfr_core.workspace.vectors import vector_key

MEDIA_TYPE = "image/jpeg"
MIN_SIZE_PX = 64
MAX_SIZE_PX = 2048

_DRAWING = 1
"""Raise it when pictures come to be drawn otherwise, so that kept ones are not used any more."""

# JPEG, since WebP of the same quality takes ten times as long to write; without subsampling, since
# that bleeds a view's plain fill into the animal.
_JPEG = {"quality": 88, "subsampling": 0}


@dataclass(frozen=True)
class PictureSpec:
    """What a screen shows of a row.

    Attributes:
        view: View of the row's crop; None for the whole photo with the crop's box drawn in.
        size_px: Longest side at most; a smaller picture is not enlarged.
    """

    view: ViewSpec | None
    size_px: int

    def __post_init__(self) -> None:
        if not MIN_SIZE_PX <= self.size_px <= MAX_SIZE_PX:
            raise InputError(
                f"size must be from {MIN_SIZE_PX} to {MAX_SIZE_PX} px, got {self.size_px}"
            )


def picture_key(request: CropRequest, spec: PictureSpec) -> str:
    """Fingerprint of a picture, known without opening the image.

    Raises:
        MissingMaskError: if a masked view is asked of a row without an accepted mask.
    """
    if spec.view is None:
        pixels = fingerprint(image=request.file_sha256, box=list(request.bbox_xywh or ()))
    elif spec.view.needs_mask and request.mask is None:
        raise MissingMaskError(
            f"row {request.row_id} has no accepted mask, so it has no {spec.view.view.value} view"
        )
    else:
        pixels = vector_key(request, spec.view)
    return fingerprint(drawing=_DRAWING, pixels=pixels, size_px=spec.size_px)


def picture(request: CropRequest, spec: PictureSpec, cache: FileCache) -> bytes:
    """JPEG of a row, drawn on first use; errors as of `draw` and `picture_key`."""
    key = picture_key(request, spec)
    content = cache.get(key)
    if content is None:
        content = draw(request, spec)
        cache.put(key, content)
    return content


def draw(request: CropRequest, spec: PictureSpec) -> bytes:
    """JPEG of a row.

    Raises:
        ImageError: if the image is missing, damaged or has changed since its import.
        MissingMaskError: if a masked view is asked of a row without an accepted mask.
        MaskError: if the mask is empty or of another size than the crop.
    """
    photo = decode(Path(request.path), expected_sha256=request.file_sha256).pixels
    if spec.view is None:
        return jpeg(_with_box(photo, request.bbox_xywh, spec.size_px))
    animal = crop(photo, request.bbox_xywh)
    mask = rle.decode(request.mask) if request.mask and spec.view.needs_mask else None
    return jpeg(fitted(render(animal, mask, spec.view), spec.size_px))


def fitted(pixels: ImageArray, size_px: int) -> Image.Image:
    """An image whose longest side is at most `size_px`; a smaller one is not enlarged."""
    image = Image.fromarray(np.ascontiguousarray(pixels))
    # The gap lets it average whole blocks first where the image is much too large.
    image.thumbnail((size_px, size_px), Image.Resampling.LANCZOS, reducing_gap=3.0)
    return image


def _with_box(
    photo: ImageArray, bbox_xywh: tuple[int, int, int, int] | None, size_px: int
) -> Image.Image:
    image = fitted(photo, size_px)
    if bbox_xywh is None:
        return image
    scale = image.width / photo.shape[1]
    x, y, w, h = (side * scale for side in bbox_xywh)
    pen = ImageDraw.Draw(image)
    # White in black, so that it is seen on any photo.
    pen.rectangle((x - 1, y - 1, x + w, y + h), outline="black", width=3)
    pen.rectangle((x, y, x + w - 1, y + h - 1), outline="white")
    return image


def jpeg(image: Image.Image) -> bytes:
    """The image as JPEG, as all pictures of this product are stored."""
    stream = io.BytesIO()
    image.save(stream, "JPEG", **_JPEG)
    return stream.getvalue()
