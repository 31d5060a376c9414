"""All that retrieval finds in one view, with what it takes to repair it when a few rows change.

Beside the nearest rows of each query it keeps the place of every positive, from which the first
hit and the average precision follow.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cfr_core.errors import InputError
from cfr_core.metrics.precision import average_precision
from cfr_core.retrieval.exact import Float64Array, exact_pairs
from cfr_core.retrieval.galleries import Exclusions, gallery_counts
from cfr_core.retrieval.multiply import CPU, multiplier
from cfr_core.retrieval.nearest import NearestRows
from cfr_core.retrieval.products import Products
from cfr_core.retrieval.ranks import RankCounter, all_positives
from cfr_core.retrieval.tiles import Layout, Matrix
from cfr_core.types import BoolArray, Float32Array, FloatArray, IntArray, Neighbours, RetrievalTask

if TYPE_CHECKING:
    import torch

_BLOCK_ROWS = 1024
_BLOCK_ROWS_ON_GPU = 2048
_POSITIVES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class PositiveRanks:
    """Places of all positives of all queries, by query and then by row.

    Attributes:
        query_rows: (T,) int64 ascending row numbers of the queries.
        rows: (T,) int64 row numbers of the positives, ascending within a query.
        scores: (T,) float64 exact similarities.
        n_before: (T,) int64 rows of the query's gallery that come before the positive.
    """

    query_rows: IntArray
    rows: IntArray
    scores: Float64Array
    n_before: IntArray

    def __post_init__(self) -> None:
        shapes = {name: array.shape for name, array in vars(self).items()}
        if len(set(shapes.values())) != 1 or self.rows.ndim != 1:
            raise InputError(f"all four arrays must be (T,) for one T, got {shapes}")

    def of(self, chosen: IntArray | BoolArray) -> "PositiveRanks":
        """Some of the lines.

        Args:
            chosen: (n,) int64 lines in their order, or (T,) bool.
        """
        return PositiveRanks(
            self.query_rows[chosen], self.rows[chosen], self.scores[chosen], self.n_before[chosen]
        )


@dataclass(frozen=True)
class Ranking:
    """What retrieval found in one view.

    Attributes:
        neighbours: The nearest rows; their scores are exact products rounded to float32, so that
            they do not depend on blocks, threads or device.
        positives: Places of all positives.
    """

    neighbours: Neighbours
    positives: PositiveRanks

    @property
    def average_precisions(self) -> FloatArray:
        """(Q,) float64 average precision of each query; the mean is mAP."""
        queries = self.neighbours.query_rows
        places = np.searchsorted(queries, self.positives.query_rows)
        return average_precision(places, self.positives.n_before + 1, len(queries))

    def renumbered(self, numbers: IntArray) -> "Ranking":
        """The same ranking of rows that are counted otherwise, in the same order.

        Args:
            numbers: (N,) int64 new number of each row, ascending over the rows that occur here.
        """
        found, positives = self.neighbours, self.positives
        # An array's last place is that of -1, which stands for no row.
        of_rows = np.append(numbers, -1)
        return Ranking(
            replace(
                found,
                query_rows=numbers[found.query_rows],
                rows=of_rows[found.rows].astype(np.int32),
                first_hit_row=of_rows[found.first_hit_row].astype(np.int32),
            ),
            replace(
                positives,
                query_rows=numbers[positives.query_rows],
                rows=numbers[positives.rows],
            ),
        )


def rank(
    vectors: Float32Array,
    task: RetrievalTask,
    k: int,
    *,
    block_rows: int | None = None,
    device: "str | torch.device" = "cpu",
) -> Ranking:
    """The nearest rows of each query and the places of all its positives (CFR sec. 3.3), exactly.

    The similarities are made once for both. The order and the scores are exact: they do not depend
    on block size, threads or device, and rows of equal similarity come in the order of their row
    numbers. Memory beyond the vectors is a few blocks a thread, k + 4 places a query, and the
    positives of a group of queries.

    Args:
        vectors: (N, D) float32 unit rows, one for each row of the task.
        task: Queries, gallery and exclusions.
        k: Number of neighbours, at least 1.
        block_rows: Rows and columns of a block of products; chosen by the device if None.
        device: Where to multiply: "cpu", "cuda" or "mps".

    Raises:
        InputError: if k < 1, or the vectors are not N finite rows of unit length.
    """
    parts = [
        _rank_part(vectors, part, k, block_rows=block_rows, device=device)
        for part in list(_parts_of(task)) or [task]
    ]
    rows, scores, positives = zip(*parts, strict=True)
    return ranking_of(task, np.concatenate(rows), np.concatenate(scores), joined(positives))


def ranking_of(
    task: RetrievalTask, rows: IntArray, scores: Float32Array, positives: PositiveRanks
) -> Ranking:
    """A ranking from its parts; the first hit of a query is its positive with the fewest before it.

    Args:
        task: Queries, gallery and exclusions.
        rows: (Q, K) int32 nearest rows.
        scores: (Q, K) float32 exact similarities.
        positives: Places of all positives of the task's queries.
    """
    queries, first, n_each = np.unique(positives.query_rows, return_index=True, return_counts=True)
    fewest = np.minimum.reduceat(positives.n_before, first) if len(first) else first
    is_first = positives.n_before == np.repeat(fewest, n_each)  # one a query: places are distinct
    place = np.searchsorted(task.query_rows, queries)
    first_hit_rank = np.zeros(len(task.query_rows), dtype=np.int32)
    first_hit_rank[place] = fewest + 1
    first_hit_row = np.full(len(task.query_rows), -1, dtype=np.int32)
    first_hit_row[place] = positives.rows[is_first]
    n_gallery, n_positives = gallery_counts(task)
    neighbours = Neighbours(
        query_rows=task.query_rows,
        rows=rows,
        scores=scores,
        first_hit_rank=first_hit_rank,
        first_hit_row=first_hit_row,
        n_positives=n_positives.astype(np.int32),
        n_gallery=n_gallery.astype(np.int32),
    )
    return Ranking(neighbours, positives)


def joined(parts: Sequence[PositiveRanks]) -> PositiveRanks:
    """Positives of different queries together, by query and then by row.

    Args:
        parts: Each in this order already, no query in two of them.
    """
    columns = [
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("query_rows", "rows", "scores", "n_before")
    ]
    together = PositiveRanks(*columns)
    return together.of(np.argsort(together.query_rows, kind="stable"))


def _rank_part(
    vectors: Float32Array,
    task: RetrievalTask,
    k: int,
    *,
    block_rows: int | None,
    device: "str | torch.device",
) -> tuple[IntArray, Float32Array, PositiveRanks]:
    matrix = _matrix(vectors, task, block_rows, device)
    exclusions, layout = matrix.exclusions, matrix.layout
    targets = all_positives(vectors, exclusions, layout, task.identity_codes)
    counter = RankCounter(targets, vectors, layout)
    nearest = NearestRows(len(layout.query_rows), k)

    def offer(products: Products) -> None:
        nearest.offer(products, layout.gallery_rows[products.gallery])
        counter.offer(products)

    matrix.visit(offer)
    found = nearest.ordered(vectors, exclusions, task.gallery_rows, layout.query_rows)
    rows = found[np.argsort(layout.query_rows)]
    positives = PositiveRanks(
        layout.query_rows[targets.query], targets.rows, targets.scores, counter.n_before()
    )
    return rows, _exact_scores(vectors, task.query_rows, rows), positives


def _exact_scores(vectors: Float32Array, query_rows: IntArray, rows: IntArray) -> Float32Array:
    """(Q, K) float32 exact similarities of (Q, K) neighbours; NaN where there is none."""
    scores = np.full(rows.shape, np.nan, dtype=np.float32)
    query, place = np.nonzero(rows >= 0)
    ours, other = query_rows[query], rows[query, place].astype(np.int64)
    # Many rows are among each other's nearest, and such a pair is multiplied once.
    pair = np.minimum(ours, other) * len(vectors) + np.maximum(ours, other)
    pairs, which = np.unique(pair, return_inverse=True)
    scores[query, place] = exact_pairs(vectors, *np.divmod(pairs, len(vectors)))[which]
    return scores


def _parts_of(task: RetrievalTask) -> Iterator[RetrievalTask]:
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


def _matrix(
    vectors: Float32Array, task: RetrievalTask, block_rows: int | None, device: "str | torch.device"
) -> Matrix:
    """The similarities of all queries to their galleries, to be visited."""
    if len(vectors) != len(task.identity_codes):
        raise InputError(
            f"the task has {len(task.identity_codes)} rows, but there are {len(vectors)} vectors"
        )
    name = str(device)
    default = _BLOCK_ROWS if name == CPU else _BLOCK_ROWS_ON_GPU
    rows = multiplier(vectors, name)
    return Matrix(rows, Exclusions(task), Layout.of(task), block_rows or default)
