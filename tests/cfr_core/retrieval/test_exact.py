"""Exact products are exact, however they are made."""

from fractions import Fraction

import numpy as np
import pytest

from cfr_core.retrieval.exact import exact_pairs, exact_products
from tests.cfr_core.retrieval.oracle import KINDS, vectors_of_kind


@pytest.mark.parametrize("kind", KINDS)
def test_products_are_exact(kind: str):
    vectors = vectors_of_kind(kind, 300)
    products = exact_products(vectors, np.array([3, 9]), np.array([9, 11]))
    exact = [[Fraction(round(x * 2**26), 2**26) for x in row] for row in vectors.tolist()]
    for i, query in enumerate((3, 9)):
        for j, row in enumerate((9, 11)):
            wanted = sum(a * b for a, b in zip(exact[query], exact[row], strict=True))
            assert Fraction(products[i, j].item()) == wanted


def test_exact_products_are_the_similarities():
    vectors = vectors_of_kind("normal", 300)
    everyone = np.arange(40)
    doubles = vectors.astype(np.float64)
    np.testing.assert_allclose(
        exact_products(vectors, everyone, everyone), doubles @ doubles.T, atol=1e-7
    )


def test_pairs_and_blocks_give_the_same_numbers():
    vectors = vectors_of_kind("normal", 700)
    everyone = np.arange(40)
    products = exact_products(vectors, everyone, everyone)
    few = np.array([0, 5, 39]), np.array([39, 5, 1])  # one by one
    np.testing.assert_array_equal(exact_pairs(vectors, *few), products[few])
    query, other = (grid.ravel() for grid in np.meshgrid(everyone, everyone))  # as a matrix
    np.testing.assert_array_equal(exact_pairs(vectors, query, other), products[query, other])


def test_a_cut_into_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    vectors = vectors_of_kind("after a ReLU", 700)
    everyone = np.arange(40)
    whole = exact_products(vectors, everyone, everyone[:30])
    monkeypatch.setattr("cfr_core.retrieval.exact._ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(exact_products(vectors, everyone, everyone[:30]), whole)


def test_no_pairs():
    nobody = np.empty(0, dtype=np.int64)
    assert exact_pairs(vectors_of_kind("normal", 8), nobody, nobody).shape == (0,)
