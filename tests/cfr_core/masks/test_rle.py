"""Run lengths: round trips, and refusal of counts that do not fit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pycocotools import mask as coco

from cfr_core.errors import MaskError
from cfr_core.masks.rle import area_px, decode, decode_counts, encode, run_lengths
from cfr_core.types import Mask, MaskStatus

masks = hnp.arrays(np.bool_, st.tuples(st.integers(1, 40), st.integers(1, 40)))


def as_mask(pixels: np.ndarray) -> Mask:
    return Mask(0, pixels.shape, encode(pixels), "human", MaskStatus.ACCEPTED)


@given(masks)
def test_round_trip(pixels: np.ndarray) -> None:
    mask = as_mask(pixels)
    np.testing.assert_array_equal(decode(mask), pixels)
    assert area_px(mask) == pixels.sum()


@given(masks)
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_decoding_agrees_with_pycocotools(pixels: np.ndarray) -> None:
    counts = encode(pixels)
    expected = coco.decode({"size": list(pixels.shape), "counts": counts.encode()})
    np.testing.assert_array_equal(decode_counts(counts, pixels.shape), expected)


@given(masks)
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_plain_run_lengths_are_read_by_pycocotools(pixels: np.ndarray) -> None:
    counts = run_lengths(pixels)
    compressed = coco.frPyObjects({"size": list(pixels.shape), "counts": counts}, *pixels.shape)
    np.testing.assert_array_equal(coco.decode(compressed), pixels)
    assert all(counts[1:])


def test_a_ring_keeps_its_hole() -> None:
    yy, xx = np.mgrid[:64, :80]
    radius = np.hypot(yy - 32, xx - 40)
    ring = (radius < 25) & (radius > 10)
    assert not decode(as_mask(ring))[32, 40]


@given(masks)
def test_counts_of_another_size_are_refused(pixels: np.ndarray) -> None:
    height, width = pixels.shape
    with pytest.raises(MaskError, match="run lengths cover"):
        decode_counts(encode(pixels), (height + 1, width))


def test_long_runs_and_many_of_them_are_read() -> None:
    pixels = np.zeros((3000, 2000), bool)
    pixels[1::7, 1500:] = True
    pixels[:, 3] = True
    np.testing.assert_array_equal(decode(as_mask(pixels)), pixels)


@pytest.mark.parametrize("counts", ["ab\x01", "PP", "~~~~", "", "o" * 40 + "0", "\ud800", "0é"])
def test_broken_counts_are_refused(counts: str) -> None:
    with pytest.raises(MaskError):
        decode_counts(counts, (4, 4))


def test_an_array_that_is_no_mask_is_refused() -> None:
    with pytest.raises(MaskError, match="shape"):
        encode(np.zeros((2, 2, 3), bool))
