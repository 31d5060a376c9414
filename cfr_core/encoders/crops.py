"""One row's views, drawn from one decode of its photo."""

from collections.abc import Iterator
from pathlib import Path

from cfr_core.images import crop, decode
from cfr_core.masks import rle
from cfr_core.types import CropRequest, ImageArray
from cfr_core.views import iter_views


def views_of(request: CropRequest) -> Iterator[ImageArray]:
    """The views that a row asks for, at the crop's own size, each drawn when its turn comes.

    Yields:
        (H, W, 3) uint8, in the order asked.

    Raises:
        ImageError: if the photo cannot be decoded or has changed, or the box leaves it.
        MaskError: if the mask does not fit the crop, or is empty.
        MissingMaskError: if a masked view is asked without a mask.
    """
    photo = decode(Path(request.path), expected_sha256=request.file_sha256)
    needs_mask = any(view.needs_mask for view in request.views)
    mask = rle.decode(request.mask) if needs_mask and request.mask is not None else None
    yield from iter_views(crop(photo.pixels, request.bbox_xywh), mask, request.views)
