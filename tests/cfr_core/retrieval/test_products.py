"""The large similarities of a block are found as by looking at every one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr_core.retrieval.products import Bounds, Products, in_steps

sides = st.integers(1, 40)


def _block(n_queries: int, n_columns: int, is_transposed: bool, seed: int) -> Products:
    rng = np.random.default_rng(seed)
    shape = (n_columns, n_queries) if is_transposed else (n_queries, n_columns)
    tile = rng.integers(-9, 10, shape).astype(np.float32)
    tile[rng.random(shape) < 0.2] = -np.inf
    return Products(slice(0, n_queries), slice(0, n_columns), tile, in_steps(tile), is_transposed)


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
    products = Products(slice(0, 1024), slice(0, 1024), tile, in_steps(tile), is_transposed)
    query, _, _ = products.above(products.floor_for(12))
    assert 12 * 1024 <= len(query) < 14 * 1024


@given(sides, sides, st.booleans(), st.integers(0, 99), st.floats(0, 3))
@settings(deadline=None)
def test_count_above(n_queries: int, n_columns: int, is_transposed: bool, seed: int, width: float):
    """Values in a few steps of the coarse scale, on the bounds and a float's last digit apart."""
    rng = np.random.default_rng(seed)
    shape = (n_columns, n_queries) if is_transposed else (n_queries, n_columns)
    tile = (rng.integers(-40, 41, shape) / 320_000).astype(np.float32)
    tile = np.nextafter(tile, rng.choice([-1, 0, 1], shape).astype(np.float32))
    tile[rng.random(shape) < 0.2] = -np.inf
    products = Products(
        slice(0, n_queries), slice(0, n_columns), tile, in_steps(tile), is_transposed
    )
    queries = np.flatnonzero(rng.random(n_queries) < 0.7)
    low = (rng.integers(-40, 41, len(queries)) / 320_000).astype(np.float32)
    high = low + np.float32(width / 32_000)
    n_above, place, column = products.count_above(queries, Bounds.between(low, high))
    values = products.values[queries]
    np.testing.assert_array_equal(n_above, (values > high[:, None]).sum(axis=1))
    is_between = (values > low[:, None]) & (values <= high[:, None])
    assert sorted(zip(place, column, strict=True)) == [tuple(at) for at in np.argwhere(is_between)]


@pytest.mark.parametrize("n_columns", [255, 256, 2040, 2048, 2300])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_more_are_counted_than_a_byte_holds(n_columns: int, is_transposed: bool):
    tile = np.ones((3, n_columns), dtype=np.float32)
    tile = np.ascontiguousarray(tile.T) if is_transposed else tile
    products = Products(slice(0, 3), slice(0, n_columns), tile, in_steps(tile), is_transposed)
    half = np.full(3, 0.5, dtype=np.float32)
    n_above, _, _ = products.count_above(np.arange(3), Bounds.between(half, half))
    assert n_above.tolist() == [n_columns] * 3


@given(st.lists(st.floats(-2, 2, width=32), min_size=2))
def test_a_larger_similarity_has_no_fewer_steps(similarities: list[float]):
    steps = in_steps(np.sort(np.array(similarities, dtype=np.float32)))
    assert (np.diff(steps.astype(int)) >= 0).all()
    assert in_steps(np.array([-np.inf, np.inf], dtype=np.float32)).tolist() == [-32_000, 32_000]


@given(sides, sides, st.booleans(), st.integers(0, 99))
@settings(deadline=None)
def test_highest(n_queries: int, n_columns: int, is_transposed: bool, seed: int):
    products = _block(n_queries, n_columns, is_transposed, seed)
    expected = in_steps(products.values.max(axis=1))
    np.testing.assert_array_equal(products.highest_step, expected)
