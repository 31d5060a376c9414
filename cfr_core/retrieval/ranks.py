"""Exact places of given rows in the full ranking of their query, without sorting it.

A target is a gallery row whose place is asked for, with its exact similarity to the query. Its rank
is one more than the number of gallery rows before it: those of higher similarity, and those of the
same similarity and lower row number.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cfr_core.retrieval.exact import (
    PRODUCT_ERROR,
    Float64Array,
    blocks,
    exact_pairs,
    exact_products,
)
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.retrieval.products import Products
from cfr_core.retrieval.tiles import Layout
from cfr_core.types import BoolArray, Float32Array, IntArray

_ROWS_OF_IDENTITIES = 64
_ENTRIES_AT_ONCE = 1 << 22
_TARGETS_AT_ONCE = 1024


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
    parts = []
    for queries, gallery, products in _positive_products(
        vectors, exclusions, layout, identity_codes
    ):
        query, place = np.nonzero(products > -np.inf)
        parts.append(Targets(queries[query], gallery[place], products[query, place]))
    return _sorted(parts)


def best_positives(
    vectors: Float32Array, exclusions: Exclusions, layout: Layout, identity_codes: IntArray
) -> Targets:
    """The most similar positive of every query that has one; ties to the lower row number.

    Args:
        vectors: (N, D) float32 unit rows.
        exclusions: What may not be retrieved.
        layout: Queries and gallery.
        identity_codes: (N,) int64.

    Returns:
        At most one target a query.
    """
    parts = []
    for queries, gallery, products in _positive_products(
        vectors, exclusions, layout, identity_codes
    ):
        place = products.argmax(axis=1)  # the first of equals, and the gallery ascends
        best = np.take_along_axis(products, place[:, None], axis=1)[:, 0]
        found = best > -np.inf
        parts.append(Targets(queries[found], gallery[place[found]], best[found]))
    return _sorted(parts)


def _sorted(parts: list[Targets]) -> Targets:
    if not parts:
        return Targets(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    query, rows, scores = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("query", "rows", "scores")
    )
    order = np.argsort(query, kind="stable")
    return Targets(query[order], rows[order], scores[order])


def _positive_products(
    vectors: Float32Array, exclusions: Exclusions, layout: Layout, identity_codes: IntArray
) -> Iterator[tuple[IntArray, IntArray, Float64Array]]:
    """Query positions, ascending gallery rows and exact products, -inf where not positive."""
    for queries, gallery in _identity_blocks(layout, identity_codes):
        query_rows = layout.query_rows[queries]
        products = exact_products(vectors, query_rows, gallery)
        exclusions.blank(products, query_rows, gallery)
        same = identity_codes[query_rows][:, None] == identity_codes[gallery]
        yield queries, gallery, np.where(same, products, -np.inf)


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
    """Counts the gallery rows before each target while the tiles of the matrix go by.

    Attributes:
        targets: What is ranked.
        n_before: (T,) int64, gallery rows counted so far.
    """

    def __init__(self, targets: Targets, vectors: Float32Array, layout: Layout) -> None:
        """Start at no row counted.

        Args:
            targets: What to rank.
            vectors: (N, D) float32 unit rows.
            layout: Queries and gallery.
        """
        self.targets = targets
        self.n_before = np.zeros(len(targets.query), dtype=np.int64)
        self._vectors = vectors
        self._layout = layout
        self._place = _places(targets.rows, layout.gallery_rows)

    def offer(self, products: Products) -> None:
        """Count the rows of one block.

        Args:
            products: Similarities of the block.
        """
        queries = products.queries
        first, last = np.searchsorted(self.targets.query, (queries.start, queries.stop))
        for part in blocks(int(first), int(last), _TARGETS_AT_ONCE):
            owner = self.targets.query[part] - queries.start
            # Where nothing in the block reaches the target there is nothing to count.
            some = np.flatnonzero(
                products.highest[owner] > self.targets.scores[part] - PRODUCT_ERROR
            )
            if len(some):
                self._count(some + part.start, owner[some], products)

    def _count(self, target: IntArray, owner: IntArray, products: Products) -> None:
        """Count the columns before each target, which asks for the products of its owner."""
        values = products.values
        if len(owner) != len(values) or (np.diff(owner) != 1).any():
            values = products.of(owner)
        score = self.targets.scores[target][:, None]
        low, high = (
            (score + error).astype(np.float32) for error in (-PRODUCT_ERROR, PRODUCT_ERROR)
        )
        n_above = _n_true(values > high)
        self.n_before[target] += n_above

        place, gallery = self._place[target], products.gallery
        is_itself_near = (gallery.start <= place) & (place < gallery.stop)
        unsure = np.flatnonzero(_n_true(values > low) - n_above - is_itself_near)
        near = values[unsure]
        which, column = np.nonzero((near > low[unsure]) & (near <= high[unsure]))
        rows = self._layout.gallery_rows[gallery]
        self._count_exactly(target[unsure[which]], rows[column])

    def _count_exactly(self, target: IntArray, rows: IntArray) -> None:
        """Count those of the given pairs of a target and a row where the row comes before it."""
        other = rows != self.targets.rows[target]
        target, rows = target[other], rows[other]
        query_rows = self._layout.query_rows[self.targets.query[target]]
        score = exact_pairs(self._vectors, query_rows, rows)
        wanted, wanted_row = self.targets.scores[target], self.targets.rows[target]
        is_before = (score > wanted) | ((score == wanted) & (rows < wanted_row))
        self.n_before += np.bincount(target[is_before], minlength=len(self.n_before))


def _places(rows: IntArray, gallery_rows: IntArray) -> IntArray:
    """Position of each row in the gallery."""
    order = np.argsort(gallery_rows)
    return order[np.searchsorted(gallery_rows, rows, sorter=order)]


def _n_true(mask: BoolArray) -> IntArray:
    """(q,) int32 number of columns that are true; thrice as fast as np.count_nonzero."""
    counts: IntArray = mask.sum(axis=1, dtype=np.int32)
    return counts
