"""A ranking brought up to date after a few rows changed: the result of `rank`, at a small cost.

A query that has not changed meets the changed rows only in so far as they pass other rows, or are
passed by them. So its positives' places are counted up and down by the changed rows alone, and its
nearest rows are merged with them. What is left is ranked anew: queries that changed, queries with a
positive that changed, and queries whose list of nearest rows has lost more than it can know.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cfr_core.errors import InputError
from cfr_core.retrieval.exact import PRODUCT_ERROR, Float64Array, exact_pairs
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.retrieval.ranking import PositiveRanks, Ranking, joined, rank, ranking_of
from cfr_core.types import BoolArray, Float32Array, IntArray, RetrievalTask

if TYPE_CHECKING:
    import torch

_NOBODY = -1


@dataclass(frozen=True)
class Change:
    """Rows that are not what they were when a ranking was made: other vectors, come, or gone.

    Attributes:
        rows: (C,) int64 ascending row numbers.
        vectors_before: (C, D) float32 their vectors then; any unit vector for a row that came.
        was_in_gallery: (C,) bool, whether the row was in the gallery then.
    """

    rows: IntArray
    vectors_before: Float32Array
    was_in_gallery: BoolArray

    def __post_init__(self) -> None:
        n_rows = len(self.rows)
        if len(self.vectors_before) != n_rows or self.was_in_gallery.shape != (n_rows,):
            raise InputError(
                f"{n_rows} changed rows need as many vectors and marks, got "
                f"{self.vectors_before.shape} and {self.was_in_gallery.shape}"
            )
        if (np.diff(self.rows) <= 0).any():
            raise InputError("changed rows must be ascending row numbers, each once")


def repair(
    before: Ranking,
    vectors: Float32Array,
    task: RetrievalTask,
    change: Change,
    *,
    device: "str | torch.device" = "cpu",
) -> Ranking:
    """The ranking that `rank` gives for these vectors and this task, from that of before.

    Row numbers count the rows of both: one that is gone keeps a number and a vector, of any
    direction, but is neither query nor in the gallery. For every row that is not among the
    changed ones, vector, codes and part in the gallery must be what they were.

    Args:
        before: What was found before the change.
        vectors: (N, D) float32 unit rows as they are now.
        task: Queries, gallery and exclusions as they are now.
        change: The rows that changed, and what they were.
        device: Where to multiply for what is ranked anew.

    Raises:
        InputError: if the vectors are not N finite rows of unit length.
    """
    if not len(change.rows):
        return before
    k = before.neighbours.rows.shape[1]
    repaired = _Repair(before, vectors, task, change)
    rows, scores, is_known = repaired.nearest()
    kept = repaired.queries[is_known]
    positives = repaired.positives(kept)
    # Everything else: changed queries, those of changed individuals, and those not known.
    anew = np.setdiff1d(task.query_rows, kept, assume_unique=True)
    found = rank(vectors, replace(task, query_rows=anew), k, device=device)
    order = np.argsort(np.concatenate([kept, anew]))
    return ranking_of(
        task,
        np.concatenate([rows[is_known], found.neighbours.rows])[order],
        np.concatenate([scores[is_known], found.neighbours.scores])[order],
        joined((positives, found.positives)),
    )


class _Repair:
    """Queries that did not change, nor did any of their individual, and the changed rows.

    Attributes:
        queries: (q,) int64 ascending row numbers of these queries.
    """

    def __init__(
        self, before: Ranking, vectors: Float32Array, task: RetrievalTask, change: Change
    ) -> None:
        self._before = before
        self._vectors = vectors
        self._change = change
        both = np.intersect1d(before.neighbours.query_rows, task.query_rows, assume_unique=True)
        codes = task.identity_codes
        self.queries = both[~np.isin(codes[both], codes[change.rows])]
        self._now, self._then = np.split(self._products(task), 2, axis=1)

    def _products(self, task: RetrievalTask) -> Float32Array:
        """(q, 2 C) float32 similarities to the changed rows, first as they are, then as they were.

        -inf where a row cannot be retrieved.
        """
        change = self._change
        both = np.concatenate([self._vectors[change.rows], change.vectors_before])
        # All rows are multiplied, since to pick those of the queries would copy them.
        products: Float32Array = np.matmul(self._vectors, both.T)[self.queries]
        Exclusions(task).blank_by_rules(products, self.queries, np.tile(change.rows, 2))
        is_in_gallery = np.isin(change.rows, task.gallery_rows)
        products[:, ~np.concatenate([is_in_gallery, change.was_in_gallery])] = -np.inf
        return products

    def positives(self, queries: IntArray) -> PositiveRanks:
        """Places of all positives of some of the queries."""
        old = self._before.positives
        old = old.of(np.isin(old.query_rows, queries))
        place = np.searchsorted(self.queries, old.query_rows)
        n_now = self._n_before(old, place, self._now, self._vectors[self._change.rows])
        n_then = self._n_before(old, place, self._then, self._change.vectors_before)
        return replace(old, n_before=old.n_before + n_now - n_then)

    def _n_before(
        self, targets: PositiveRanks, place: IntArray, products: Float32Array, changed: Float32Array
    ) -> IntArray:
        """(T,) int64 number of changed rows before each target."""
        n_before = np.zeros(len(place), dtype=np.int64)
        for number, row in enumerate(self._change.rows):
            values = products[place, number]
            difference = values - targets.scores
            n_before += difference > PRODUCT_ERROR
            near = np.flatnonzero(np.abs(difference) <= PRODUCT_ERROR)
            exact = self._exact(targets.query_rows[near], changed[number])
            wanted = targets.scores[near]
            n_before[near] += (exact > wanted) | ((exact == wanted) & (row < targets.rows[near]))
        return n_before

    def _exact(self, query_rows: IntArray, changed: Float32Array) -> Float64Array:
        """(n,) float64 exact similarities of queries to one changed row."""
        queries, place = np.unique(query_rows, return_inverse=True)
        both = np.vstack([self._vectors[queries], changed])
        return exact_pairs(both, np.arange(len(queries)), np.full(len(queries), len(queries)))[
            place
        ]

    def nearest(self) -> tuple[IntArray, Float32Array, BoolArray]:
        """(q, K) rows and scores, and (q,) bool whether they are known to be the nearest."""
        old = self._before.neighbours
        place = np.searchsorted(old.query_rows, self.queries)
        rows, scores = old.rows[place].astype(np.int64), old.scores[place]
        is_changed = np.zeros(len(self._vectors) + 1, dtype=np.bool_)
        is_changed[self._change.rows] = True  # the last place is that of _NOBODY
        has_lost = is_changed[rows]
        is_whole = rows[:, -1] == _NOBODY
        floor = np.where(has_lost | (rows == _NOBODY), np.inf, scores).min(axis=1)
        floor[is_whole] = -np.inf
        comes = self._now > (floor - 2 * PRODUCT_ERROR)[:, None]
        touched = np.flatnonzero(has_lost.any(axis=1) | comes.any(axis=1))
        rows[has_lost] = _NOBODY
        is_known = np.ones(len(rows), dtype=np.bool_)
        rows[touched], scores[touched], is_known[touched] = self._merged(
            touched, rows[touched], np.where(comes, self._change.rows, _NOBODY)[touched]
        )
        is_known |= is_whole
        return rows.astype(np.int32), scores, is_known

    def _merged(
        self, touched: IntArray, kept: IntArray, coming: IntArray
    ) -> tuple[IntArray, Float32Array, BoolArray]:
        """Nearest of (n, K) rows that stay and (n, C) that come; no row beyond them is known.

        Returns:
            (n, K) rows and scores, and (n,) bool whether none of them lies beyond the last row
            that stays, where rows that nobody has kept may be nearer.
        """
        k = kept.shape[1]
        rows = np.concatenate([kept, coming], axis=1)
        scores = np.full(rows.shape, -np.inf)
        query, place = np.nonzero(rows != _NOBODY)
        scores[query, place] = exact_pairs(
            self._vectors, self.queries[touched[query]], rows[query, place]
        )
        order = np.lexsort((rows, -scores))
        rows, scores = (np.take_along_axis(each, order, axis=1) for each in (rows, scores))
        place = np.arange(rows.shape[1])
        stays = (order < k) & (rows != _NOBODY)
        last_that_stays = np.where(stays, place, -1).max(axis=1)
        scores = np.where(rows == _NOBODY, np.nan, scores)
        return rows[:, :k], scores[:, :k].astype(np.float32), last_that_stays >= k - 1
