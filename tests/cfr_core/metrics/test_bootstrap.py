"""The bootstrap against a plain loop over drawn individuals, and what its intervals promise."""

import math

import numpy as np
import pytest

from cfr_core.errors import InputError
from cfr_core.metrics import (
    QueryOutcomes,
    cfr,
    evidence_intervals,
    hits_at_k,
    percentile_interval,
    random_hit_probability,
    resampled_means,
    ssi_context,
)
from cfr_core.types import SilhouetteRole, View


def _outcomes(rng: np.random.Generator, n_queries: int, n_identities: int) -> QueryOutcomes:
    return QueryOutcomes(
        identity_codes=rng.integers(n_identities, size=n_queries),
        n_gallery=np.full(n_queries, 50),
        n_positives=rng.integers(1, 9, size=n_queries),
        first_hit_rank={
            view: rng.integers(1, limit, size=n_queries)
            for view, limit in zip(View, (3, 4, 6, 9), strict=True)
        },
    )


def _looped(values: np.ndarray, codes: np.ndarray, n_resamples: int, seed: int) -> np.ndarray:
    """Mean over the queries of the drawn individuals, one resample and one individual at a time."""
    rng = np.random.default_rng(seed)
    names = np.unique(codes)
    means = []
    for draw in rng.integers(len(names), size=(n_resamples, len(names))):
        rows = [row for name in names[draw] for row in np.flatnonzero(codes == name)]
        means.append(values[rows].mean(axis=0))
    return np.array(means)


def test_means_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    values, codes = rng.random((60, 3)), rng.choice([4, 9, 11, 30], size=60)
    means = resampled_means(values, codes, n_resamples=25, rng=np.random.default_rng(8))
    np.testing.assert_allclose(means, _looped(values, codes, 25, seed=8), rtol=1e-12)


def test_intervals_are_percentiles_of_paired_resamples():
    outcomes = _outcomes(np.random.default_rng(1), 120, 15)
    columns = [random_hit_probability(outcomes.n_gallery, outcomes.n_positives, 2)]
    columns += [hits_at_k(outcomes.first_hit_rank[view], 2) for view in View]
    samples = _looped(np.column_stack(columns), outcomes.identity_codes, 200, seed=5)
    random, full, foreground, shortcut, _ = samples.T

    intervals = evidence_intervals(
        outcomes, [2], SilhouetteRole.IDENTITY, n_resamples=200, rng=np.random.default_rng(5)
    )[2]
    expected = {
        "random": random,
        "foreground": foreground,
        "cfr": cfr(full, foreground, random),
        "ssi": ssi_context(full, shortcut, random),
    }
    for name, sample in expected.items():
        assert intervals[name] == pytest.approx(np.quantile(sample, [0.025, 0.975])), name


def test_every_number_has_an_interval_at_every_k():
    outcomes = _outcomes(np.random.default_rng(2), 80, 9)
    by_k = evidence_intervals(
        outcomes, [1, 5], SilhouetteRole.SHORTCUT, rng=np.random.default_rng(0)
    )
    views = [view.value for view in View]
    names = {"random", "cfr", "ssi", "ssi_context", "ssi_with_silhouette"}
    names |= {*views, *(f"balanced_{view}" for view in views)}
    assert list(by_k) == [1, 5]
    for intervals in by_k.values():
        assert set(intervals) == names
        assert all(low <= high for low, high in intervals.values())


def test_a_k_beside_others_changes_nothing():
    outcomes = _outcomes(np.random.default_rng(3), 80, 9)
    together, alone = (
        evidence_intervals(outcomes, ks, SilhouetteRole.SHORTCUT, rng=np.random.default_rng(0))
        for ks in ([1, 2, 5], [2])
    )
    for name, interval in alone[2].items():
        assert together[2][name] == pytest.approx(interval), name


def test_views_share_their_resamples():
    """Two equal views have a difference of exactly zero in every resample."""
    codes = np.random.default_rng(4).integers(12, size=90)
    hits = np.random.default_rng(5).random(90) < 0.4
    means = resampled_means(
        np.column_stack([hits, hits]), codes, n_resamples=50, rng=np.random.default_rng(6)
    )
    np.testing.assert_array_equal(means[:, 0], means[:, 1])
    assert np.ptp(means[:, 0]) > 0


def test_individuals_are_resampled_and_not_queries():
    """Ten individuals of 50 equal queries each vary as ten draws do, not as five hundred."""
    codes = np.repeat(np.arange(10), 50)
    hits = (codes < 5)[:, None]
    means = resampled_means(hits, codes, n_resamples=4000, rng=np.random.default_rng(7))
    assert means.std() == pytest.approx(math.sqrt(0.25 / 10), rel=0.05)


def test_intervals_cover_the_true_rate_about_as_often_as_they_say():
    rng = np.random.default_rng(9)
    codes = np.repeat(np.arange(60), 4)
    covered = 0
    for _ in range(150):
        chance = rng.beta(4, 4, size=60)[codes]  # mean 0.5; individuals differ
        hits = (rng.random(240) < chance)[:, None]
        low, high = percentile_interval(
            resampled_means(hits, codes, n_resamples=200, rng=rng)[:, 0], 0.95
        )
        covered += low <= 0.5 <= high
    assert 0.88 <= covered / 150 <= 0.99


def test_the_seed_decides():
    outcomes = _outcomes(np.random.default_rng(1), 50, 8)
    first, again, other = (
        evidence_intervals(outcomes, [1], SilhouetteRole.SHORTCUT, rng=np.random.default_rng(seed))
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_an_interval_that_many_resamples_leave_undefined_is_undefined():
    few = np.array([math.nan] * 5 + [0.5] * 95)
    assert percentile_interval(few, 0.95) == (0.5, 0.5)
    many = np.array([math.nan] * 6 + [0.5] * 94)
    assert all(math.isnan(end) for end in percentile_interval(many, 0.95))


def test_one_individual_shows_no_spread():
    intervals = evidence_intervals(
        _outcomes(np.random.default_rng(1), 20, 1),
        [1],
        SilhouetteRole.SHORTCUT,
        rng=np.random.default_rng(0),
    )
    assert all(math.isnan(end) for interval in intervals[1].values() for end in interval)


def test_no_queries_are_refused():
    with pytest.raises(InputError, match="queries and resamples, got 0, 10"):
        resampled_means(
            np.empty((0, 1)), np.empty(0, int), n_resamples=10, rng=np.random.default_rng(0)
        )


def test_outcomes_are_checked():
    ranks = {view: np.array([1, 2]) for view in View}
    two = np.array([3, 3])
    with pytest.raises(InputError, match=r"missing: \['silhouette'\]"):
        QueryOutcomes(two, two, two, {view: ranks[view] for view in list(View)[:3]})
    with pytest.raises(InputError, match=r"must be \(2,\)"):
        QueryOutcomes(two, two, np.array([1]), ranks)
    with pytest.raises(InputError, match="must have a positive"):
        QueryOutcomes(two, two, np.array([1, 0]), ranks)
