"""Exact places of given rows in the full ranking of their query, without sorting it.

A target is a gallery row whose place is asked for, with its exact similarity to the query. Its rank
is one more than the number of gallery rows before it: those of higher similarity, and those of the
same similarity and lower row number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock

import numpy as np

from cfr_core.retrieval.exact import (
    PRODUCT_ERROR,
    Float64Array,
    blocks,
    exact_pairs,
    exact_products,
)
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.retrieval.products import Bounds, Products
from cfr_core.retrieval.threads import map_on_cores
from cfr_core.retrieval.tiles import Layout
from cfr_core.types import Float32Array, IntArray

_ROWS_OF_IDENTITIES = 64
_ENTRIES_AT_ONCE = 1 << 22
_PAIRS_AT_ONCE = 1 << 16
_NOBODY = -1
_SHARE_TO_COUNT_ALL = 0.5
"""To pick a few queries of a tile copies them; above this share it costs less to count all."""


@dataclass(frozen=True)
class Targets:
    """Gallery rows whose ranks are wanted, sorted by the position of their query.

    Attributes:
        query: (T,) int64 ascending positions in the layout's queries.
        rows: (T,) int64 row numbers.
        scores: (T,) float64 exact similarities.
    """

    query: IntArray
    rows: IntArray
    scores: Float64Array


def all_positives(
    vectors: Float32Array, exclusions: Exclusions, layout: Layout, identity_codes: IntArray
) -> Targets:
    """Every positive of every query.

    Args:
        vectors: (N, D) float32 unit rows.
        exclusions: What may not be retrieved.
        layout: Queries and gallery.
        identity_codes: (N,) int64.

    Returns:
        A target for each pair of a query and a positive.
    """

    def positives(block: tuple[IntArray, IntArray]) -> Targets:
        queries, gallery = block
        query_rows = layout.query_rows[queries]
        products = exact_products(vectors, query_rows, gallery)
        exclusions.blank(products, query_rows, gallery)
        same = identity_codes[query_rows][:, None] == identity_codes[gallery]
        query, place = np.nonzero(same & (products > -np.inf))
        return Targets(queries[query], gallery[place], products[query, place])

    return _sorted(map_on_cores(positives, list(_identity_blocks(layout, identity_codes))))


def _sorted(parts: list[Targets]) -> Targets:
    if not parts:
        return Targets(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    query, rows, scores = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("query", "rows", "scores")
    )
    order = np.argsort(query, kind="stable")
    return Targets(query[order], rows[order], scores[order])


def _identity_blocks(
    layout: Layout, identity_codes: IntArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Query positions with the gallery rows of their identities, a few small identities at once."""
    query_identity = identity_codes[layout.query_rows]
    queries = np.argsort(query_identity, kind="stable")
    query_identity = query_identity[queries]
    gallery = np.sort(layout.gallery_rows)
    gallery = gallery[np.isin(identity_codes[gallery], query_identity)]
    gallery = gallery[np.argsort(identity_codes[gallery], kind="stable")]
    gallery_identity = identity_codes[gallery]
    for identities in _few_at_once(gallery_identity):
        low, high = np.searchsorted(gallery_identity, identities)
        of_gallery = gallery[low:high]
        low, high = np.searchsorted(query_identity, identities)
        n_at_once = max(_ROWS_OF_IDENTITIES, _ENTRIES_AT_ONCE // len(of_gallery))
        for part in blocks(low, high, n_at_once):
            yield queries[part], of_gallery


def _few_at_once(codes: IntArray) -> Iterator[tuple[int, int]]:
    """Ranges (first code, end code) of ascending codes that hold about as many rows as a batch."""
    values, starts = np.unique(codes, return_index=True)
    batch = starts // _ROWS_OF_IDENTITIES
    first = values[np.flatnonzero(np.diff(batch, prepend=-1))]
    ends = [*first[1:], values[-1] + 1] if len(values) else []
    yield from zip(first, ends, strict=True)


class RankCounter:
    """Counts the gallery rows before each target while the tiles of the matrix go by."""

    def __init__(self, targets: Targets, vectors: Float32Array, layout: Layout) -> None:
        """Start at no row counted.

        Args:
            targets: What to rank.
            vectors: (N, D) float32 unit rows.
            layout: Queries and gallery.
        """
        self._targets = targets
        self._vectors = vectors
        self._layout = layout
        self._first = np.searchsorted(targets.query, np.arange(len(layout.query_rows) + 1))
        # The best first, so that those that nothing in a block reaches come together.
        self._order = np.lexsort((-targets.scores, targets.query))
        # In the last place are bounds of nobody, which nothing exceeds.
        scores = np.append(targets.scores, np.inf)
        low, high = (
            (scores + error).astype(np.float32) for error in (-PRODUCT_ERROR, PRODUCT_ERROR)
        )
        self._bounds = Bounds.between(low, high)
        self._n_before = np.zeros(len(targets.query), dtype=np.int64)
        self._unsure: list[tuple[IntArray, IntArray]] = []
        self._n_unsure = 0
        self._writing = Lock()

    def offer(self, products: Products) -> None:
        """Count the rows of one block; several threads may offer at once.

        Args:
            products: Similarities of the block.
        """
        highest = products.highest_step
        starts = self._first[products.queries.start : products.queries.stop + 1]
        n_each = np.diff(starts)
        n_before = np.zeros(starts[-1] - starts[0], dtype=np.int64)
        for number in range(n_each.max(initial=0)):
            query = np.flatnonzero(n_each > number)
            target = self._order[starts[query] + number]
            # Where nothing in the block reaches the target there is nothing to count.
            is_reached = highest[query] >= self._bounds.first_step[target]
            query, target = query[is_reached], target[is_reached]
            if len(query):
                n_above, owner, column = self._counted(products, query, target)
                n_before[target - starts[0]] = n_above
                self._decide(owner, self._layout.gallery_rows[products.gallery][column])
        with self._writing:
            self._n_before[starts[0] : starts[-1]] += n_before

    def n_before(self) -> IntArray:
        """(T,) int64 gallery rows that come before each target, once all blocks were offered."""
        self._count_exactly(self._unsure)
        self._unsure, self._n_unsure = [], 0
        return self._n_before

    def _counted(
        self, products: Products, query: IntArray, target: IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Columns surely before a target of each query, and pairs of target and column to decide.

        Args:
            products: Similarities.
            query: (n,) ascending queries of the block.
            target: (n,) a target of each.
        """
        n_queries = products.queries.stop - products.queries.start
        if len(query) < n_queries * _SHARE_TO_COUNT_ALL:
            n_above, place, column = products.count_above(query, self._bounds.of(target))
            return n_above, target[place], column
        target_of = np.full(n_queries, _NOBODY)
        target_of[query] = target
        n_above, place, column = products.count_above(
            np.arange(n_queries), self._bounds.of(target_of)
        )
        return n_above[query], target_of[place], column

    def _decide(self, target: IntArray, rows: IntArray) -> None:
        """Keep pairs of a target and a row until there are many, then decide them at once."""
        with self._writing:
            self._unsure.append((target, rows))
            self._n_unsure += len(target)
            if self._n_unsure < _PAIRS_AT_ONCE:
                return
            pairs, self._unsure, self._n_unsure = self._unsure, [], 0
        self._count_exactly(pairs)

    def _count_exactly(self, pairs: list[tuple[IntArray, IntArray]]) -> None:
        """Count those of the given pairs of a target and a row where the row comes before it."""
        if not pairs:
            return
        target, rows = (np.concatenate(part) for part in zip(*pairs, strict=True))
        other = rows != self._targets.rows[target]
        target, rows = target[other], rows[other]
        query_rows = self._layout.query_rows[self._targets.query[target]]
        score = exact_pairs(self._vectors, query_rows, rows)
        wanted, wanted_row = self._targets.scores[target], self._targets.rows[target]
        is_before = (score > wanted) | ((score == wanted) & (rows < wanted_row))
        n_before = np.bincount(target[is_before], minlength=len(self._n_before))
        with self._writing:
            self._n_before += n_before
