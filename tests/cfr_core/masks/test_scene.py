"""Several animals on one photo, against a loop over its pixels."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr_core.masks.scene import PlacedAnimal, other_animal_shares

SIDE = 8


@st.composite
def animals(draw: st.DrawFn) -> PlacedAnimal:
    x, y = draw(st.integers(0, SIDE - 1)), draw(st.integers(0, SIDE - 1))
    w, h = draw(st.integers(1, SIDE - x)), draw(st.integers(1, SIDE - y))
    bits = draw(st.none() | st.lists(st.booleans(), min_size=w * h, max_size=w * h))
    mask = None if bits is None else np.array(bits).reshape(h, w)
    return PlacedAnimal((x, y, w, h), mask, draw(st.booleans()), draw(st.booleans()))


def is_on(animal: PlacedAnimal, x: int, y: int) -> bool:
    """Whether a pixel of the photo is known to be the animal of a row."""
    left, top, w, h = animal.crop_xywh
    if not (left <= x < left + w and top <= y < top + h):
        return False
    if animal.mask is not None and animal.is_trusted:
        return bool(animal.mask[y - top, x - left])
    return animal.is_boxed


@settings(deadline=None)
@given(st.lists(animals(), min_size=1, max_size=4))
def test_what_shows_of_other_animals_is_counted_pixel_by_pixel(scene: list[PlacedAnimal]) -> None:
    for number, (animal, share) in enumerate(zip(scene, other_animal_shares(scene), strict=True)):
        if animal.mask is None or not animal.is_trusted:
            assert np.isnan(share)
            continue
        left, top, w, h = animal.crop_xywh
        others = scene[:number] + scene[number + 1 :]
        n_px = sum(
            not animal.mask[y - top, x - left] and any(is_on(other, x, y) for other in others)
            for y in range(top, top + h)
            for x in range(left, left + w)
        )
        assert share == n_px / (w * h)
