"""Numbers of a blind audit, against scipy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cfr_core.errors import InputError
from cfr_core.metrics.agreement import agreement, wilson_interval


@settings(deadline=None)
@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_is_wilsons(hits: tuple[int, int]) -> None:
    expected = stats.binomtest(*hits).proportion_ci(0.95, method="wilson")
    assert wilson_interval(*hits, 0.95) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_numbers_are_those_of_the_pairs_with_an_interval_each() -> None:
    ious = np.random.default_rng(1).beta(9, 1, 60)
    found = agreement(ious, rng=np.random.default_rng(2))
    assert (found.n, found.median_iou, found.mean_iou) == (60, np.median(ious), ious.mean())
    assert found.share_good == np.mean(ious > 0.9)
    for statistic, interval in ((np.median, found.median_interval), (np.mean, found.mean_interval)):
        expected = stats.bootstrap(
            (ious,), statistic, method="percentile", rng=np.random.default_rng(3)
        ).confidence_interval
        assert interval == pytest.approx(tuple(expected), abs=0.01)


def test_an_iou_of_exactly_nine_tenths_is_not_above_it() -> None:
    assert agreement(np.array([0.9, 0.91]), rng=np.random.default_rng(0)).share_good == 0.5


def test_one_pair_shows_no_spread_and_none_shows_nothing() -> None:
    one = agreement(np.array([0.8]), rng=np.random.default_rng(0))
    assert (one.median_iou, one.mean_iou, one.share_good) == (0.8, 0.8, 0.0)
    assert np.isnan([*one.median_interval, *one.mean_interval]).all()
    assert one.share_interval[1] > 0.5
    none = agreement(np.empty(0), rng=np.random.default_rng(0))
    assert none.n == 0
    assert math.isnan(none.median_iou)
    assert np.isnan([*none.share_interval, *wilson_interval(0, 0, 0.95)]).all()


@pytest.mark.parametrize("wrong", [1.01, -0.1, math.nan])
def test_what_is_no_iou_is_refused(wrong: float) -> None:
    with pytest.raises(InputError, match="both masks are empty"):
        agreement(np.array([0.5, wrong]), rng=np.random.default_rng(0))
