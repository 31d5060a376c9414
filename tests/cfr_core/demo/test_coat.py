"""Coats: the pattern process does what its parameters say."""

from dataclasses import replace

import numpy as np
import pytest

from cfr_core.demo.coat import CANVAS_PX, CANVAS_UNITS, grow_coat, react
from cfr_core.demo.species import SPECIES
from cfr_core.demo.traits import Traits, mixed

SEED = np.random.default_rng(0).standard_normal((128, 128), np.float32)
ROUND = {"elongation": 1.0, "tilt_deg": 0.0}


@pytest.mark.parametrize("wavelength_px", [8.0, 16.0, 32.0])
def test_marks_stand_a_wavelength_apart(wavelength_px: float) -> None:
    pattern = react(SEED, wavelength_px=wavelength_px, bias=0.0, **ROUND)
    power = np.abs(np.fft.fft2(pattern - pattern.mean())) ** 2
    f = np.hypot(*np.meshgrid(np.fft.fftfreq(128), np.fft.fftfreq(128)))
    assert (power * f).sum() / power.sum() == pytest.approx(1 / wavelength_px, rel=0.35)


def test_bias_decides_how_much_is_marked() -> None:
    shares = [
        float((react(SEED, wavelength_px=16.0, bias=bias, **ROUND) > 0).mean())
        for bias in (-0.8, -0.3, 0.0, 0.3, 0.8)
    ]
    assert shares == sorted(shares)
    assert shares[2] == pytest.approx(0.5, abs=0.05)


def test_stripes_run_across_the_body() -> None:
    stripes = react(SEED, wavelength_px=16.0, elongation=4.0, tilt_deg=0.0, bias=0.0)
    down, along = (np.abs(step).mean() for step in np.gradient(stripes))
    assert along > 2 * down


def test_the_pattern_has_no_seam() -> None:
    pattern = react(SEED, wavelength_px=16.0, bias=0.0, **ROUND)
    inner = np.abs(np.diff(pattern, axis=1)).mean()
    assert np.abs(pattern[:, 0] - pattern[:, -1]).mean() < 2 * inner


def test_the_canvas_repeats_around_the_body() -> None:
    coat = grow_coat(Traits(((1.0, (1,)),)), SPECIES["zebra"].coat)
    along, across = np.random.default_rng(1).uniform(-1, 1, (2, 50)).astype(np.float32)
    once = coat.marks_at(along, across)
    np.testing.assert_allclose(coat.marks_at(along + CANVAS_UNITS, across), once, atol=1e-3)
    pixel = np.arange(5, dtype=np.float32) * np.float32(CANVAS_UNITS / CANVAS_PX)
    np.testing.assert_allclose(coat.marks_at(pixel, pixel * 0), coat.marks[0, :5], atol=1e-4)


def test_the_more_identity_explains_the_more_alike_are_two_photos() -> None:
    style = replace(SPECIES["leopard"].coat, rosette=(0.0, 0.0))
    alike = []
    for share in (0.0, 0.5, 0.9, 1.0):
        pairs = [
            [grow_coat(mixed(share, [(1.0, (1, i))], (2, i, j)), style).marks for j in (0, 1)]
            for i in range(4)
        ]
        alike.append(float(np.mean([np.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in pairs])))
    assert alike == sorted(alike)
    assert alike[0] < 0.15
    assert alike[-1] == pytest.approx(1.0)
