"""Two runs of one dataset, compared query by query."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from cfr_core.audit.kinds import MatchKind, match_kinds
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.stored import read_profile, read_queries
from cfr_core.errors import InputError
from cfr_core.metrics.bootstrap import Interval, percentile_interval, resampled_means
from cfr_core.metrics.evidence import evidence_numbers
from cfr_core.metrics.rates import hits_at_k, random_hit_probability
from cfr_core.types import FloatArray, SilhouetteRole, View

N_RESAMPLES = 2000
_LEVEL = 0.95
_RANDOM = "random"
_N_COLUMNS = 1 + len(View)


@dataclass(frozen=True)
class Difference:
    """A number in two runs, over the queries that both have.

    Attributes:
        name: "full" and the other views (R@k), "random", "cfr" or "ssi".
        first: Value in the first run, a fraction; NaN where undefined.
        second: Value in the second run.
        interval: 95 % interval of second less first, over resamples of the individuals that are
            the same for both runs; NaN where undefined.
    """

    name: str
    first: float
    second: float
    interval: Interval

    @property
    def change(self) -> float:
        """Second less first."""
        return self.second - self.first

    @property
    def is_clear(self) -> bool:
        """True if the interval does not contain 0."""
        low, high = self.interval
        return low > 0 or high < 0


@dataclass(frozen=True)
class Comparison:
    """Two runs of one dataset at one k.

    Attributes:
        n_common: Queries of both runs; all numbers are over these.
        n_identities: Individuals among them.
        n_only_first: Queries of the first run that the second does not have.
        n_only_second: Queries of the second run that the first does not have.
        differences: By name, in the order full, foreground, shortcut, silhouette, random, cfr, ssi.
        queries: A line a common query: row_id, path, identity, first_kind and second_kind (of
            `MatchKind`), and for each view `first_<view>_rank` and `second_<view>_rank`.
    """

    n_common: int
    n_identities: int
    n_only_first: int
    n_only_second: int
    differences: Mapping[str, Difference]
    queries: pd.DataFrame

    @cached_property
    def kinds(self) -> pd.DataFrame:
        """(kinds, kinds) counts: kind in the first run by line, in the second by column."""
        order = list(MatchKind)
        counts = pd.crosstab(self.queries["first_kind"], self.queries["second_kind"])
        return counts.reindex(index=order, columns=order, fill_value=0)

    @cached_property
    def changed(self) -> pd.DataFrame:
        """The lines of `queries` whose kind differs, the most suspicious in either run first."""
        queries = self.queries
        changed = queries[queries["first_kind"] != queries["second_kind"]]
        place = {kind: i for i, kind in enumerate(MatchKind)}
        first, second = (
            changed[name].map(place).astype(int) for name in ("first_kind", "second_kind")
        )
        order = pd.DataFrame({"worst": np.minimum(first, second), "first": first}).sort_values(
            ["worst", "first"], kind="stable"
        )
        return changed.loc[order.index].reset_index(drop=True)


def compare_runs(
    first: Path, second: Path, k: int, *, n_resamples: int = N_RESAMPLES, seed: int = 0
) -> Comparison:
    """Compare two runs over the queries that both have.

    Galleries may differ where protocols do; then the rate of a random ranking differs too.

    Args:
        first: `runs/<run_id>` of a workspace.
        second: Another run of the same dataset.
        k: Number of nearest photos looked at, at least 1.
        n_resamples: Resamples of the individuals.
        seed: Of the resamples.

    Raises:
        InputError: if the runs are of different datasets, have no query in common, or cannot be
            read.
    """
    profiles = read_profile(first), read_profile(second)
    tables = read_queries(first), read_queries(second)
    common = _common(profiles, tables)
    differences = _differences(
        common,
        k,
        (profiles[0].silhouette_role, profiles[1].silhouette_role),
        n_resamples=n_resamples,
        rng=np.random.default_rng(seed),
    )
    return Comparison(
        n_common=len(common),
        n_identities=int(common["identity"].nunique()),
        n_only_first=len(tables[0]) - len(common),
        n_only_second=len(tables[1]) - len(common),
        differences=differences,
        queries=_with_kinds(common, k),
    )


def _common(
    profiles: tuple[EvidenceProfile, EvidenceProfile], tables: tuple[pd.DataFrame, pd.DataFrame]
) -> pd.DataFrame:
    """Queries of both runs: row_id, path, identity and, for each run, ranks and gallery sizes."""
    one, other = (profile.dataset for profile in profiles)
    if one != other:
        raise InputError(
            f"the runs are of different datasets, {one!r} and {other!r}: only runs of one dataset "
            "have queries in common"
        )
    numbers = ["n_gallery", "n_positives", *(f"{view.value}_rank" for view in View)]
    parts = [
        table.set_index("row_id")[numbers].add_prefix(prefix)
        for table, prefix in zip(tables, ("first_", "second_"), strict=True)
    ]
    names = tables[0].set_index("row_id")[["path", "identity"]]
    common = pd.concat([names, *parts], axis=1, join="inner").reset_index()
    if common.empty:
        raise InputError(
            f"the runs of {one!r} have no query in common: they ask different photos, or the "
            "dataset was replaced between them"
        )
    return common


def _differences(
    common: pd.DataFrame,
    k: int,
    roles: tuple[SilhouetteRole, SilhouetteRole],
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> dict[str, Difference]:
    values = np.column_stack([_columns(common, run, k) for run in ("first_", "second_")])
    identity = pd.factorize(common["identity"])[0]
    samples = resampled_means(values, identity, n_resamples=n_resamples, rng=rng)
    has_spread = len(np.unique(identity)) > 1
    first, second = _numbers(values.mean(axis=0), roles)
    first_samples, second_samples = _numbers(samples.T, roles)
    return {
        name: Difference(
            name,
            float(first[name]),
            float(second[name]),
            percentile_interval(second_samples[name] - first_samples[name], _LEVEL)
            if has_spread
            else (math.nan, math.nan),
        )
        for name in first
    }


def _columns(common: pd.DataFrame, run: str, k: int) -> FloatArray:
    """(Q, 1 + views) float64: chance of a random hit, then the hit in each view."""
    n_gallery, n_positives = (
        common[f"{run}{name}"].to_numpy() for name in ("n_gallery", "n_positives")
    )
    hits = [hits_at_k(common[f"{run}{view.value}_rank"].to_numpy(), k) for view in View]
    return np.column_stack([random_hit_probability(n_gallery, n_positives, k), *hits])


def _numbers(
    means: FloatArray, roles: tuple[SilhouetteRole, SilhouetteRole]
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Numbers of both runs by name, from the means of their columns, (2 + 2 views, ...)."""
    return (
        _numbers_of_run(means[:_N_COLUMNS], roles[0]),
        _numbers_of_run(means[_N_COLUMNS:], roles[1]),
    )


def _numbers_of_run(means: FloatArray, role: SilhouetteRole) -> dict[str, FloatArray]:
    random, *rates = means
    by_view = dict(zip(View, rates, strict=True))
    evidence = evidence_numbers(by_view, random, role)
    return {
        **{view.value: rate for view, rate in by_view.items()},
        _RANDOM: random,
        **{name: evidence[name] for name in ("cfr", "ssi")},
    }


def _with_kinds(common: pd.DataFrame, k: int) -> pd.DataFrame:
    kinds = {
        f"{run}kind": match_kinds(
            {view: hits_at_k(common[f"{run}{view.value}_rank"].to_numpy(), k) for view in View}
        )
        for run in ("first_", "second_")
    }
    ranks = [f"{run}{view.value}_rank" for run in ("first_", "second_") for view in View]
    return pd.concat(
        [
            common[["row_id", "path", "identity"]],
            pd.DataFrame(kinds, index=common.index),
            common[ranks],
        ],
        axis=1,
    )
