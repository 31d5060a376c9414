"""One block of similarities, and the large ones in it.

Most similarities lie far from any bound that they are compared with. So they are also kept in whole
steps, in half the memory and compared in half the time; only where that leaves it open does the
similarity itself decide.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cfr_core.retrieval.exact import blocks
from cfr_core.types import BoolArray, Float32Array, IntArray

StepsArray: TypeAlias = npt.NDArray[np.int16]

_COLUMNS_IN_A_GROUP = 8
_WORD = 8
"""Truth values, of a byte each, that are counted at once as one number of 64 bits."""
_MOST_IN_A_BYTE = 255
_STEPS = np.float32(32_000)
"""Steps from 0 to a similarity of 1, in 16 bits."""


def in_steps(similarities: Float32Array) -> StepsArray:
    """Similarities in whole steps, of which a larger one never has fewer.

    Args:
        similarities: float32 of any shape; beyond -1 and 1 all are taken for these.
    """
    steps = similarities * _STEPS
    return np.clip(steps, -_STEPS, _STEPS, out=steps).astype(np.int16)


@dataclass(frozen=True)
class Bounds:
    """Pairs of similarities, between which what is compared with them is open.

    Attributes:
        low: (n,) float32.
        high: (n,) float32, at least `low`.
        first_step: (n,) int16, `low` in steps.
        last_step: (n,) int16, `high` in steps.
    """

    low: Float32Array
    high: Float32Array
    first_step: StepsArray
    last_step: StepsArray

    @classmethod
    def between(cls, low: Float32Array, high: Float32Array) -> "Bounds":
        """Bounds of (n,) float32 low and high similarities."""
        return cls(low, high, in_steps(low), in_steps(high))

    def of(self, chosen: IntArray) -> "Bounds":
        """Some of the bounds, by (m,) int64 places."""
        return Bounds(
            self.low[chosen],
            self.high[chosen],
            self.first_step[chosen],
            self.last_step[chosen],
        )


@dataclass(frozen=True)
class Products:
    """Similarities of some queries to some of the gallery.

    Attributes:
        queries: Positions of the rows among the layout's queries.
        gallery: Positions of the columns in the layout's gallery.
        tile: The similarities as they lie in memory, float32, -inf where a query may not retrieve:
            (q, g), or (g, q) if the queries are its columns.
        steps: (as tile) int16, the tile `in_steps`.
        is_transposed: True if the queries are the columns of the tile.
    """

    queries: slice
    gallery: slice
    tile: Float32Array
    steps: StepsArray
    is_transposed: bool = False

    @property
    def values(self) -> Float32Array:
        """(q, g) float32 similarities."""
        return self.tile.T if self.is_transposed else self.tile

    @property
    def highest_step(self) -> StepsArray:
        """(q,) int16 largest similarity of each query, in steps."""
        highest: StepsArray = self.steps.max(axis=0 if self.is_transposed else 1)
        return highest

    def count_above(self, queries: IntArray, bounds: Bounds) -> tuple[IntArray, IntArray, IntArray]:
        """How many similarities exceed a query's bounds, and which lie between them.

        Args:
            queries: (n,) int64 ascending, 0..q-1.
            bounds: (n,) of each of these queries.

        Returns:
            (n,) int64 similarities above `bounds.high`, and place among the queries and column,
            (m,) int64, of each similarity above `bounds.low` that is not above `bounds.high`.
        """
        steps = self.steps
        if len(queries) < self.queries.stop - self.queries.start:
            steps = steps.take(queries, axis=1 if self.is_transposed else 0)
        # Those in the steps of the two bounds are decided one by one.
        may_be_above = _mask(steps, self._along(bounds.first_step - np.int16(1)))
        is_above = _mask(steps, self._along(bounds.last_step))
        words = np.flatnonzero(may_be_above.view(np.uint64) != is_above.view(np.uint64))
        at = (words[:, None] * _WORD + np.arange(_WORD)).ravel()
        at = at[may_be_above.ravel()[at] & ~is_above.ravel()[at]]
        place, column = np.divmod(at, is_above.shape[1])
        n_above = _true_in_columns(is_above) if self.is_transposed else _true_in_rows(is_above)
        if self.is_transposed:
            place, column = column, place
        similarity = self.values[queries[place], column]
        is_just_above = similarity > bounds.high[place]
        n_above = n_above[: len(queries)] + np.bincount(
            place[is_just_above], minlength=len(queries)
        )
        is_between = ~is_just_above & (similarity > bounds.low[place])
        return n_above, place[is_between], column[is_between]

    def _along(self, of_queries: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A value of each query, to be compared with the tile."""
        return of_queries if self.is_transposed else of_queries[:, None]

    def above(self, floor: Float32Array) -> tuple[IntArray, IntArray, Float32Array]:
        """All similarities that exceed the floor of their query.

        Args:
            floor: (q,) float32.

        Returns:
            query and column of each, (n,) int64, sorted by query, and the similarity, (n,) float32.
        """
        # In the order of memory they are found quickly.
        place = np.flatnonzero(self.steps >= self._along(in_steps(floor)))
        first, second = np.divmod(place, self.tile.shape[1])
        query, column = (second, first) if self.is_transposed else (first, second)
        similarity = self.tile[first, second]
        found = np.flatnonzero(similarity > floor[query])
        if self.is_transposed:
            found = found[np.argsort(query[found], kind="stable")]
        return query[found], column[found], similarity[found]

    def floor_for(self, n_wanted: int) -> Float32Array:
        """A floor of each query that at least n_wanted similarities exceed, close to the highest.

        Args:
            n_wanted: Number of similarities wanted, at least 1.

        Returns:
            (q,) float32; -inf if the block is too narrow to tell.
        """
        n_queries, n_columns = self.values.shape
        n_groups = n_columns // _COLUMNS_IN_A_GROUP
        if n_groups < n_wanted:
            return np.full(n_queries, -np.inf, dtype=np.float32)
        # The maxima of groups of columns are fewer, and their largest hardly lower.
        grouped = self.values[:, : n_groups * _COLUMNS_IN_A_GROUP]
        maxima = grouped.reshape(n_queries, _COLUMNS_IN_A_GROUP, n_groups).max(axis=1)
        last = np.partition(maxima, -n_wanted, axis=1)[:, -n_wanted]
        just_below: Float32Array = np.nextafter(last, np.float32(-np.inf))
        return just_below


def _mask(steps: StepsArray, floor: StepsArray) -> BoolArray:
    """Where steps exceed the floor; lines end in False, to be whole words."""
    n_rows, n_columns = steps.shape
    mask = np.empty((n_rows, -(-n_columns // _WORD) * _WORD), dtype=np.bool_)
    mask[:, n_columns:] = False
    np.greater(steps, floor, out=mask[:, :n_columns])
    return mask


def _true_in_rows(mask: BoolArray) -> IntArray:
    """(n,) int64 of (n, w * 8), at a fifth of the time of np.count_nonzero."""
    words = mask.view(np.uint64)
    counts = np.zeros(len(mask), dtype=np.int64)
    for some in blocks(0, words.shape[1], _MOST_IN_A_BYTE):
        sums = words[:, some].sum(axis=1)
        counts += sums.view(np.uint8).reshape(-1, _WORD).sum(axis=1, dtype=np.int64)
    return counts


def _true_in_columns(mask: BoolArray) -> IntArray:
    """(w * 8,) int64 of (n, w * 8)."""
    words = mask.view(np.uint64)
    counts = np.zeros(mask.shape[1], dtype=np.int64)
    for some in blocks(0, len(words), _MOST_IN_A_BYTE):
        counts += words[some].sum(axis=0).view(np.uint8)
    return counts
