"""Turning, cutting and scaling of masks and boxes, against Pillow's own turning of the picture."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from cfr_core.images import apply_exif
from cfr_core.masks.fit import (
    Fit,
    fit_of,
    place,
    same_aspect,
    scale_nearest,
    turn,
    turn_box,
    upright_hw,
)

ORIENTATIONS = range(1, 9)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_a_mask_turns_as_its_picture_does(orientation: int) -> None:
    pixels = np.random.default_rng(0).random((5, 7)) > 0.5
    picture = Image.fromarray(pixels.astype(np.uint8))
    expected = np.asarray(apply_exif(picture, orientation)).astype(bool)
    np.testing.assert_array_equal(turn(pixels, orientation), expected)
    assert upright_hw((5, 7), orientation) == expected.shape


@given(
    st.sampled_from(ORIENTATIONS), st.integers(0, 6), st.integers(0, 4), st.integers(1, 3),
    st.integers(1, 3),
)  # fmt: skip
def test_a_box_turns_as_the_pixels_in_it(orientation: int, x: int, y: int, w: int, h: int) -> None:
    stored = np.zeros((8, 10), bool)
    stored[y : y + h, x : x + w] = True

    left, top, width, height = turn_box((x, y, w, h), (8, 10), orientation)

    expected = np.zeros(upright_hw((8, 10), orientation), bool)
    expected[top : top + height, left : left + width] = True
    np.testing.assert_array_equal(turn(stored, orientation), expected)


@pytest.mark.parametrize(
    ("size_hw", "expected"),
    [
        ((60, 80), Fit.IMAGE),
        ((20, 20), Fit.CROP),
        ((120, 160), Fit.SCALED_IMAGE),
        ((31, 41), Fit.SCALED_IMAGE),  # half of the image, with rounding
        ((40, 40), Fit.SCALED_CROP),
        ((80, 60), Fit.NONE),  # the other way up
        ((60, 79), Fit.SCALED_IMAGE),  # a pixel short
        ((60, 70), Fit.NONE),
    ],
)
def test_a_size_says_how_the_mask_belongs(size_hw: tuple[int, int], expected: Fit) -> None:
    assert fit_of(size_hw, image_hw=(60, 80), crop_hw=(20, 20)) is expected


@given(st.integers(1, 5000), st.integers(1, 5000), st.floats(0.05, 20))
def test_a_scaled_size_is_recognised(height: int, width: int, factor: float) -> None:
    scaled = (math.ceil(height * factor), math.ceil(width * factor))
    assert same_aspect(scaled, (height, width))
    assert same_aspect((height, width), scaled)


def test_a_mask_of_the_image_is_cut_by_the_box() -> None:
    pixels = np.random.default_rng(0).random((6, 8)) > 0.5
    cut = place(pixels, Fit.IMAGE, image_hw=(6, 8), bbox_xywh=(2, 1, 4, 3))
    np.testing.assert_array_equal(cut, pixels[1:4, 2:6])
    whole = place(pixels, Fit.IMAGE, image_hw=(6, 8), bbox_xywh=None)
    np.testing.assert_array_equal(whole, pixels)


def test_a_scaled_mask_of_the_image_is_scaled_before_it_is_cut() -> None:
    pixels = np.zeros((3, 4), bool)
    pixels[1, 2] = True
    cut = place(pixels, Fit.SCALED_IMAGE, image_hw=(6, 8), bbox_xywh=(4, 2, 2, 2))
    assert cut.all()


def test_scaling_takes_the_pixel_under_the_centre() -> None:
    pixels = np.array([[True, False], [False, True]])
    np.testing.assert_array_equal(scale_nearest(pixels, (4, 4)), np.kron(pixels, np.ones((2, 2))))
    rng = np.random.default_rng(0)
    for size in ((7, 9), (20, 13), (3, 50)):
        pixels = rng.random((11, 17)) > 0.5
        resized = Image.fromarray(pixels).resize(size[::-1], Image.Resampling.NEAREST)
        np.testing.assert_array_equal(scale_nearest(pixels, size), np.asarray(resized))
