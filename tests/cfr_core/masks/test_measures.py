"""Measures of masks, against flooding and against shapes whose numbers are known."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cfr_core.masks.files import read_mask_file
from cfr_core.masks.measures import (
    bounding_box,
    holes,
    measure_mask,
    outline_length,
    parts,
)
from tests.cfr_core.masks.naive import holes_of, parts_of

small_masks = hnp.arrays(np.bool_, st.tuples(st.integers(1, 12), st.integers(1, 12)))


def disc(radius: float, size: int = 200) -> np.ndarray:
    yy, xx = np.mgrid[:size, :size]
    return np.hypot(yy - size / 2, xx - size / 2) < radius


@settings(deadline=None)
@given(small_masks)
def test_parts_and_holes_are_those_that_flooding_finds(pixels: np.ndarray) -> None:
    for (labels, n_px), expected in (
        (parts(pixels), parts_of(pixels)),
        (holes(pixels), holes_of(pixels)),
    ):
        found = [
            {(int(y), int(x)) for y, x in np.argwhere(labels == number)}
            for number in range(1, len(n_px) + 1)
        ]
        assert sorted(map(sorted, found)) == sorted(map(sorted, expected))
        assert n_px.tolist() == [len(part) for part in found]


@settings(deadline=None)
@given(small_masks)
def test_numbers_of_a_mask_are_those_of_counting(pixels: np.ndarray) -> None:
    m = measure_mask(pixels)
    assert m.area_share == pixels.sum() / pixels.size
    if not pixels.any():
        assert (m.n_islands, m.n_holes) == (0, 0)
        assert math.isnan(m.island_share)
        assert math.isnan(m.roughness)
        return
    sizes = sorted((len(part) for part in parts_of(pixels)), reverse=True)
    hole_px = sum(len(hole) for hole in holes_of(pixels))
    assert m.n_islands == len(sizes) - 1
    assert m.island_share == pytest.approx(sum(sizes[1:]) / sum(sizes))
    assert m.n_holes == len(holes_of(pixels))
    assert m.hole_share == pytest.approx(hole_px / (hole_px + pixels.sum()))
    rows, columns = np.nonzero(pixels)
    assert (m.box_x, m.box_x + m.box_w - 1) == (columns.min(), columns.max())
    assert (m.box_y, m.box_y + m.box_h - 1) == (rows.min(), rows.max())
    height, width = pixels.shape
    assert m.left_share == pytest.approx((columns == 0).sum() / height)
    assert m.bottom_share == pytest.approx((rows == height - 1).sum() / width)
    assert m.right_share == pytest.approx((columns == width - 1).sum() / height)
    assert m.top_share == pytest.approx((rows == 0).sum() / width)


@settings(deadline=None)
@given(small_masks)
def test_turning_a_picture_turns_its_measures(pixels: np.ndarray) -> None:
    upright, turned = measure_mask(pixels), measure_mask(np.rot90(pixels))
    for name in ("area_share", "n_islands", "island_share", "n_holes", "frame_share"):
        assert getattr(turned, name) == pytest.approx(getattr(upright, name), nan_ok=True)
    assert turned.bottom_share == pytest.approx(upright.left_share, nan_ok=True)


def test_an_empty_mask_has_no_box() -> None:
    assert bounding_box(np.zeros((4, 5), bool)) is None


@pytest.mark.parametrize(
    ("pixels", "length"),
    [
        (disc(60), 2 * math.pi * 60),
        (np.ones((80, 50), bool), 260),
        # a square on its corner: counting pixel sides would say 4 x 113
        (np.add(*np.abs(np.mgrid[-70:71, -70:71])) <= 56, 4 * 56 * math.sqrt(2)),
    ],
)
def test_the_outline_of_a_known_shape_is_as_long_as_it_is(
    pixels: np.ndarray, length: float
) -> None:
    assert outline_length(pixels) == pytest.approx(length, rel=0.07)


def test_a_ragged_edge_is_rough_at_any_scale_and_specks_are_not_its_matter() -> None:
    smooth = disc(60)
    noise = np.random.default_rng(0).random((50, 50)) < 0.5
    jagged = smooth.copy()
    edge = disc(64) & ~disc(56)
    jagged[edge] = noise.repeat(4, 0).repeat(4, 1)[edge]
    specked = smooth.copy()
    specked[::20, ::20] = True
    assert measure_mask(smooth).roughness < 0.03
    assert measure_mask(specked).roughness < 0.03
    assert measure_mask(jagged).roughness > 0.15
    enlarged = measure_mask(jagged.repeat(5, 0).repeat(5, 1)).roughness
    assert enlarged == pytest.approx(measure_mask(jagged).roughness, abs=0.1)


def test_a_hair_of_a_mask_has_no_smooth_edge_to_compare_with() -> None:
    pixels = np.zeros((50, 50), bool)
    pixels[25] = True
    assert math.isnan(measure_mask(pixels).roughness)


def test_border_and_middle_tell_an_inverted_mask() -> None:
    upright, inverted = measure_mask(disc(60)), measure_mask(~disc(60))
    assert (upright.frame_share, upright.centre_share) == (0, 1)
    assert (inverted.frame_share, inverted.centre_share) == (1, 0)


@pytest.mark.parametrize("name", ["davis_animals", "weizmann_horses", "pigs_faro_masks"])
def test_masks_drawn_by_hand_are_told_from_their_opposites(shared_data: Path, name: str) -> None:
    paths = sorted((shared_data / name / "masks").rglob("*.png"))[::3]
    masks = [read_mask_file(path) for path in paths]
    assert masks

    def share_inverted(masks: list[np.ndarray]) -> float:
        found = [measure_mask(mask) for mask in masks]
        return np.mean([m.frame_share >= max(0.6, m.centre_share + 0.05) for m in found])

    assert share_inverted(masks) == 0
    assert share_inverted([~mask for mask in masks]) > 0.8
