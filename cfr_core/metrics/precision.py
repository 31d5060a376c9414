"""Average precision of queries whose positives' ranks are known."""

import numpy as np
import numpy.typing as npt

from cfr_core.types import FloatArray, IntArray


def average_precision(query: IntArray, ranks: IntArray, n_queries: int) -> FloatArray:
    """Average precision of each query over its whole gallery.

    AP = (1/P) * sum over the P positives of (positives up to that rank) / rank (Manning et al.,
    Introduction to Information Retrieval, 2008, sec. 8.4). P counts all positives of the gallery,
    not only those of a top k. mAP is the mean over the queries that have a positive.

    Args:
        query: (T,) int, the query of each positive, 0..n_queries-1, in any order.
        ranks: (T,) int, rank of each positive in its query's full ranking, from 1; distinct within
            a query.
        n_queries: Number of queries.

    Returns:
        (n_queries,) float64 in (0, 1]; NaN for a query without a positive.
    """
    order = np.lexsort((ranks, query))
    query, ranks = query[order], ranks[order]
    n_positives = np.bincount(query, minlength=n_queries)
    first = np.cumsum(n_positives) - n_positives
    n_found = np.arange(len(query)) - first[query] + 1
    total = np.bincount(query, weights=n_found / ranks, minlength=n_queries)
    return np.where(n_positives > 0, total / np.maximum(n_positives, 1), np.nan)


def mean_average_precision(precisions: npt.ArrayLike) -> float:
    """Mean of the queries' average precisions (mAP).

    Args:
        precisions: (Q,) as `average_precision` gives them; NaN where undefined.

    Returns:
        Mean over the queries that have a positive; NaN if none has.
    """
    known = np.asarray(precisions, dtype=np.float64)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else float("nan")
