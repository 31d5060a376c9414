"""Clean-up of masks, against flooding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cfr_core.errors import InputError
from cfr_core.masks.cleanup import CleanUp, clean_up
from cfr_core.masks.measures import measure_mask
from tests.cfr_core.masks.naive import holes_of, parts_of

small_masks = hnp.arrays(np.bool_, st.tuples(st.integers(1, 14), st.integers(1, 14)))
shares = st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0])


def disc(radius: float, size: int = 200) -> np.ndarray:
    yy, xx = np.mgrid[:size, :size]
    return np.hypot(yy - size / 2, xx - size / 2) < radius


def tidied(pixels: np.ndarray, island_share: float, hole_share: float) -> np.ndarray:
    """Holes filled and parts dropped one by one."""
    out = pixels.copy()
    found = holes_of(pixels)
    whole = pixels.sum() + sum(map(len, found))
    for hole in found:
        if len(hole) < hole_share * whole:
            out[tuple(zip(*hole, strict=True))] = True
    remaining = parts_of(out)
    largest = max(map(len, remaining))
    for part in remaining:
        if len(part) < island_share * largest:
            out[tuple(zip(*part, strict=True))] = False
    return out


@settings(deadline=None)
@given(small_masks.filter(np.any), shares, shares)
def test_small_holes_are_filled_and_small_parts_dropped(
    pixels: np.ndarray, island_share: float, hole_share: float
) -> None:
    before = pixels.copy()
    cleaned = clean_up(pixels, CleanUp(island_share, hole_share, smoothing=0))
    np.testing.assert_array_equal(cleaned.pixels, tidied(pixels, island_share, hole_share))
    np.testing.assert_array_equal(pixels, before)
    again = clean_up(cleaned.pixels, CleanUp(island_share, hole_share, smoothing=0))
    np.testing.assert_array_equal(again.pixels, cleaned.pixels)
    assert (again.n_islands, again.n_holes, again.added_px, again.removed_px) == (0, 0, 0, 0)


@settings(deadline=None)
@given(small_masks, shares, shares, st.sampled_from([0.0, 0.02, 0.1]))
def test_numbers_add_up_and_an_animal_never_vanishes(
    pixels: np.ndarray, island_share: float, hole_share: float, smoothing: float
) -> None:
    cleaned = clean_up(pixels, CleanUp(island_share, hole_share, smoothing))
    assert cleaned.pixels.any() == pixels.any()
    assert cleaned.added_px == (cleaned.pixels & ~pixels).sum()
    assert cleaned.removed_px == (pixels & ~cleaned.pixels).sum()
    assert cleaned.pixels.sum() == pixels.sum() + cleaned.added_px - cleaned.removed_px


def test_smoothing_takes_off_the_jags_and_keeps_the_shape() -> None:
    noise = np.random.default_rng(0).random((100, 100)) < 0.5
    edge = disc(62) & ~disc(58)
    jagged = np.where(edge, noise.repeat(2, 0).repeat(2, 1), disc(58))
    cleaned = clean_up(jagged, CleanUp(smoothing=0.02))
    assert measure_mask(jagged).roughness > 0.1
    assert measure_mask(cleaned.pixels).roughness < 0.05
    union = (cleaned.pixels | disc(60)).sum()
    assert (cleaned.pixels & disc(60)).sum() / union > 0.97
    twice = clean_up(cleaned.pixels, CleanUp(smoothing=0.02))
    assert twice.added_px + twice.removed_px < 0.2 * (cleaned.added_px + cleaned.removed_px)


@pytest.mark.parametrize("turns", range(4))
def test_an_edge_that_is_cut_by_the_picture_is_not_rounded(turns: int) -> None:
    band = np.zeros((60, 90), bool)
    band[20:] = True
    band = np.rot90(band, turns)
    cleaned = clean_up(band, CleanUp(smoothing=0.05))
    np.testing.assert_array_equal(cleaned.pixels, band)
    assert cleaned.words == "Nothing to clean up."


def test_a_part_behind_branches_stays() -> None:
    animal = disc(60)
    animal[:, 95:100] = False  # a trunk before it
    assert clean_up(animal, CleanUp(smoothing=0)).removed_px == 0


def test_what_was_done_is_said_with_numbers() -> None:
    pixels = disc(60)
    pixels[100, 100] = False
    pixels[5, 5] = pixels[5, 9] = True
    words = clean_up(pixels, CleanUp(smoothing=0)).words
    assert words == "2 loose parts dropped, 1 hole filled: 1 px added and 2 px removed in all."


@pytest.mark.parametrize(
    "amount", [{"island_share": -0.1}, {"hole_share": 1.5}, {"smoothing": float("nan")}]
)
def test_an_amount_out_of_range_is_refused(amount: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(amount))):
        CleanUp(**amount)
