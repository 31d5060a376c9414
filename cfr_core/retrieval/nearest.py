"""The nearest gallery rows of every query, kept up while the blocks of the matrix go by."""

from threading import Lock
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cfr_core.errors import InputError
from cfr_core.retrieval.exact import (
    PRODUCT_ERROR,
    Float64Array,
    blocks,
    exact_pairs,
    exact_products,
)
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.retrieval.products import Products
from cfr_core.types import Float32Array, IntArray

Keys: TypeAlias = npt.NDArray[np.uint64]

# Candidates beyond k, so that a near tie at the k-th place hardly ever reaches the last one: such a
# query is compared with its whole gallery exactly, which for one takes a tenth of all products.
_SPARE = 4
_EXACT_ROWS = 1024
_NOTHING = np.uint64(0)
_ROW_BITS = np.uint64(32)
_LAST_ROW = np.uint64(2**32 - 1)
_SIGN = np.uint32(2**31)


class NearestRows:
    """The k best candidates of every query and a few more, by float32 similarity.

    A candidate is one number, its similarity in the high half and its row in the low one, larger
    for the nearer row and for the lower of two equally near: so a candidate moves as one.
    """

    def __init__(self, n_queries: int, k: int) -> None:
        """Start with nothing found.

        Args:
            n_queries: Number of queries.
            k: Number of neighbours wanted, at least 1.

        Raises:
            InputError: if k < 1.
        """
        if k < 1:
            raise InputError(f"k must be at least 1, got {k}")
        self._k = k
        self._keys = np.full((n_queries, k + _SPARE), _NOTHING)  # the smallest in column 0
        self._writing = Lock()

    def offer(self, products: Products, gallery_rows: IntArray) -> None:
        """Take the candidates of one block; several threads may offer at once.

        Args:
            products: Similarities of the block.
            gallery_rows: (g,) int64 row numbers of its columns.
        """
        # What another thread adds meanwhile raises the floor, and too low a floor does no harm.
        last = self._keys[products.queries, 0].copy()
        floor, _ = _similarity_and_row(last)
        floor[last == _NOTHING] = -np.inf
        if (last == _NOTHING).any():
            floor = np.maximum(floor, products.floor_for(self._keys.shape[1]))
        query, column, scores = products.above(floor)
        keys = _keys(scores, gallery_rows[column])
        with self._writing:
            self._merge(query + products.queries.start, keys)

    def _merge(self, query: IntArray, keys: Keys) -> None:
        """Keep the best of what is kept and of new candidates, which come sorted by query."""
        first = np.flatnonzero(np.diff(query, prepend=-1))
        queries, counts = query[first], np.diff(first, append=len(query))
        n_kept, n_new = self._keys.shape[1], counts.max(initial=0)
        together = np.full((len(queries), n_new + n_kept), _NOTHING)
        together[:, n_new:] = self._keys[queries]
        line = np.repeat(np.arange(len(queries)), counts)
        together[line, np.arange(len(query)) - first[line]] = keys
        together.partition(n_new, axis=1)
        self._keys[queries] = together[:, n_new:]

    def ordered(
        self,
        vectors: Float32Array,
        exclusions: Exclusions,
        gallery_rows: IntArray,
        query_rows: IntArray,
    ) -> IntArray:
        """The k nearest rows in their exact order, ties to the lower row number.

        Args:
            vectors: (N, D) float32 unit rows.
            exclusions: What may not be retrieved.
            gallery_rows: (G,) ascending row numbers, searched again where one may be missing.
            query_rows: (Q,) row numbers of the queries, in the order of this object.

        Returns:
            (Q, k) int32, -1 past the end of a short gallery.
        """
        keys = np.sort(self._keys, axis=1)[:, ::-1]
        similarity, rows = _similarity_and_row(keys)
        scores = similarity.astype(np.float64)
        rows[keys == _NOTHING], scores[keys == _NOTHING] = -1, -np.inf
        is_open = scores[:, self._k - 1] <= scores[:, -1] + 2 * PRODUCT_ERROR
        open_ends = np.flatnonzero(is_open & (rows[:, -1] >= 0))
        _settle_near_ties(scores, rows, vectors, query_rows)
        rows = rows[:, : self._k]
        for part in blocks(0, len(open_ends), _EXACT_ROWS):
            again = open_ends[part]
            rows[again] = exact_nearest(
                vectors, exclusions, gallery_rows, query_rows[again], self._k
            )
        return rows.astype(np.int32)


def exact_nearest(
    vectors: Float32Array,
    exclusions: Exclusions,
    gallery_rows: IntArray,
    query_rows: IntArray,
    k: int,
) -> IntArray:
    """The k nearest rows by exact products alone, ties to the lower row number.

    Args:
        vectors: (N, D) float32 unit rows.
        exclusions: What may not be retrieved.
        gallery_rows: (G,) int64 ascending row numbers.
        query_rows: (q,) int64 row numbers.
        k: Number of neighbours.

    Returns:
        (q, k) int64, -1 past the end of the gallery.
    """
    rows = np.full((len(query_rows), k), -1, dtype=np.int64)
    scores = np.full(rows.shape, -np.inf)
    for block in blocks(0, len(gallery_rows), _EXACT_ROWS):
        gallery = gallery_rows[block]
        products = exact_products(vectors, query_rows, gallery)
        exclusions.blank(products, query_rows, gallery)
        # What was found so far has lower row numbers, so a stable sort leaves ties in their order.
        scores = np.concatenate([scores, products], axis=1)
        rows = np.concatenate([rows, np.broadcast_to(gallery, products.shape)], axis=1)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        scores, rows = (np.take_along_axis(each, order, axis=1) for each in (scores, rows))
    return np.where(scores > -np.inf, rows, -1)


def _settle_near_ties(
    scores: Float64Array, rows: IntArray, vectors: Float32Array, query_rows: IntArray
) -> None:
    """Put neighbours whose float32 scores are too close to call in their exact order, in place."""
    too_close = (scores[:, :-1] <= scores[:, 1:] + 2 * PRODUCT_ERROR) & (rows[:, 1:] >= 0)
    unsure = np.zeros(rows.shape, dtype=np.bool_)
    unsure[:, :-1] |= too_close
    unsure[:, 1:] |= too_close
    query, place = np.nonzero(unsure)
    scores[query, place] = exact_pairs(vectors, query_rows[query], rows[query, place])
    touched = np.unique(query)
    order = np.lexsort((rows[touched], -scores[touched]))
    scores[touched] = np.take_along_axis(scores[touched], order, axis=1)
    rows[touched] = np.take_along_axis(rows[touched], order, axis=1)


def _keys(similarity: Float32Array, rows: IntArray) -> Keys:
    """Candidates as numbers in their order; all are larger than _NOTHING."""
    bits = np.ascontiguousarray(similarity).view(np.uint32)
    # As unsigned numbers, negative floats are above the others and in reverse.
    ordered = np.where(bits & _SIGN, ~bits, bits | _SIGN)
    return (ordered.astype(np.uint64) << _ROW_BITS) | (_LAST_ROW - rows.astype(np.uint64))


def _similarity_and_row(keys: Keys) -> tuple[Float32Array, IntArray]:
    """Similarities, float32, and rows, int64, of candidates."""
    ordered = (keys >> _ROW_BITS).astype(np.uint32)
    bits = np.where(ordered & _SIGN, ordered ^ _SIGN, ~ordered)
    return bits.view(np.float32), (_LAST_ROW - (keys & _LAST_ROW)).astype(np.int64)
