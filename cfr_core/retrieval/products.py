"""One block of similarities, and quick ways to the few large ones in it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cfr_core.types import Float32Array, IntArray

_HALVINGS = 3


@dataclass(frozen=True)
class Products:
    """Similarities of some queries to some of the gallery.

    Most of a block is of no interest. It is looked at through the maxima of groups of columns,
    which are found at the speed of memory and leave an eighth of the comparisons.

    Attributes:
        queries: Positions of the rows among the layout's queries.
        gallery: Positions of the columns in the layout's gallery.
        tile: The similarities as they lie in memory, float32, -inf where a query may not retrieve:
            (q, g), or (g, q) if the queries are its columns.
        is_transposed: True if the queries are the columns of the tile.
    """

    queries: slice
    gallery: slice
    tile: Float32Array
    is_transposed: bool = False

    @property
    def values(self) -> Float32Array:
        """(q, g) float32 similarities."""
        return self.tile.T if self.is_transposed else self.tile

    def of(self, queries: IntArray) -> Float32Array:
        """Similarities of some of the queries.

        Args:
            queries: (n,) int64, 0..q-1.

        Returns:
            (n, g) float32.
        """
        return self.tile.take(queries, axis=1).T if self.is_transposed else self.tile[queries]

    @property
    def highest(self) -> Float32Array:
        """(q,) float32 largest similarity of each query."""
        highest: Float32Array = self._group_maxima.max(axis=0 if self.is_transposed else 1)
        return highest

    def floor_for(self, n_wanted: int) -> Float32Array:
        """A floor of each query that at least n_wanted similarities exceed, close to the highest.

        Args:
            n_wanted: Number of similarities wanted, at least 1.

        Returns:
            (q,) float32; -inf if the block has too few groups to tell.
        """
        n_queries = self.values.shape[0]
        if self._n_groups < n_wanted:
            return np.full(n_queries, -np.inf, dtype=np.float32)
        maxima = self._group_maxima.T if self.is_transposed else self._group_maxima
        last = np.partition(maxima, -n_wanted, axis=1)[:, -n_wanted]
        just_below: Float32Array = np.nextafter(last, np.float32(-np.inf))
        return just_below

    def above(self, floor: Float32Array) -> tuple[IntArray, IntArray, Float32Array]:
        """All similarities that exceed the floor of their query.

        Args:
            floor: (q,) float32.

        Returns:
            query and column of each, (n,) int64, sorted by query, and the similarity, (n,) float32.
        """
        is_above = self._group_maxima > (floor if self.is_transposed else floor[:, None])
        first, query = self._first_places(np.flatnonzero(is_above))
        n_queries, n_columns = self.values.shape
        step = self._n_groups * (n_queries if self.is_transposed else 1)
        places = first[:, None] + np.arange(0, step * self._group_size, step)
        values = self.tile.reshape(-1).take(places, mode="clip")  # unchecked, so twice as fast
        hits = np.flatnonzero(values > floor[query][:, None])
        places = places.ravel()[hits]
        column = places // n_queries if self.is_transposed else places % n_columns
        return query[hits // self._group_size], column, values.ravel()[hits]

    def _first_places(self, group: IntArray) -> tuple[IntArray, IntArray]:
        """Places of the groups' first columns in the flat tile, and their queries, sorted by these.

        Args:
            group: (n,) int64 ascending places in the flat group maxima.
        """
        if not self.is_transposed:
            query = group // self._n_groups
            return query * (self.values.shape[1] - self._n_groups) + group, query
        query = group % self.values.shape[0]
        order = np.argsort(query, kind="stable")
        return group[order], query[order]

    @property
    def _group_size(self) -> int:
        """Columns in a group; it divides g."""
        size = 1 << _HALVINGS
        return size if self.values.shape[1] % size == 0 else 1

    @property
    def _n_groups(self) -> int:
        return int(self.values.shape[1]) // self._group_size

    @cached_property
    def _group_maxima(self) -> Float32Array:
        """Maxima of the columns j, j + n, j + 2 n, ...: (q, n) float32, or (n, q) if transposed."""
        maxima = self.tile
        # Halves are compared along their memory, many times faster than each group across it.
        for _ in range(_HALVINGS if self._group_size > 1 else 0):
            if self.is_transposed:
                maxima = np.maximum(*np.split(maxima, 2, axis=0))
            else:
                maxima = np.maximum(*np.split(maxima, 2, axis=1))
        return maxima
