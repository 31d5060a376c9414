"""Traits: how much of a picture the individual explains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr_core.demo.traits import Traits, mixed

OWN, FIRST, SECOND = (1,), (2,), (3,)
N = 20_000


def of_photo(share: float, photo: tuple[int, ...]) -> Traits:
    return mixed(share, [(1.0, OWN)], photo)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_the_share_is_the_correlation_of_two_photos_of_one_individual(share: float) -> None:
    first, second = (of_photo(share, photo).normal("x", N) for photo in (FIRST, SECOND))
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_the_share_does_not_change_what_is_common(share: float) -> None:
    values = mixed(share, [(0.8, OWN), (0.2, SECOND)], FIRST).normal("x", N)
    assert values.mean() == pytest.approx(0.0, abs=0.03)
    assert values.std() == pytest.approx(1.0, abs=0.03)
    assert values.dtype == np.float32


def test_a_trait_depends_on_its_name_alone() -> None:
    traits = of_photo(0.5, FIRST)
    before = traits.normal("tail", 3)
    traits.normal("ears", 7)
    np.testing.assert_array_equal(traits.normal("tail", 3), before)
    assert (traits.normal("ears", 3) != before).all()


def test_uniform_traits_fill_their_span() -> None:
    values = of_photo(0.5, FIRST).uniforms("x", N)
    counts, _ = np.histogram(values, bins=10, range=(0.0, 1.0))
    assert counts.sum() == N
    np.testing.assert_allclose(counts, N / 10, rtol=0.12)


@given(st.integers(0, 10_000), st.floats(-5, 5), st.floats(0.01, 5))
def test_a_uniform_trait_stays_in_its_span(seed: int, low: float, width: float) -> None:
    value = Traits(((1.0, (seed,)),)).uniform("x", low, low + width)
    assert low <= value <= low + width + 1e-6


def test_every_option_is_picked_about_equally_often() -> None:
    picked = [Traits(((1.0, (seed,)),)).pick("x", "abc") for seed in range(600)]
    assert all(150 < picked.count(option) < 250 for option in "abc")
