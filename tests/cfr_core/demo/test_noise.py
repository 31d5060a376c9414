"""Fractal noise and perspective."""

import numpy as np
import pytest

from cfr_core.demo.noise import fractal, in_perspective, smoothstep
from cfr_core.demo.traits import Traits

TRAITS = Traits(((1.0, (7,)),))


@pytest.mark.parametrize("octaves", [1, 4])
def test_noise_has_about_unit_spread(octaves: int) -> None:
    field = fractal(TRAITS, "n", (200, 300), cells_hw=(24, 36), octaves=octaves)
    assert field.shape == (200, 300)
    assert field.dtype == np.float32
    assert abs(field.mean()) < 0.25
    assert 0.7 < field.std() < 1.35


def test_coarse_noise_is_smoother_than_fine_noise() -> None:
    rough = [
        np.abs(np.diff(fractal(TRAITS, "n", (100, 100), cells_hw=(n, n), octaves=1))).mean()
        for n in (3, 12, 48)
    ]
    assert rough == sorted(rough)


def test_smoothstep_goes_from_0_to_1_and_back_where_the_ends_are_swapped() -> None:
    x = np.linspace(-1, 3, 101, dtype=np.float32)
    up = smoothstep(0.0, 2.0, x)
    assert up[x <= 0].max() == 0.0
    assert up[x >= 2].min() == 1.0
    assert (np.diff(up) >= 0).all()
    np.testing.assert_allclose(smoothstep(2.0, 0.0, x), 1.0 - up, atol=1e-6)


def test_texture_shrinks_with_distance() -> None:
    texture = fractal(TRAITS, "t", (64, 64), cells_hw=(8, 8))
    distance = np.array([[1.0], [4.0]], np.float32)
    near, far = in_perspective(texture, distance, 200, texels=(5.0, 0.2))
    assert np.isin(near, texture).all()
    assert np.abs(np.diff(far)).mean() > 2 * np.abs(np.diff(near)).mean()
