"""Rough masks from taps."""

import numpy as np
import pytest

from cfr_core.errors import InputError
from cfr_core.masks.grabcut import mask_from_taps


def scene(height: int = 300, width: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """A red ellipse before green ground, both noisy, and its mask."""
    rng = np.random.default_rng(0)
    y, x = np.ogrid[:height, :width]
    mask = ((x - 0.5 * width) / (0.2 * width)) ** 2 + ((y - 0.5 * height) / (0.2 * height)) ** 2 < 1
    image = np.where(mask[..., None], (180, 60, 50), (60, 140, 70))
    noisy = image + rng.integers(-25, 26, image.shape)
    return noisy.clip(0, 255).astype(np.uint8), mask


def iou(one: np.ndarray, other: np.ndarray) -> float:
    return (one & other).sum() / (one | other).sum()


@pytest.mark.parametrize("size", [(300, 400), (90, 120), (700, 500)])
def test_a_tap_on_a_clear_animal_finds_it(size: tuple[int, int]) -> None:
    image, mask = scene(*size)
    found = mask_from_taps(image, [(size[1] // 2, size[0] // 2)])
    assert found.shape == mask.shape
    assert found.dtype == np.bool_
    assert iou(found, mask) > 0.9


def test_the_same_taps_give_the_same_mask() -> None:
    image, _ = scene()
    taps = [(200, 150), (180, 140)]
    assert np.array_equal(mask_from_taps(image, taps), mask_from_taps(image, taps))


@pytest.mark.parametrize("tap", [(0, 0), (399, 299), (399, 0)])
def test_what_is_tapped_on_is_in_the_mask_even_at_the_edge(tap: tuple[int, int]) -> None:
    image, _ = scene()
    assert mask_from_taps(image, [tap])[tap[1], tap[0]]


def test_a_plain_picture_gives_a_mask_too() -> None:
    assert mask_from_taps(np.full((20, 20, 3), 128, np.uint8), [(10, 10)]).any()


def test_parts_that_were_not_tapped_are_left_out() -> None:
    image, mask = scene()
    image[20:60, 20:60] = (180, 60, 50)
    found = mask_from_taps(image, [(200, 150)])
    assert not found[20:60, 20:60].any()
    assert iou(found, mask) > 0.9


@pytest.mark.parametrize(
    ("taps", "words"), [([], "tap on the animal"), ([(400, 10)], "outside"), ([(-1, 5)], "outside")]
)
def test_taps_that_say_nothing_are_refused(taps: list[tuple[int, int]], words: str) -> None:
    with pytest.raises(InputError, match=words):
        mask_from_taps(scene()[0], taps)
