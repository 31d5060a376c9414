"""The four counterfactual views of a crop (CFR sec. 3.2), drawn before any preprocessing.

With image x, mask m, fill c and silhouette colour s:

    full       = x
    foreground = m x + (1 - m) c      still leaks the animal's outline
    shortcut   = (1 - m) x + m c      still leaks a hole in the animal's shape
    silhouette = m s + (1 - m) c      outline alone
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import cv2
import numpy as np

from cfr_core.errors import MaskError, MissingMaskError
from cfr_core.types import RGB, BoolArray, ImageArray, View, ViewSpec

VIEW_NOTES: Mapping[View, str] = {
    View.FULL: "Hides nothing.",
    View.FOREGROUND: "Hides the surroundings. Still leaks the animal's outline, its place in the "
    "picture and the light on it.",
    View.SHORTCUT: "Hides the animal. Still leaks its shape and place, as a hole.",
    View.SILHOUETTE: "Hides coat and surroundings. Leaves the outline, its size and place.",
}
"""What each view hides and still leaks, for people who look at it."""


def render(image: ImageArray, mask: BoolArray | None, spec: ViewSpec) -> ImageArray:
    """One view of a crop; see `render_views`."""
    return render_views(image, mask, (spec,))[0]


def render_views(
    image: ImageArray, mask: BoolArray | None, specs: Sequence[ViewSpec]
) -> list[ImageArray]:
    """Several views of one crop, in the order asked; see `iter_views`."""
    return list(iter_views(image, mask, specs))


def iter_views(
    image: ImageArray, mask: BoolArray | None, specs: Iterable[ViewSpec]
) -> Iterator[ImageArray]:
    """Several views of one crop, in the order asked, each drawn when its turn comes.

    A caller that drops a view before it takes the next lets its memory be used again, which on
    photos of a megapixel takes a fifth less time than to hold them all.

    Args:
        image: (H, W, 3) uint8 RGB crop.
        mask: (H, W) bool, True on the animal; None where no mask is accepted.
        specs: The views. The full view is the image itself, not a copy.

    Raises:
        MissingMaskError: if a masked view is asked without a mask. It never returns the image.
        MaskError: if the mask is of another size, or empty: an empty mask hides nothing, so its
            "shortcut view" would be the full image.
    """
    animal: ImageArray | None = None
    for spec in specs:
        if not spec.needs_mask:
            yield image
            continue
        if animal is None:
            animal = _animal(image, mask)
        yield _draw(image, animal, spec)


def _animal(image: ImageArray, mask: BoolArray | None) -> ImageArray:
    """(H, W) uint8 in rows, 1 on the animal and 0 elsewhere."""
    if mask is None:
        raise MissingMaskError("this row has no accepted mask, so it is in no masked view")
    if mask.shape != image.shape[:2]:
        raise MaskError(f"the mask is {mask.shape} (height, width), the crop {image.shape[:2]}")
    if not mask.any():
        raise MaskError("the mask is empty: there is no animal to show or to hide")
    bits = mask.view(np.uint8)
    # Run lengths decode to columns, which OpenCV turns into rows ten times faster than NumPy.
    rows = cv2.transpose(bits.T) if bits.flags.f_contiguous else bits
    return np.ascontiguousarray(rows, np.uint8)


def _draw(image: ImageArray, animal: ImageArray, spec: ViewSpec) -> ImageArray:
    out = _plain(image.shape, spec.fill_rgb)
    if spec.view is View.SILHOUETTE:
        shown = _plain(image.shape, spec.silhouette_rgb)
    else:
        shown = np.ascontiguousarray(image)
    where = 1 - animal if spec.view is View.SHORTCUT else animal
    # At memory speed: several times faster than np.where or indexing here.
    cv2.copyTo(shown, where, out)
    return out


def _plain(shape: tuple[int, ...], rgb: RGB) -> ImageArray:
    """(H, W, 3) uint8 of a plain colour."""
    plain = np.empty(shape, np.uint8)
    plain[:] = np.tile(np.array(rgb, np.uint8), (shape[1], 1))  # whole rows are copied faster
    return plain
