"""Intervals by resampling identities: queries of one individual are not independent.

Every resample draws as many individuals as there are, with replacement, each with all its queries.
One resample serves all views, every k and the random rate, so their differences are paired.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from cfr_core.errors import InputError
from cfr_core.metrics.evidence import evidence_numbers
from cfr_core.metrics.outcomes import QueryOutcomes
from cfr_core.metrics.rates import hits_at_k, random_hit_probability
from cfr_core.types import FloatArray, IntArray, SilhouetteRole, View

Interval = tuple[float, float]
"""(low, high); both NaN where undefined."""

_DRAWS_AT_ONCE = 1 << 20
_N_COLUMNS = 1 + len(View)


def resampled_means(
    values: npt.ArrayLike,
    identity_codes: IntArray,
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Means over the queries of resamples of the individuals (Efron & Tibshirani 1993, ch. 8).

    Args:
        values: (Q, M) numbers of each query; the columns share the resamples.
        identity_codes: (Q,) int, individual of each query.
        n_resamples: Number of resamples, at least 1.
        rng: Source of the draws.

    Returns:
        (n_resamples, M) float64: mean over the queries of the individuals drawn, an individual
        drawn twice counting twice.

    Raises:
        InputError: if there is no query or n_resamples < 1.
    """
    columns = np.asarray(values, dtype=np.float64)
    _check(len(columns), n_resamples)
    return _resampled(columns, identity_codes, n_resamples, rng)[0]


def evidence_intervals(
    outcomes: QueryOutcomes,
    ks: Sequence[int],
    role: SilhouetteRole,
    *,
    n_resamples: int = 1000,
    rng: np.random.Generator,
    level: float = 0.95,
) -> dict[int, dict[str, Interval]]:
    """Percentile intervals of all rates, CFR and SSI over resamples of the individuals.

    Args:
        outcomes: The queries and what each view found.
        ks: Numbers of rows looked at, each at least 1.
        role: Role of the outline, which chooses the headline SSI.
        n_resamples: Number of resamples.
        rng: Source of the draws.
        level: Share of the resamples inside an interval.

    Returns:
        By k, an interval for "random", each view's rate ("full" and so on), its average over
        individuals ("balanced_full" and so on), "cfr", "ssi", "ssi_context" and
        "ssi_with_silhouette". All are NaN with fewer than two individuals, which show no spread;
        one is NaN where more than 1 - level of the resamples leave it undefined.

    Raises:
        InputError: if there are no queries.
    """
    _check(len(outcomes.identity_codes), n_resamples)
    table = np.concatenate([_table(outcomes, k) for k in ks], axis=1)
    by_query, by_identity = _resampled(table, outcomes.identity_codes, n_resamples, rng)
    has_spread = len(np.unique(outcomes.identity_codes)) > 1
    intervals = {}
    for place, k in enumerate(ks):
        part = slice(place * _N_COLUMNS, (place + 1) * _N_COLUMNS)
        samples = _samples(by_query[:, part].T, by_identity[:, part].T, role)
        intervals[k] = {
            name: percentile_interval(sample, level) if has_spread else (np.nan, np.nan)
            for name, sample in samples.items()
        }
    return intervals


def percentile_interval(samples: FloatArray, level: float) -> Interval:
    """Central share of samples (Efron & Tibshirani 1993, ch. 13).

    Args:
        samples: (R,) numbers; NaN where a resample leaves the number undefined.
        level: Share inside the interval.

    Returns:
        Its ends; NaN if more than 1 - level of the samples are NaN.
    """
    known = samples[~np.isnan(samples)]
    if len(known) < level * len(samples):
        return np.nan, np.nan
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _table(outcomes: QueryOutcomes, k: int) -> FloatArray:
    """(Q, 1 + views) float64: chance of a random hit, then the hit in each view."""
    hits = [hits_at_k(outcomes.first_hit_rank[view], k) for view in View]
    return np.column_stack(
        [random_hit_probability(outcomes.n_gallery, outcomes.n_positives, k), *hits]
    )


def _samples(
    by_query: FloatArray, by_identity: FloatArray, role: SilhouetteRole
) -> dict[str, FloatArray]:
    """(R,) samples of every number, by name, from the resampled columns of one table."""
    random, *rates = by_query
    rate: Mapping[View, FloatArray] = dict(zip(View, rates, strict=True))
    balanced = {f"balanced_{view}": row for view, row in zip(View, by_identity[1:], strict=True)}
    by_view = {view.value: rate[view] for view in View}
    return {"random": random, **by_view, **balanced, **evidence_numbers(rate, random, role)}


def _resampled(
    values: FloatArray, identity_codes: IntArray, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Means of (Q, M) values over queries and over individuals, (n_resamples, M) each."""
    totals = _totals(np.column_stack([values, np.ones(len(values))]), identity_codes)
    averages = totals[:, :-1] / totals[:, -1:]
    sums = _resampled_sums(np.column_stack([averages, totals]), n_resamples, rng)
    by_identity, by_query, n_queries = np.split(sums, [values.shape[1], -1], axis=1)
    return by_query / n_queries, by_identity / len(totals)


def _totals(values: FloatArray, identity_codes: IntArray) -> FloatArray:
    """(I, M) sums of each individual's rows of (Q, M) values, individuals by ascending code."""
    names, identity = np.unique(identity_codes, return_inverse=True)
    totals = np.zeros((len(names), values.shape[1]))
    np.add.at(totals, identity, values)
    return totals


def _resampled_sums(totals: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """(n_resamples, M) sums of (I, M) totals over the individuals that each resample draws."""
    n_at_once = max(1, _DRAWS_AT_ONCE // len(totals))
    parts = [
        _times_drawn(min(n_at_once, n_resamples - first), len(totals), rng) @ totals
        for first in range(0, n_resamples, n_at_once)
    ]
    return np.concatenate(parts)


def _times_drawn(n_resamples: int, n_identities: int, rng: np.random.Generator) -> FloatArray:
    """(n_resamples, n_identities) float64: how often each individual is in each resample."""
    drawn = rng.integers(n_identities, size=(n_resamples, n_identities))
    drawn += n_identities * np.arange(n_resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=drawn.size)
    return counts.reshape(drawn.shape).astype(np.float64)


def _check(n_queries: int, n_resamples: int) -> None:
    if n_queries < 1 or n_resamples < 1:
        raise InputError(f"resampling needs queries and resamples, got {n_queries}, {n_resamples}")
