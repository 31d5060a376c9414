"""Exact products are exact, whoever computes them; unusable vectors are refused."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from cfr_core.errors import InputError
from cfr_core.retrieval.exact import PRODUCT_ERROR, UnitRows, full_float32
from tests.cfr_core.retrieval.oracle import unit

CPU = torch.device("cpu")


def _vectors(kind: str, dim: int) -> np.ndarray:
    rng = np.random.default_rng(dim)
    vectors = rng.standard_normal((40, dim))
    if kind == "after a ReLU":
        vectors = np.maximum(vectors, 0) ** 2 + 0.01
    if kind == "one large component":
        vectors = 0.001 * vectors + np.eye(dim)[0]
    if kind == "near each other":
        vectors = 0.1 * vectors + rng.standard_normal(dim)
    return unit(vectors)


KINDS = ["normal", "after a ReLU", "one large component", "near each other"]


@pytest.mark.parametrize("kind", KINDS)
def test_products_are_exact(kind: str):
    vectors = _vectors(kind, 300)
    products = UnitRows(vectors, CPU).products(np.array([3, 9]), np.array([9, 11]))
    exact = [[Fraction(round(x * 2**26), 2**26) for x in row] for row in vectors.tolist()]
    for i, query in enumerate((3, 9)):
        for j, row in enumerate((9, 11)):
            wanted = sum(a * b for a, b in zip(exact[query], exact[row], strict=True))
            assert Fraction(products[i, j].item()) == wanted


def test_pairs_and_blocks_give_the_same_numbers():
    rows = UnitRows(_vectors("normal", 700), CPU)
    everyone = np.arange(40)
    products = rows.products(everyone, everyone)
    few = np.array([0, 5, 39]), np.array([39, 5, 1])
    assert torch.equal(rows.pair_products(*few), products[few])
    query, other = (grid.ravel() for grid in np.meshgrid(everyone, everyone))
    assert torch.equal(rows.pair_products(query, other), products[query, other])


def test_no_pairs():
    nobody = np.empty(0, dtype=np.int64)
    rows = UnitRows(_vectors("normal", 8), CPU)
    assert rows.pair_products(nobody, nobody).shape == (0,)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [2, 64, 512, 2048])
def test_fast_products_keep_their_bound(kind: str, dim: int):
    rows = UnitRows(_vectors(kind, dim), CPU)
    everyone = np.arange(40)
    fast = rows.fast(everyone) @ rows.fast(everyone).T
    error = (fast.double() - rows.products(everyone, everyone)).abs().max()
    assert error < PRODUCT_ERROR / 2


def test_stored_read_only_vectors_are_taken_as_they_are():
    vectors = _vectors("normal", 8)
    vectors.flags.writeable = False
    block = UnitRows(vectors, CPU).fast(np.arange(3, 9))
    assert np.shares_memory(block.numpy(), vectors)


@pytest.mark.parametrize(
    ("row", "value", "message"),
    [
        (4, np.nan, "1 of 40 vectors .* first in row 4 with length nan"),
        (7, np.inf, "1 of 40 vectors .* first in row 7 with length inf"),
        (0, 0.0, "1 of 40 vectors .* first in row 0 with length 0"),
        (2, 2.0, "1 of 40 vectors .* first in row 2 with length 5.6"),
    ],
)
def test_vectors_that_cannot_be_compared_are_refused(row: int, value: float, message: str):
    vectors = _vectors("normal", 8)
    vectors[row] = value
    with pytest.raises(InputError, match=message):
        UnitRows(vectors, CPU)


def test_other_types_and_shapes_are_refused():
    with pytest.raises(InputError, match=r"must be \(N, D\) float32, got \(3, 2\) float64"):
        UnitRows(np.eye(3, 2), CPU)
    with pytest.raises(InputError, match=r"must be \(N, D\) float32, got \(3,\) float32"):
        UnitRows(np.ones(3, dtype=np.float32), CPU)


def test_reduced_precision_is_off_inside_and_as_before_outside():
    torch.set_float32_matmul_precision("medium")
    try:
        with full_float32():
            assert torch.get_float32_matmul_precision() == "highest"
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
