"""Exact similarities, which decide what a float32 product is too coarse to tell apart.

A float32 matrix product depends, in its last digits, on how it was cut into blocks. Where two
similarities lie closer than that, their order is decided by an exact product: components are
rounded to multiples of 2^-26 (an error below 1e-8), so that every partial sum of a product of two
unit vectors is a multiple of 2^-52 below 2, which float64 holds without rounding. An exact product
is the same number in any order of summation, whoever computes it with any number of threads, and
identical vectors tie.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cfr_core.retrieval.threads import map_on_cores
from cfr_core.types import Float32Array, IntArray

Float64Array: TypeAlias = npt.NDArray[np.float64]

PRODUCT_ERROR = 6e-6
"""Bound on the error of a float32 product of unit vectors. The largest seen was 2.9e-6, over 2 to
4,096 dimensions, products from -1 to 1, and both MKL and OpenBLAS; the typical one is 1e-7. It is
a random walk of D roundings of at most 6e-8: the bound is nine standard deviations of the worst."""

_UNITS = np.float32(2**26)
_ROWS_AT_ONCE = 512
_PAIRS_AT_ONCE = 1 << 15
_PAIRS_IN_CACHE = 64
"""Pairs whose vectors, fetched for them alone, stay in the processor's cache: thrice as fast."""
# One matrix entry costs about a twentieth of a pair whose two vectors are fetched for it alone.
_ENTRIES_FOR_A_PAIR = 20


def exact_products(
    vectors: Float32Array, query_rows: IntArray, gallery_rows: IntArray
) -> Float64Array:
    """Exact similarities of each query row to each gallery row.

    Args:
        vectors: (N, D) float32 unit rows.
        query_rows: (q,) int64 row numbers.
        gallery_rows: (g,) int64 row numbers.

    Returns:
        (q, g) float64.
    """
    products = np.empty((len(query_rows), len(gallery_rows)))
    for queries in blocks(0, len(query_rows), _ROWS_AT_ONCE):
        left = _in_units(vectors, query_rows[queries])
        for gallery in blocks(0, len(gallery_rows), _ROWS_AT_ONCE):
            is_same = np.array_equal(query_rows[queries], gallery_rows[gallery])
            right = left if is_same else _in_units(vectors, gallery_rows[gallery])
            products[queries, gallery] = left @ right.T
    products /= float(_UNITS) ** 2
    return products


def exact_pairs(
    vectors: Float32Array, query_rows: IntArray, gallery_rows: IntArray
) -> Float64Array:
    """Exact similarities of pairs of rows; the same numbers as `exact_products` gives.

    Args:
        vectors: (N, D) float32 unit rows.
        query_rows: (P,) int64 row numbers.
        gallery_rows: (P,) int64 row numbers.

    Returns:
        (P,) float64.
    """
    parts = map_on_cores(
        lambda pairs: _some_pairs(vectors, query_rows[pairs], gallery_rows[pairs]),
        list(blocks(0, len(query_rows), _PAIRS_AT_ONCE)),
    )
    return np.concatenate([np.empty(0), *parts])


def _some_pairs(
    vectors: Float32Array, query_rows: IntArray, gallery_rows: IntArray
) -> Float64Array:
    queries, gallery = np.unique(query_rows), np.unique(gallery_rows)
    if len(queries) * len(gallery) <= _ENTRIES_FOR_A_PAIR * len(query_rows):
        query, other = np.searchsorted(queries, query_rows), np.searchsorted(gallery, gallery_rows)
        matrix: Float64Array = exact_products(vectors, queries, gallery)[query, other]
        return matrix
    products = np.empty(len(query_rows))
    shape = (_PAIRS_IN_CACHE, vectors.shape[1])
    chosen = np.empty(shape, np.float32)
    left, right = np.empty(shape), np.empty(shape)
    for pairs in blocks(0, len(query_rows), _PAIRS_IN_CACHE):
        n_pairs = pairs.stop - pairs.start
        for rows, units in ((query_rows, left), (gallery_rows, right)):
            _put_in_units(vectors, rows[pairs], chosen[:n_pairs], units[:n_pairs])
        products[pairs] = np.einsum("nd,nd->n", left[:n_pairs], right[:n_pairs])
    products /= float(_UNITS) ** 2
    return products


def _put_in_units(
    vectors: Float32Array, rows: IntArray, chosen: Float32Array, units: Float64Array
) -> None:
    """Put (n, D) vectors as whole numbers of 2^-26 into `units`, by way of `chosen`."""
    # Scaling by a power of two and rounding are exact in float32, too.
    vectors.take(rows, axis=0, out=chosen, mode="clip")  # to check the rows would copy them twice
    np.multiply(chosen, _UNITS, out=chosen)
    np.rint(chosen, out=chosen)
    units[:] = chosen


def _in_units(vectors: Float32Array, rows: IntArray) -> Float64Array:
    """(n, D) float64 vectors as whole numbers of 2^-26."""
    units = np.empty((len(rows), vectors.shape[1]))
    _put_in_units(vectors, rows, np.empty(units.shape, np.float32), units)
    return units


def blocks(start: int, stop: int, size: int) -> Iterator[slice]:
    """Slices of at most `size` that cover start..stop.

    Args:
        start: First index.
        stop: End, exclusive.
        size: Largest length of a slice.
    """
    for first in range(start, stop, size):
        yield slice(first, min(first + size, stop))
