"""Agreement of two sets of masks in numbers: a blind audit of masks (CFR S1, table S2)."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from cfr_core.errors import InputError
from cfr_core.metrics.bootstrap import Interval, percentile_interval
from cfr_core.types import FloatArray

GOOD_IOU = 0.9
"""Above this, a mask counts as one that a person would have drawn (CFR table S2)."""

_LEVEL = 0.95
_N_RESAMPLES = 2000


@dataclass(frozen=True)
class Agreement:
    """IoU of pairs of masks; every interval holds 95 %.

    Attributes:
        n: Pairs.
        median_iou: From 0 to 1; NaN without pairs.
        median_interval: Bootstrap percentiles over the pairs; NaN with fewer than two.
        mean_iou: From 0 to 1.
        mean_interval: As for the median.
        share_good: Share of the pairs with an IoU above 0.9.
        share_interval: Wilson's interval.
    """

    n: int
    median_iou: float
    median_interval: Interval
    mean_iou: float
    mean_interval: Interval
    share_good: float
    share_interval: Interval


def agreement(ious: FloatArray, *, rng: np.random.Generator) -> Agreement:
    """Median and mean IoU, and the share above 0.9, with their intervals.

    Args:
        ious: (N,) IoU of each pair, from 0 to 1.
        rng: Source of the draws of the bootstrap (Efron & Tibshirani 1993, ch. 13).

    Raises:
        InputError: if an IoU is not from 0 to 1.
    """
    values = np.asarray(ious, np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise InputError("an IoU must be from 0 to 1: leave out pairs where both masks are empty")
    n = len(values)
    undefined = (np.nan, np.nan)
    if n == 0:
        return Agreement(0, np.nan, undefined, np.nan, undefined, np.nan, undefined)
    draws = values[rng.integers(n, size=(_N_RESAMPLES, n))] if n > 1 else np.full((1, 1), np.nan)
    n_good = int((values > GOOD_IOU).sum())
    return Agreement(
        n=n,
        median_iou=float(np.median(values)),
        median_interval=percentile_interval(np.median(draws, axis=1), _LEVEL),
        mean_iou=float(values.mean()),
        mean_interval=percentile_interval(draws.mean(axis=1), _LEVEL),
        share_good=n_good / n,
        share_interval=wilson_interval(n_good, n, _LEVEL),
    )


def wilson_interval(n_hits: int, n: int, level: float) -> Interval:
    """Interval of a share (Wilson 1927); good for few cases and for shares near 0 or 1.

    Args:
        n_hits: Cases that count.
        n: All cases.
        level: Confidence, such as 0.95.

    Returns:
        Its ends within 0 and 1; NaN without cases.
    """
    if n == 0:
        return np.nan, np.nan
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    middle = (n_hits + z2 / 2) / (n + z2)
    half = float(np.sqrt(z2 * (n_hits * (n - n_hits) / n + z2 / 4))) / (n + z2)
    return max(0.0, middle - half), min(1.0, middle + half)
