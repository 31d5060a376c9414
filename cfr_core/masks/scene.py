"""Several animals on one photo: who else shows in a row's shortcut view."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cfr_core.types import BoolArray, FloatArray


@dataclass(frozen=True)
class PlacedAnimal:
    """An animal of a row, on its photo.

    Attributes:
        crop_xywh: The row's crop in pixels of the photo.
        mask: (h, w) bool, the animal on the crop; None where no mask is known.
        is_boxed: True if the crop is a box around the animal, which then stands for an unknown
            mask; a whole photo stands for nothing.
        is_trusted: False for a rejected mask, which does not say where the animal is.
    """

    crop_xywh: tuple[int, int, int, int]
    mask: BoolArray | None
    is_boxed: bool
    is_trusted: bool = True


def other_animal_shares(animals: Sequence[PlacedAnimal]) -> FloatArray:
    """Share of each crop where another animal of the photo shows outside the crop's own mask.

    That part of the shortcut view still shows an animal, so a match by it is none by scenery.

    Args:
        animals: N animals of one photo.

    Returns:
        (N,) float64 from 0 to 1; NaN without a trusted mask of its own.
    """
    width = max(x + w for x, _, w, _ in (animal.crop_xywh for animal in animals))
    height = max(y + h for _, y, _, h in (animal.crop_xywh for animal in animals))
    is_animal = np.zeros((height, width), np.bool_)
    for animal in animals:
        crop = _crop(is_animal, animal)
        if animal.mask is not None and animal.is_trusted:
            crop |= animal.mask
        elif animal.is_boxed:
            crop |= True
    return np.array([_share_outside(_crop(is_animal, animal), animal) for animal in animals])


def _share_outside(is_animal: BoolArray, animal: PlacedAnimal) -> float:
    """Outside its own mask, what is an animal is another one."""
    if animal.mask is None or not animal.is_trusted:
        return float("nan")
    return float(np.count_nonzero(is_animal & ~animal.mask) / is_animal.size)


def _crop(photo: BoolArray, animal: PlacedAnimal) -> BoolArray:
    x, y, w, h = animal.crop_xywh
    return photo[y : y + h, x : x + w]
