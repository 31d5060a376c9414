"""The similarity matrix in tiles; a product of two rows that query each other is made once.

Queries and gallery are put in an order that starts with the rows that are in both. Among those the
matrix is symmetric, so only one triangle is multiplied, and a tile off the diagonal also serves as
its mirror image, with the gallery rows as queries.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cfr_core.retrieval.exact import blocks
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.retrieval.multiply import Multiplier
from cfr_core.retrieval.products import Products, in_steps
from cfr_core.retrieval.threads import map_on_cores
from cfr_core.types import IntArray, RetrievalTask

_TILES_AT_ONCE = 4
"""Tiles of a strip that one thread makes, so that all threads have work to the end."""


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


@dataclass(frozen=True)
class Matrix:
    """The products of every query with its whole gallery, none of which is kept.

    Attributes:
        rows: All embeddings.
        exclusions: What may not be retrieved.
        layout: Order of queries and gallery.
        block_rows: Largest number of rows and columns of a tile.
    """

    rows: Multiplier
    exclusions: Exclusions
    layout: Layout
    block_rows: int

    def visit(self, offer: Callable[[Products], None]) -> None:
        """Make all products and offer each tile, and its mirror image, on all cores.

        Args:
            offer: Called by several threads at once, with products that are valid until it returns.
        """
        parts = []
        for queries in self.layout.strips(self.block_rows):
            tiles = list(self.layout.tiles(queries, self.block_rows))
            parts += [(queries, tiles[some]) for some in blocks(0, len(tiles), _TILES_AT_ONCE)]
        map_on_cores(lambda part: self._visit(*part, offer), parts)

    def _visit(
        self, queries: slice, tiles: Sequence[Tile], offer: Callable[[Products], None]
    ) -> None:
        query_rows = self.layout.query_rows[queries]
        strip = self.rows.strip(query_rows)
        memory = np.empty(self.block_rows * len(query_rows), dtype=np.float32)
        for tile in tiles:
            gallery_rows = self.layout.gallery_rows[tile.gallery]
            values = memory[: len(gallery_rows) * len(query_rows)].reshape(-1, len(query_rows))
            if tile.is_diagonal:
                strip.multiply_with_itself(values)
                np.fill_diagonal(values, -np.inf)
            else:
                strip.multiply(gallery_rows, values)
            self.exclusions.blank_by_rules(values, gallery_rows, query_rows)
            steps = in_steps(values)
            offer(Products(queries, tile.gallery, values, steps, is_transposed=True))
            if tile.is_mirrored:
                offer(Products(tile.gallery, queries, values, steps))
