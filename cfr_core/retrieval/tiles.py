"""The similarity matrix in tiles; a product of two rows that query each other is made once.

Queries and gallery are put in an order that starts with the rows that are in both. Among those the
matrix is symmetric, so only its upper triangle is multiplied, and a tile off the diagonal also
serves, transposed, the gallery rows as queries.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from cfr_core.retrieval.exact import UnitRows, blocks, full_float32
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.types import IntArray, RetrievalTask

_DIAGONAL_ROWS = 256
_GROUP_SIZE = 8


@dataclass(frozen=True)
class Tile:
    """A block of the similarity matrix, by positions in a `Layout`.

    Attributes:
        queries: Positions of its rows among the layout's queries.
        gallery: Positions of its columns in the layout's gallery.
        is_mirrored: True if its transpose serves the gallery rows as queries, too.
        is_diagonal: True if its rows and columns are the same and meet themselves.
    """

    queries: slice
    gallery: slice
    is_mirrored: bool = False
    is_diagonal: bool = False


@dataclass(frozen=True)
class Layout:
    """Queries and gallery of a task, each starting with the rows that are in both.

    Attributes:
        query_rows: (Q,) int64 row numbers.
        gallery_rows: (G,) int64 row numbers; the first `n_shared` equal those of `query_rows`.
        n_shared: Number of rows that are query and gallery.
    """

    query_rows: IntArray
    gallery_rows: IntArray
    n_shared: int

    @classmethod
    def of(cls, task: RetrievalTask) -> "Layout":
        """Layout of a task."""
        shared = np.intersect1d(task.query_rows, task.gallery_rows, assume_unique=True)
        return cls(
            np.concatenate([shared, np.setdiff1d(task.query_rows, shared, assume_unique=True)]),
            np.concatenate([shared, np.setdiff1d(task.gallery_rows, shared, assume_unique=True)]),
            len(shared),
        )

    def tiles(self, block_rows: int) -> Iterator[Tile]:
        """Tiles of at most block_rows x block_rows that cover the matrix once.

        Args:
            block_rows: Largest number of rows and columns of a tile.
        """
        for queries in blocks(0, self.n_shared, block_rows):
            yield Tile(queries, queries, is_diagonal=True)
            for gallery in blocks(queries.stop, self.n_shared, block_rows):
                yield Tile(queries, gallery, is_mirrored=True)
            for gallery in blocks(self.n_shared, len(self.gallery_rows), block_rows):
                yield Tile(queries, gallery)
        for queries in blocks(self.n_shared, len(self.query_rows), block_rows):
            for gallery in blocks(0, len(self.gallery_rows), block_rows):
                yield Tile(queries, gallery)


@dataclass(frozen=True)
class Products:
    """Similarities of some queries to some of the gallery, and where their large ones are.

    Attributes:
        queries: Positions of the rows among the layout's queries.
        gallery: Positions of the columns in the layout's gallery.
        tile: The similarities as they lie in memory, float32, -inf where a query may not retrieve:
            (q, g), or (g, q) if this is the mirror image of a tile.
        is_mirrored: True if queries are the columns of the tile.
    """

    queries: slice
    gallery: slice
    tile: torch.Tensor
    is_mirrored: bool = False

    @property
    def values(self) -> torch.Tensor:
        """(q, g) float32 similarities."""
        return self.tile.T if self.is_mirrored else self.tile

    @property
    def group_size(self) -> int:
        """Columns in a group; it divides g."""
        return _GROUP_SIZE if self.values.shape[1] % _GROUP_SIZE == 0 else 1

    @cached_property
    def group_maxima(self) -> torch.Tensor:
        """(q, n) float32: group j of n holds the columns j, j + n, j + 2 n, ..."""
        n_queries, n_columns = self.values.shape
        size, n_groups = self.group_size, n_columns // self.group_size
        # Each is reduced along its memory, which is thirty times faster than across it.
        if self.is_mirrored:
            return self.tile.view(size, n_groups, n_queries).amax(0).T
        return self.tile.view(n_queries, size, n_groups).amax(1)

    def of(self, queries: torch.Tensor) -> torch.Tensor:
        """(n, g) float32 similarities of the given queries.

        Args:
            queries: (n,) int64, 0..q-1.
        """
        if self.is_mirrored:
            return self.tile.index_select(1, queries).T
        return self.tile.index_select(0, queries)

    def members(self, query: torch.Tensor, group: torch.Tensor) -> torch.Tensor:
        """Places of all columns of some groups in the flattened tile.

        Args:
            query: (n,) int64, 0..q-1.
            group: (n,) int64, a group of each.

        Returns:
            (n, group_size) int64.
        """
        n_queries, n_columns = self.values.shape
        of_query, of_column = (1, n_queries) if self.is_mirrored else (n_columns, 1)
        step = of_column * self.group_maxima.shape[1]
        first = query * of_query + group * of_column
        return first[:, None] + torch.arange(0, step * self.group_size, step, device=first.device)

    def column_at(self, place: torch.Tensor) -> torch.Tensor:
        """Columns of places in the flattened tile.

        Args:
            place: (n,) int64.

        Returns:
            (n,) int64, 0..g-1.
        """
        n_queries, n_columns = self.values.shape
        return place // n_queries if self.is_mirrored else place % n_columns


def products_of(
    rows: UnitRows, exclusions: Exclusions, layout: Layout, block_rows: int
) -> Iterator[Products]:
    """The products of every query with its whole gallery, a tile or its mirror image at a time.

    Args:
        rows: All embeddings.
        exclusions: What may not be retrieved.
        layout: Order of queries and gallery.
        block_rows: Largest number of rows and columns of a tile.

    Yields:
        Products on the device, valid until the next are asked for.
    """
    memory = torch.empty(block_rows * block_rows, device=rows.device)
    for tile in layout.tiles(block_rows):
        queries, gallery = layout.query_rows[tile.queries], layout.gallery_rows[tile.gallery]
        values = memory[: len(queries) * len(gallery)].view(len(queries), len(gallery))
        with full_float32():
            if tile.is_diagonal:
                _multiply_with_itself(rows.fast(queries), values)
            else:
                torch.mm(rows.fast(queries), rows.fast(gallery).T, out=values)
        if tile.is_diagonal or exclusions.has_rules:
            exclusions.blank(values, queries, gallery)
        yield Products(tile.queries, tile.gallery, values)
        if tile.is_mirrored:
            yield Products(tile.gallery, tile.queries, values, is_mirrored=True)


def _multiply_with_itself(vectors: torch.Tensor, products: torch.Tensor) -> None:
    """Products of rows with each other: those above the diagonal, then their mirror image."""
    n_rows = len(vectors)
    for part in blocks(0, n_rows, _DIAGONAL_ROWS):
        torch.mm(vectors[part], vectors[part.start :].T, out=products[part, part.start :])
        products[part.stop :, part] = products[part, part.stop :].T
