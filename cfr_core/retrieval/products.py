"""One block of similarities, and the large ones in it."""

from dataclasses import dataclass

import numpy as np

from cfr_core.types import Float32Array, IntArray

_COLUMNS_IN_A_GROUP = 8


@dataclass(frozen=True)
class Products:
    """Similarities of some queries to some of the gallery.

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

    @property
    def highest(self) -> Float32Array:
        """(q,) float32 largest similarity of each query."""
        highest: Float32Array = self.values.max(axis=1)
        return highest

    def of(self, queries: IntArray) -> Float32Array:
        """Similarities of some of the queries.

        Args:
            queries: (n,) int64, 0..q-1.

        Returns:
            (n, g) float32.
        """
        return self.tile.take(queries, axis=1).T if self.is_transposed else self.tile[queries]

    def above(self, floor: Float32Array) -> tuple[IntArray, IntArray, Float32Array]:
        """All similarities that exceed the floor of their query.

        Args:
            floor: (q,) float32.

        Returns:
            query and column of each, (n,) int64, sorted by query, and the similarity, (n,) float32.
        """
        bound = floor if self.is_transposed else floor[:, None]
        place = np.flatnonzero(self.tile > bound)  # in the order of memory, so found quickly
        first, second = np.divmod(place, self.tile.shape[1])
        if not self.is_transposed:
            return first, second, self.tile[first, second]
        order = np.argsort(second, kind="stable")
        column, query = first[order], second[order]
        return query, column, self.tile[column, query]

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
