"""Float32 products of embeddings, by numpy on the CPU and by torch on a graphics processor."""

from typing import Protocol

import numpy as np

from cfr_core.errors import InputError
from cfr_core.types import Float32Array, IntArray

CPU = "cpu"

_LENGTH_TOLERANCE = 1e-3


class Strip(Protocol):
    """Some rows, ready to be multiplied with others."""

    def multiply(self, rows: IntArray, out: Float32Array) -> None:
        """Similarities of rows to the strip's rows.

        Args:
            rows: (n,) int64 row numbers.
            out: (n, s) float32, overwritten.
        """

    def multiply_with_itself(self, out: Float32Array) -> None:
        """Similarities of the strip's rows to each other.

        Args:
            out: (s, s) float32, overwritten.
        """


class Multiplier(Protocol):
    """Embeddings where they are multiplied, by several threads at once."""

    def strip(self, rows: IntArray) -> Strip:
        """Prepare rows for several products.

        Args:
            rows: (n,) int64 row numbers.
        """


def multiplier(vectors: Float32Array, device: str) -> Multiplier:
    """Embeddings on a device, checked.

    Args:
        vectors: (N, D) float32, rows of unit length.
        device: Where to multiply: "cpu", "cuda" or "mps", with a number or without.

    Raises:
        InputError: if a row is not finite or not of unit length.
    """
    _check_unit(vectors)
    if device == CPU:
        return OnHost(vectors)
    # Loading torch takes seconds and hundreds of megabytes, which the CPU does without.
    from cfr_core.retrieval.on_device import OnDevice

    return OnDevice(vectors, device)


class OnHost:
    """Embeddings in memory, multiplied by numpy's BLAS."""

    def __init__(self, vectors: Float32Array) -> None:
        self._vectors = vectors

    def strip(self, rows: IntArray) -> "_HostStrip":
        """See `Multiplier`."""
        return _HostStrip(self._vectors, rows)


class _HostStrip:
    def __init__(self, vectors: Float32Array, rows: IntArray) -> None:
        self._vectors = vectors
        self._rows = _chosen(vectors, rows)

    def multiply(self, rows: IntArray, out: Float32Array) -> None:
        np.matmul(_chosen(self._vectors, rows), self._rows.T, out=out)

    def multiply_with_itself(self, out: Float32Array) -> None:
        # With its own transpose, recognised as such, numpy multiplies a triangle only.
        np.matmul(self._rows, self._rows.T, out=out)


def _chosen(vectors: Float32Array, rows: IntArray) -> Float32Array:
    """(n, D) rows, without a copy where they follow each other."""
    if len(rows) and (np.diff(rows) == 1).all():
        return vectors[rows[0] : rows[-1] + 1]
    return vectors[rows]


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
