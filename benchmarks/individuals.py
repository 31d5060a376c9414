"""Embeddings of generated individuals, of which a search finds about half at once."""

import numpy as np

from cfr_core.types import Float32Array, IntArray, RetrievalTask

_PHOTOS_EACH = 10
_ROWS_AT_ONCE = 1024


def individuals(n_rows: int, dim: int) -> tuple[Float32Array, IntArray]:
    """Unit vectors that gather loosely about their individual's own, made in place.

    Args:
        n_rows: Number of vectors.
        dim: Their length.

    Returns:
        (n_rows, dim) float32 vectors and (n_rows,) int64 identity codes, ten rows each, shuffled.
    """
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.arange(n_rows) // _PHOTOS_EACH)
    # Within an individual the similarity is two to three times the spread of that between two.
    weight = np.float32(1.6 * dim**-0.25)
    vectors = np.empty((n_rows, dim), dtype=np.float32)
    for first in range(0, n_rows, _ROWS_AT_ONCE):
        block = vectors[first : first + _ROWS_AT_ONCE]
        rng.standard_normal(out=block, dtype=np.float32)
        for row, code in zip(block, codes[first : first + len(block)], strict=True):
            row += weight * np.random.default_rng(code).standard_normal(dim, dtype=np.float32)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return vectors, codes


def everyone(codes: IntArray) -> RetrievalTask:
    """Every row queries all the others."""
    rows = np.arange(len(codes))
    return RetrievalTask(codes, rows, rows, np.empty((len(codes), 0), dtype=np.int64))
