"""Retrieval rates, and the rate of a random ranking (CFR sec. 3.3 and 3.4)."""

import numpy as np

from cfr_core.errors import InputError
from cfr_core.types import BoolArray, FloatArray, IntArray


def hits_at_k(first_hit_rank: IntArray, k: int) -> BoolArray:
    """Whether the k most similar gallery rows show the query's individual (CFR sec. 3.3).

    Args:
        first_hit_rank: (Q,) int, rank of the first right row from 1; 0 without a positive.
        k: Number of rows looked at, at least 1.

    Returns:
        (Q,) bool.

    Raises:
        InputError: if k < 1.
    """
    _check_k(k)
    return (first_hit_rank >= 1) & (first_hit_rank <= k)


def retrieval_at_k(first_hit_rank: IntArray, k: int) -> float:
    """R_T@k, the share of queries with a hit in the top k (CFR sec. 3.3).

    Others call it CMC, rank-k or Recall@k.

    Args:
        first_hit_rank: (Q,) int, rank of the first right row in view T from 1.
        k: Number of rows looked at, at least 1.

    Returns:
        Fraction in [0, 1]; NaN without queries.

    Raises:
        InputError: if k < 1.
    """
    return _mean(hits_at_k(first_hit_rank, k))


def balanced_retrieval_at_k(
    first_hit_rank: IntArray, query_identity_codes: IntArray, k: int
) -> float:
    """R_T@k of each individual, averaged over individuals (balanced accuracy at k = 1).

    An individual photographed a thousand times counts as much as one photographed twice.

    Args:
        first_hit_rank: (Q,) int, rank of the first right row in view T from 1.
        query_identity_codes: (Q,) int, individual of each query.
        k: Number of rows looked at, at least 1.

    Returns:
        Fraction in [0, 1]; NaN without queries.

    Raises:
        InputError: if k < 1.
    """
    hits = hits_at_k(first_hit_rank, k)
    _, identity = np.unique(query_identity_codes, return_inverse=True)
    return _mean(np.bincount(identity, weights=hits) / np.bincount(identity))


def random_hit_probability(n_gallery: IntArray, n_positives: IntArray, k: int) -> FloatArray:
    """Probability that a random ranking has a hit in the top k, for each query (CFR Eq. 8).

    1 - C(n - p, K) / C(n, K) with n gallery rows, p positives and K = min(k, n); the fraction is
    the product of 1 - p / (n - i) over i < K, summed here as logarithms. It is 0, and a hit is
    certain, where n - p < K.

    Args:
        n_gallery: (Q,) int, gallery rows of each query.
        n_positives: (Q,) int, positives among them.
        k: Number of rows looked at, at least 1.

    Returns:
        (Q,) float64 in [0, 1]; NaN where the gallery is empty.

    Raises:
        InputError: if k < 1.
    """
    _check_k(k)
    n, p = np.asarray(n_gallery, dtype=np.float64), np.asarray(n_positives, dtype=np.float64)
    n_drawn = np.minimum(k, n)
    is_certain = n - p < n_drawn
    log_miss = np.zeros(n.shape)
    for i in range(int(n_drawn.max(initial=0))):
        is_drawn = (i < n_drawn) & ~is_certain
        log_miss += np.log1p(-np.where(is_drawn, p, 0.0) / np.where(is_drawn, n - i, 1.0))
    return np.where(n > 0, np.where(is_certain, 1.0, -np.expm1(log_miss)), np.nan)


def random_rate(n_gallery: IntArray, n_positives: IntArray, k: int) -> float:
    """R_rand@k, the expected R@k of a random ranking over the same queries (CFR Eq. 8).

    Args:
        n_gallery: (Q,) int, gallery rows of each query.
        n_positives: (Q,) int, positives among them.
        k: Number of rows looked at, at least 1.

    Returns:
        Fraction in [0, 1]; NaN without queries.

    Raises:
        InputError: if k < 1.
    """
    return _mean(random_hit_probability(n_gallery, n_positives, k))


def _mean(values: BoolArray | FloatArray) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _check_k(k: int) -> None:
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
