"""The similarity matrix in tiles; a product of two rows that query each other is made once.

Queries and gallery are put in an order that starts with the rows that are in both. Among those the
matrix is symmetric, so only one triangle is multiplied, and a tile off the diagonal also serves as
its mirror image, with the gallery rows as queries.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cfr_core.retrieval.exact import blocks
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.retrieval.multiply import Multiplier
from cfr_core.retrieval.products import Products
from cfr_core.types import IntArray, RetrievalTask


@dataclass(frozen=True)
class Tile:
    """A part of the gallery for a strip of queries.

    Attributes:
        gallery: Positions in the layout's gallery.
        is_mirrored: True if the products also serve the gallery rows as queries.
        is_diagonal: True if queries and gallery are the same rows and meet themselves.
    """

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

    def strips(self, block_rows: int) -> Iterator[slice]:
        """Positions of at most block_rows queries, all of them shared with the gallery or none.

        Args:
            block_rows: Largest number of queries in a strip.
        """
        yield from blocks(0, self.n_shared, block_rows)
        yield from blocks(self.n_shared, len(self.query_rows), block_rows)

    def tiles(self, strip: slice, block_rows: int) -> Iterator[Tile]:
        """Tiles of a strip; those of all strips with their mirror images cover the matrix once.

        Args:
            strip: Positions of the queries.
            block_rows: Largest number of gallery rows in a tile.
        """
        n_done = 0
        if strip.start < self.n_shared:
            yield Tile(strip, is_diagonal=True)
            for gallery in blocks(strip.stop, self.n_shared, block_rows):
                yield Tile(gallery, is_mirrored=True)
            n_done = self.n_shared
        for gallery in blocks(n_done, len(self.gallery_rows), block_rows):
            yield Tile(gallery)


def products_of(
    rows: Multiplier, exclusions: Exclusions, layout: Layout, block_rows: int
) -> Iterator[Products]:
    """The products of every query with its whole gallery, a tile or its mirror image at a time.

    Args:
        rows: All embeddings.
        exclusions: What may not be retrieved.
        layout: Order of queries and gallery.
        block_rows: Largest number of rows and columns of a tile.

    Yields:
        Products that are valid until the next are asked for.
    """
    memory = np.empty(block_rows * block_rows, dtype=np.float32)
    for queries in layout.strips(block_rows):
        query_rows = layout.query_rows[queries]
        strip = rows.strip(query_rows)
        for tile in layout.tiles(queries, block_rows):
            gallery_rows = layout.gallery_rows[tile.gallery]
            values = memory[: len(gallery_rows) * len(query_rows)].reshape(-1, len(query_rows))
            if tile.is_diagonal:
                strip.multiply_with_itself(values)
                np.fill_diagonal(values, -np.inf)
            else:
                strip.multiply(gallery_rows, values)
            exclusions.blank_by_rules(values, gallery_rows, query_rows)
            yield Products(queries, tile.gallery, values, is_transposed=True)
            if tile.is_mirrored:
                yield Products(tile.gallery, queries, values)
