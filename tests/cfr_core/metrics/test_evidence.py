"""CFR, SSI and regions at hand-worked points, at the edges of their definition, and on arrays."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr_core.metrics import (
    above_random,
    cfr,
    cfr_undefined_reason,
    evidence_numbers,
    normalised,
    region,
    ssi_context,
    ssi_headline,
    ssi_undefined_reason,
    ssi_with_silhouette,
)
from cfr_core.types import Region, SilhouetteRole, View

rates = st.floats(0, 1)


def test_a_worked_example():
    # R_rand 0.2: S_full 0.6, S_fg 0.4, S_sc 0.15, S_sil 0.3.
    assert above_random(0.8, 0.2) == pytest.approx(0.6)
    assert normalised(0.8, 0.2) == pytest.approx(0.75)
    assert cfr(0.8, 0.6, 0.2) == pytest.approx(0.5)
    assert ssi_context(0.8, 0.35, 0.2) == pytest.approx(0.25)
    assert ssi_with_silhouette(0.8, 0.35, 0.5, 0.2) == pytest.approx(0.5)


def test_cfr_takes_the_weaker_of_full_and_foreground():
    assert cfr(0.6, 0.8, 0.2) == cfr(0.8, 0.6, 0.2)


def test_below_chance_is_no_evidence_rather_than_negative():
    assert above_random(0.1, 0.2) == 0
    assert cfr(0.8, 0.1, 0.2) == 0
    assert ssi_context(0.8, 0.1, 0.2) == 0


def test_shortcuts_that_retrieve_better_than_the_image_give_one():
    assert ssi_context(0.5, 0.9, 0.2) == 1


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        (SilhouetteRole.IDENTITY, 0.25),
        (SilhouetteRole.SHORTCUT, 0.5),
        (SilhouetteRole.AMBIGUOUS, 0.5),
        ("identity", 0.25),  # as a role comes back from a table
    ],
)
def test_the_role_chooses_the_headline(role, expected: float):
    assert ssi_headline(0.25, 0.5, role) == expected
    rate = {View.FULL: 0.8, View.FOREGROUND: 0.6, View.SHORTCUT: 0.35, View.SILHOUETTE: 0.5}
    numbers = evidence_numbers(rate, 0.2, role)
    assert {name: float(value) for name, value in numbers.items()} == pytest.approx(
        {"cfr": 0.5, "ssi": expected, "ssi_context": 0.25, "ssi_with_silhouette": 0.5}
    )


@pytest.mark.parametrize(
    ("full", "random"),
    [
        (0.1, 0.2),  # below chance
        (0.2, 0.2),  # at chance
        (0.1 + 0.2, 0.3),  # at chance but for rounding: 0.30000000000000004
        (1.0, 1.0),  # chance leaves nothing
    ],
)
def test_ssi_is_undefined_where_the_image_retrieves_nothing(full: float, random: float):
    assert np.isnan(ssi_context(full, 1.0, random))
    assert np.isnan(ssi_with_silhouette(full, 1.0, 1.0, random))
    assert ssi_undefined_reason(full, random) is not None


def test_cfr_is_undefined_where_chance_always_hits():
    assert np.isnan(cfr(1.0, 1.0, 1.0))
    assert cfr_undefined_reason(1.0) == "a random ranking always hits: k covers every gallery"


def test_without_queries_both_are_undefined():
    assert np.isnan(cfr(math.nan, math.nan, math.nan))
    assert np.isnan(ssi_context(math.nan, math.nan, math.nan))
    assert cfr_undefined_reason(math.nan) == "there are no queries"
    assert ssi_undefined_reason(math.nan, math.nan) == "there are no queries"


@given(full=rates, foreground=rates, shortcut=rates, silhouette=rates, random=rates)
def test_bounds_and_reasons(
    full: float, foreground: float, shortcut: float, silhouette: float, random: float
):
    rate = dict(zip(View, (full, foreground, shortcut, silhouette), strict=True))
    numbers = evidence_numbers(rate, random, SilhouetteRole.SHORTCUT)
    for value in numbers.values():
        assert np.isnan(value) or 0 <= value <= 1 + 1e-12
    assert np.isnan(numbers["cfr"]) == (cfr_undefined_reason(random) is not None)
    assert np.isnan(numbers["ssi"]) == (ssi_undefined_reason(full, random) is not None)
    assert not numbers["ssi_context"] > numbers["ssi_with_silhouette"]


def test_arrays_give_what_their_elements_give():
    rng = np.random.default_rng(0)
    random, full, shortcut = rng.random((3, 50))
    together = ssi_context(full, shortcut, random)
    one_by_one = [ssi_context(*each) for each in zip(full, shortcut, random, strict=True)]
    np.testing.assert_array_equal(together, one_by_one)


@pytest.mark.parametrize(
    ("cfr_value", "ssi_value", "expected"),
    [
        (0.2, 0.2, Region.WEAK),
        (0.8, 0.2, Region.FOREGROUND_DRIVEN),
        (0.2, 0.8, Region.SHORTCUT_DRIVEN),
        (0.8, 0.8, Region.LEAKAGE),
        (0.5, 0.499, Region.FOREGROUND_DRIVEN),  # the line itself is high
        (0.499, 0.5, Region.SHORTCUT_DRIVEN),
        (0.0, math.nan, Region.UNDEFINED),
        (math.nan, 0.2, Region.UNDEFINED),
    ],
)
def test_region(cfr_value: float, ssi_value: float, expected: Region):
    assert region(cfr_value, ssi_value) is expected
