"""The similarity matrix in tiles; a product of two rows that query each other is made once.

Queries and gallery are put in an order that starts with the rows that are in both. Among those the
matrix is symmetric, so only its upper triangle is multiplied, and a tile off the diagonal also
serves, transposed, the gallery rows as queries.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from cfr_core.retrieval.exact import UnitRows, blocks, full_float32
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.types import IntArray, RetrievalTask

_DIAGONAL_ROWS = 256


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


def products_by_tile(
    rows: UnitRows, exclusions: Exclusions, layout: Layout, block_rows: int
) -> Iterator[tuple[Tile, torch.Tensor]]:
    """Each tile with its similarities, -inf where a query may not retrieve.

    Args:
        rows: All embeddings.
        exclusions: What may not be retrieved.
        layout: Order of queries and gallery.
        block_rows: Largest number of rows and columns of a tile.

    Yields:
        The tile and its (q, g) float32 products on the device, valid until the next tile.
    """
    memory = torch.empty(block_rows * block_rows, device=rows.device)
    for tile in layout.tiles(block_rows):
        queries, gallery = layout.query_rows[tile.queries], layout.gallery_rows[tile.gallery]
        products = memory[: len(queries) * len(gallery)].view(len(queries), len(gallery))
        with full_float32():
            if tile.is_diagonal:
                _multiply_with_itself(rows.fast(queries), products)
            else:
                torch.mm(rows.fast(queries), rows.fast(gallery).T, out=products)
        if tile.is_diagonal or exclusions.has_rules:
            exclusions.blank(products, queries, gallery)
        yield tile, products


def _multiply_with_itself(vectors: torch.Tensor, products: torch.Tensor) -> None:
    """Products of rows with each other: those above the diagonal, then their mirror image."""
    n_rows = len(vectors)
    for part in blocks(0, n_rows, _DIAGONAL_ROWS):
        torch.mm(vectors[part], vectors[part.start :].T, out=products[part, part.start :])
        products[part.stop :, part] = products[part, part.stop :].T
