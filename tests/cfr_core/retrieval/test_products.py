"""The large similarities of a block are found as by looking at every one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr_core.retrieval.products import Products

sides = st.integers(1, 40)


def _block(n_queries: int, n_columns: int, is_transposed: bool, seed: int) -> Products:
    rng = np.random.default_rng(seed)
    shape = (n_columns, n_queries) if is_transposed else (n_queries, n_columns)
    tile = rng.integers(-9, 10, shape).astype(np.float32)
    tile[rng.random(shape) < 0.2] = -np.inf
    return Products(slice(0, n_queries), slice(0, n_columns), tile, is_transposed)


@given(sides, sides, st.booleans(), st.integers(0, 99))
@settings(deadline=None)
def test_above(n_queries: int, n_columns: int, is_transposed: bool, seed: int):
    products = _block(n_queries, n_columns, is_transposed, seed)
    floor = np.random.default_rng(seed).integers(-9, 10, n_queries).astype(np.float32)
    query, column, similarity = products.above(floor)
    assert (np.diff(query) >= 0).all()
    expected = np.argwhere(products.values > floor[:, None])
    found = np.column_stack([query, column])
    np.testing.assert_array_equal(found[np.lexsort((column, query))], expected)
    np.testing.assert_array_equal(products.values[query, column], similarity)


@given(sides, sides, st.booleans(), st.integers(0, 99), st.integers(1, 6))
@settings(deadline=None)
def test_floor_for(n_queries: int, n_columns: int, is_transposed: bool, seed: int, n_wanted: int):
    products = _block(n_queries, n_columns, is_transposed, seed)
    floor = products.floor_for(n_wanted)
    n_above = (products.values > floor[:, None]).sum(axis=1)
    n_allowed = (products.values > -np.inf).sum(axis=1)
    assert (n_above >= np.minimum(n_wanted, n_allowed)).all()


@pytest.mark.parametrize("is_transposed", [False, True])
def test_a_floor_leaves_little(is_transposed: bool):
    tile = np.random.default_rng(0).random((1024, 1024), dtype=np.float32)
    products = Products(slice(0, 1024), slice(0, 1024), tile, is_transposed)
    query, _, _ = products.above(products.floor_for(12))
    assert 12 * 1024 <= len(query) < 14 * 1024


@given(sides, sides, st.booleans(), st.integers(0, 99))
@settings(deadline=None)
def test_highest_and_rows(n_queries: int, n_columns: int, is_transposed: bool, seed: int):
    products = _block(n_queries, n_columns, is_transposed, seed)
    np.testing.assert_array_equal(products.highest, products.values.max(axis=1))
    some = np.arange(n_queries)[::3]
    np.testing.assert_array_equal(products.of(some), products.values[some])
