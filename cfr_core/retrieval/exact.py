"""Cosine similarities in two precisions: fast ones to search with, exact ones to decide with.

A float32 matrix product depends on how it was cut into blocks, in its last digits. Where two
similarities lie closer than that, the order is decided by an exact product: components are rounded
to multiples of 2^-26 (an error below 1e-8), so that every partial sum of a product of two unit
vectors is a multiple of 2^-52 below 2, which float64 holds without rounding. An exact product is
therefore the same number in any order of summation, on any device, with any number of threads, and
identical vectors tie.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from cfr_core.errors import InputError
from cfr_core.types import Float32Array, IntArray

PRODUCT_ERROR = 4e-6
"""Bound on the error of a float32 product of unit vectors. The largest seen was 2.9e-6, over 2 to
4,096 dimensions, products from -1 to 1, and both MKL and OpenBLAS; the typical one is 1e-7."""

_GRID = 2.0**26
_LENGTH_TOLERANCE = 1e-3
_ROWS_AT_ONCE = 512
_PAIRS_AT_ONCE = 1 << 16
# One matrix entry costs about a twentieth of a pair whose two vectors are fetched for it alone.
_ENTRIES_FOR_A_PAIR = 20


class UnitRows:
    """Embeddings of all rows on a device, with their products.

    Attributes:
        device: Where fast products are made.
        exact_device: Where exact products are made: the same, or the CPU if it lacks float64.
    """

    def __init__(self, vectors: Float32Array, device: torch.device) -> None:
        """Check the vectors and bring them to the device; on the CPU nothing is copied.

        Args:
            vectors: (N, D) float32, rows of unit length.
            device: Where to search.

        Raises:
            InputError: if a row is not finite or not of unit length.
        """
        _check_unit(vectors)
        self._on_host = _without_copy(vectors)
        self._on_device = self._on_host.to(device)
        self.device = device
        self.exact_device = torch.device("cpu") if device.type == "mps" else device

    def fast(self, rows: IntArray) -> torch.Tensor:
        """(n, D) float32 vectors on `device`; not copied where the rows follow each other.

        Args:
            rows: (n,) int64 ascending row numbers.
        """
        return _select(self._on_device, rows)

    def products(self, query_rows: IntArray, gallery_rows: IntArray) -> torch.Tensor:
        """Exact products of each query row with each gallery row.

        Args:
            query_rows: (q,) int64 row numbers.
            gallery_rows: (g,) int64 row numbers.

        Returns:
            (q, g) float64 on `exact_device`.
        """
        shape = len(query_rows), len(gallery_rows)
        products = torch.empty(shape, dtype=torch.float64, device=self.exact_device)
        for queries in blocks(0, shape[0], _ROWS_AT_ONCE):
            left = self._on_grid(query_rows[queries])
            for gallery in blocks(0, shape[1], _ROWS_AT_ONCE):
                right = self._on_grid(gallery_rows[gallery])
                torch.mm(left, right.T, out=products[queries, gallery])
        return products.mul_(_GRID**-2)

    def pair_products(self, query_rows: IntArray, gallery_rows: IntArray) -> torch.Tensor:
        """Exact products of pairs of rows; the same numbers as `products` gives.

        Args:
            query_rows: (P,) int64 row numbers.
            gallery_rows: (P,) int64 row numbers.

        Returns:
            (P,) float64 on `exact_device`.
        """
        parts = [
            self._pair_products(query_rows[pairs], gallery_rows[pairs])
            for pairs in blocks(0, len(query_rows), _PAIRS_AT_ONCE)
        ]
        return torch.cat(parts) if parts else torch.empty(0, dtype=torch.float64)

    def _pair_products(self, query_rows: IntArray, gallery_rows: IntArray) -> torch.Tensor:
        queries, query = np.unique(query_rows, return_inverse=True)
        gallery, other = np.unique(gallery_rows, return_inverse=True)
        if len(queries) * len(gallery) <= _ENTRIES_FOR_A_PAIR * len(query_rows):
            return self.products(queries, gallery)[query, other]
        parts = [
            torch.linalg.vecdot(
                self._on_grid(query_rows[pairs]), self._on_grid(gallery_rows[pairs])
            )
            for pairs in blocks(0, len(query_rows), _ROWS_AT_ONCE)
        ]
        return torch.cat(parts).mul_(_GRID**-2)

    def _on_grid(self, rows: IntArray) -> torch.Tensor:
        """(n, D) float64 vectors in units of 2^-26, rounded to whole ones."""
        source = self._on_host if self.exact_device.type == "cpu" else self._on_device
        # Scaling by a power of two and rounding are exact in float32, too.
        return _select(source, rows).mul(_GRID).round_().double()


def blocks(start: int, stop: int, size: int) -> Iterator[slice]:
    """Slices of at most `size` that cover start..stop.

    Args:
        start: First index.
        stop: End, exclusive.
        size: Largest length of a slice.
    """
    for first in range(start, stop, size):
        yield slice(first, min(first + size, stop))


@contextmanager
def full_float32() -> Iterator[None]:
    """Keep float32 products in float32: TF32 or bfloat16, if switched on, would break the bound."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _check_unit(vectors: Float32Array) -> None:
    if vectors.ndim != 2 or vectors.dtype != np.float32:
        raise InputError(f"vectors must be (N, D) float32, got {vectors.shape} {vectors.dtype}")
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
    # Written so that a NaN is among the wrong ones.
    wrong = np.flatnonzero(~(np.abs(lengths - 1) <= _LENGTH_TOLERANCE))
    if len(wrong):
        raise InputError(
            f"{len(wrong)} of {len(vectors)} vectors are not of unit length, the first in row "
            f"{wrong[0]} with length {lengths[wrong[0]]:g}: leave out rows that are not finite, "
            "and L2-normalise the others"
        )


def _without_copy(vectors: Float32Array) -> torch.Tensor:
    """A tensor over the same memory, which is only read."""
    with warnings.catch_warnings():
        # Stored embeddings are mapped read-only; torch warns that it cannot enforce that.
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return torch.from_numpy(vectors)


def _select(source: torch.Tensor, rows: IntArray) -> torch.Tensor:
    """(n, D) rows of the source, as a view if they follow each other."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all():
        return source[int(rows[0]) : int(rows[-1]) + 1]
    return source.index_select(0, torch.from_numpy(rows).to(source.device))
