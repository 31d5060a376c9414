"""Float32 products of embeddings, by numpy on the CPU and by torch on a graphics processor."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import numpy as np
import torch

from cfr_core.errors import InputError
from cfr_core.types import Float32Array, IntArray

_LENGTH_TOLERANCE = 1e-3
_DIAGONAL_ROWS = 256


class Strip(Protocol):
    """Some rows, ready to be multiplied with others."""

    def multiply(self, rows: IntArray, columns: slice, out: Float32Array) -> None:
        """Similarities of rows to the strip's rows.

        Args:
            rows: (n,) int64 row numbers.
            columns: Which of the strip's rows.
            out: (n, c) float32, overwritten.
        """


class Multiplier(Protocol):
    """Embeddings where they are multiplied."""

    def strip(self, rows: IntArray) -> Strip:
        """Prepare rows for several products.

        Args:
            rows: (n,) int64 row numbers.
        """


def multiplier(vectors: Float32Array, device: torch.device) -> Multiplier:
    """Embeddings on a device, checked.

    Args:
        vectors: (N, D) float32, rows of unit length.
        device: Where to multiply.

    Raises:
        InputError: if a row is not finite or not of unit length.
    """
    _check_unit(vectors)
    return OnHost(vectors) if device.type == "cpu" else OnDevice(vectors, device)


def multiply_with_itself(strip: Strip, rows: IntArray, out: Float32Array) -> None:
    """Similarities of the strip's rows to each other, each product made once.

    Args:
        strip: The rows.
        rows: (n,) int64, their row numbers.
        out: (n, n) float32, overwritten.
    """
    for first in range(0, len(rows), _DIAGONAL_ROWS):
        part = slice(first, first + _DIAGONAL_ROWS)
        strip.multiply(rows[first:], part, out[first:, part])
        out[part, part.stop :] = out[part.stop :, part].T


class OnHost:
    """Embeddings in memory, multiplied by numpy's BLAS, whose threads wait well beside others'."""

    def __init__(self, vectors: Float32Array) -> None:
        self._vectors = vectors

    def strip(self, rows: IntArray) -> "_HostStrip":
        """See `Multiplier`."""
        return _HostStrip(self._vectors, rows)


class _HostStrip:
    def __init__(self, vectors: Float32Array, rows: IntArray) -> None:
        self._vectors = vectors
        # A product is faster by a fifth where the second matrix is read along its memory.
        self._transposed = np.ascontiguousarray(_chosen(vectors, rows).T)

    def multiply(self, rows: IntArray, columns: slice, out: Float32Array) -> None:
        np.matmul(_chosen(self._vectors, rows), self._transposed[:, columns], out=out)


class OnDevice:
    """Embeddings on a graphics processor; each product comes back to memory."""

    def __init__(self, vectors: Float32Array, device: torch.device) -> None:
        """Copy the vectors to the device.

        Args:
            vectors: (N, D) float32.
            device: Any device of torch.
        """
        self._vectors = torch.tensor(vectors, device=device)

    def strip(self, rows: IntArray) -> "_DeviceStrip":
        """See `Multiplier`."""
        return _DeviceStrip(self._vectors, rows)


class _DeviceStrip:
    def __init__(self, vectors: torch.Tensor, rows: IntArray) -> None:
        self._vectors = vectors
        self._strip = self._on_device(rows)

    def multiply(self, rows: IntArray, columns: slice, out: Float32Array) -> None:
        with _full_float32():
            out[:] = torch.mm(self._on_device(rows), self._strip[columns].T).cpu().numpy()

    def _on_device(self, rows: IntArray) -> torch.Tensor:
        return self._vectors.index_select(0, torch.from_numpy(rows).to(self._vectors.device))


@contextmanager
def _full_float32() -> Iterator[None]:
    """Keep float32 products in float32: TF32 or bfloat16, if switched on, would break the bound."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


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
