"""Exact neighbours, first hits and average precision of every query, in memory of one block."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cfr_core.errors import InputError
from cfr_core.metrics.precision import average_precision
from cfr_core.retrieval.galleries import Exclusions, gallery_counts
from cfr_core.retrieval.multiply import CPU, multiplier
from cfr_core.retrieval.nearest import NearestRows
from cfr_core.retrieval.products import Products
from cfr_core.retrieval.ranks import RankCounter, all_positives, best_positives
from cfr_core.retrieval.tiles import Layout, products_of
from cfr_core.types import Float32Array, FloatArray, IntArray, Neighbours, RetrievalTask

if TYPE_CHECKING:
    import torch

_BLOCK_ROWS = 1024
_BLOCK_ROWS_ON_GPU = 4096
_POSITIVES_AT_ONCE = 1 << 20


def nearest_neighbours(
    vectors: Float32Array,
    task: RetrievalTask,
    k: int,
    *,
    block_rows: int | None = None,
    device: "str | torch.device" = "cpu",
) -> Neighbours:
    """The k most similar gallery rows of each query, and the rank of its first hit (CFR sec. 3.3).

    The order is exact: it does not depend on block size, threads or device, and rows of equal
    similarity come in the order of their row numbers. Scores are float32 products and may differ
    by 6e-6 between block sizes. Memory beyond the vectors is a few blocks and k + 2 places a query.

    Args:
        vectors: (N, D) float32 unit rows, one for each row of the task.
        task: Queries, gallery and exclusions.
        k: Number of neighbours, at least 1.
        block_rows: Rows and columns of a block of products; chosen by the device if None.
        device: Where to multiply: "cpu", "cuda" or "mps".

    Returns:
        Neighbours in the order of `task.query_rows`.

    Raises:
        InputError: if k < 1, or the vectors are not N finite rows of unit length.
    """
    exclusions, layout, matrix = prepare(vectors, task, block_rows, device)
    targets = best_positives(vectors, exclusions, layout, task.identity_codes)
    counter = RankCounter(targets, vectors, layout)
    nearest = NearestRows(len(layout.query_rows), k)
    for products in matrix:
        nearest.offer(products, layout.gallery_rows[products.gallery])
        counter.offer(products)
    found, scores = nearest.ordered(vectors, exclusions, task.gallery_rows, layout.query_rows)
    first_hit_rank = np.zeros(len(layout.query_rows), dtype=np.int32)
    first_hit_rank[targets.query] = counter.n_before + 1
    first_hit_row = np.full(len(layout.query_rows), -1, dtype=np.int32)
    first_hit_row[targets.query] = targets.rows
    n_gallery, n_positives = gallery_counts(task)
    order = np.argsort(layout.query_rows)
    return Neighbours(
        query_rows=task.query_rows,
        rows=found[order],
        scores=scores[order],
        first_hit_rank=first_hit_rank[order],
        first_hit_row=first_hit_row[order],
        n_positives=n_positives.astype(np.int32),
        n_gallery=n_gallery.astype(np.int32),
    )


def nearest_rows(
    vectors: Float32Array,
    task: RetrievalTask,
    k: int,
    *,
    block_rows: int | None = None,
    device: "str | torch.device" = "cpu",
) -> tuple[IntArray, Float32Array]:
    """The neighbours alone, without the ranks of first hits: what a view of similar rows needs.

    Args:
        vectors: (N, D) float32 unit rows, one for each row of the task.
        task: Queries, gallery and exclusions.
        k: Number of neighbours, at least 1.
        block_rows: Rows and columns of a block of products; chosen by the device if None.
        device: Where to multiply: "cpu", "cuda" or "mps".

    Returns:
        `rows` and `scores` of `Neighbours`, as `nearest_neighbours` finds them.

    Raises:
        InputError: if k < 1, or the vectors are not N finite rows of unit length.
    """
    exclusions, layout, matrix = prepare(vectors, task, block_rows, device)
    nearest = NearestRows(len(layout.query_rows), k)
    for products in matrix:
        nearest.offer(products, layout.gallery_rows[products.gallery])
    found, scores = nearest.ordered(vectors, exclusions, task.gallery_rows, layout.query_rows)
    order = np.argsort(layout.query_rows)
    return found[order], scores[order]


def average_precisions(
    vectors: Float32Array,
    task: RetrievalTask,
    *,
    block_rows: int | None = None,
    device: "str | torch.device" = "cpu",
) -> FloatArray:
    """Average precision of each query over its whole gallery; the mean of them is mAP.

    All positives of the gallery count, found early or late; see `average_precision` for the
    formula. The ranks are exact, as in `nearest_neighbours`. Time grows with the number of
    positives a query: with ten about that of `nearest_neighbours` and a half.

    Args:
        vectors: (N, D) float32 unit rows, one for each row of the task.
        task: Queries, gallery and exclusions.
        block_rows: Rows and columns of a block of products; chosen by the device if None.
        device: Where to multiply: "cpu", "cuda" or "mps".

    Returns:
        (Q,) float64 in (0, 1], in the order of `task.query_rows`; NaN without a positive.

    Raises:
        InputError: if the vectors are not N finite rows of unit length.
    """
    parts = [_average_precisions(vectors, part, block_rows, device) for part in parts_of(task)]
    return np.concatenate([np.empty(0), *parts])


def parts_of(task: RetrievalTask) -> Iterator[RetrievalTask]:
    """The task by groups of queries, so that the pairs with their positives fit in memory.

    Args:
        task: Queries, gallery and exclusions.

    Yields:
        The same task with some of its `query_rows`, in their order; nothing if it has none.
    """
    _, n_positives = gallery_counts(task)
    group = np.cumsum(n_positives) // _POSITIVES_AT_ONCE
    for value in np.unique(group):
        yield replace(task, query_rows=task.query_rows[group == value])


def _average_precisions(
    vectors: Float32Array,
    task: RetrievalTask,
    block_rows: int | None,
    device: "str | torch.device",
) -> FloatArray:
    exclusions, layout, matrix = prepare(vectors, task, block_rows, device)
    targets = all_positives(vectors, exclusions, layout, task.identity_codes)
    counter = RankCounter(targets, vectors, layout)
    for products in matrix:
        counter.offer(products)
    precisions = average_precision(targets.query, counter.n_before + 1, len(layout.query_rows))
    return precisions[np.argsort(layout.query_rows)]


def prepare(
    vectors: Float32Array, task: RetrievalTask, block_rows: int | None, device: "str | torch.device"
) -> tuple[Exclusions, Layout, Iterator[Products]]:
    """What may be retrieved, in which order, and the blocks of the similarity matrix.

    Args:
        vectors: (N, D) float32 unit rows, one for each row of the task.
        task: Queries, gallery and exclusions.
        block_rows: Rows and columns of a block; chosen by the device if None.
        device: Where to multiply.

    Raises:
        InputError: if the vectors are not N finite rows of unit length.
    """
    if len(vectors) != len(task.identity_codes):
        raise InputError(
            f"the task has {len(task.identity_codes)} rows, but there are {len(vectors)} vectors"
        )
    name = str(device)
    default = _BLOCK_ROWS if name == CPU else _BLOCK_ROWS_ON_GPU
    exclusions, layout = Exclusions(task), Layout.of(task)
    rows = multiplier(vectors, name)
    return exclusions, layout, products_of(rows, exclusions, layout, block_rows or default)
