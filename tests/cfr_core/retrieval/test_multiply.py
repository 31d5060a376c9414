"""Float32 products keep their bound by numpy and by torch; unusable vectors are refused."""

import numpy as np
import pytest
import torch

from cfr_core.errors import InputError
from cfr_core.retrieval.exact import PRODUCT_ERROR, exact_products
from cfr_core.retrieval.multiply import CPU, Multiplier, OnHost, multiplier
from cfr_core.retrieval.on_device import OnDevice
from tests.cfr_core.retrieval.oracle import KINDS, vectors_of_kind


def _multipliers(vectors: np.ndarray) -> list[Multiplier]:
    """By numpy, and by torch as on a graphics processor."""
    return [OnHost(vectors), OnDevice(vectors, CPU)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [2, 64, 512, 2048])
def test_products_keep_their_bound(kind: str, dim: int):
    vectors = vectors_of_kind(kind, dim)
    everyone = np.arange(40)
    exact = exact_products(vectors, everyone, everyone)
    for rows in _multipliers(vectors):
        products = np.empty((40, 40), dtype=np.float32)
        rows.strip(everyone).multiply(everyone, products)
        assert np.abs(products - exact).max() < PRODUCT_ERROR * 2 / 3


@pytest.mark.parametrize("strip_rows", [np.arange(5, 15), np.array([3, 8, 9, 30])])
@pytest.mark.parametrize("rows", [np.arange(12, 20), np.array([7, 9, 8, 10])])
def test_any_rows_in_any_order(strip_rows: np.ndarray, rows: np.ndarray):
    vectors = vectors_of_kind("normal", 30)
    for embeddings in _multipliers(vectors):
        products = np.empty((len(rows), len(strip_rows)), dtype=np.float32)
        embeddings.strip(strip_rows).multiply(rows, products)
        expected = vectors[rows] @ vectors[strip_rows].T
        np.testing.assert_allclose(products, expected, atol=PRODUCT_ERROR)


@pytest.mark.parametrize("rows", [np.arange(4, 34), np.array([3, 8, 9, 30])])
def test_products_of_rows_with_each_other(rows: np.ndarray):
    vectors = vectors_of_kind("normal", 30)
    for embeddings in _multipliers(vectors):
        products = np.full((len(rows), len(rows)), np.nan, dtype=np.float32)
        embeddings.strip(rows).multiply_with_itself(products)
        np.testing.assert_allclose(products, vectors[rows] @ vectors[rows].T, atol=PRODUCT_ERROR)


def test_the_device_chooses_the_library():
    vectors = vectors_of_kind("normal", 8)
    assert isinstance(multiplier(vectors, CPU), OnHost)
    assert isinstance(multiplier(vectors, "meta"), OnDevice)


def test_reduced_precision_is_off_inside_and_as_before_outside(monkeypatch: pytest.MonkeyPatch):
    seen = []
    multiply = torch.mm

    def watched(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        seen.append(torch.get_float32_matmul_precision())
        return multiply(left, right)

    monkeypatch.setattr(torch, "mm", watched)
    torch.set_float32_matmul_precision("medium")
    try:
        rows = np.arange(4)
        strip = OnDevice(vectors_of_kind("normal", 8), CPU).strip(rows)
        strip.multiply(rows, np.empty((4, 4), dtype=np.float32))
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
    assert seen == ["highest"]


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
    vectors = vectors_of_kind("normal", 8)
    vectors[row] = value
    with pytest.raises(InputError, match=message):
        multiplier(vectors, CPU)


def test_other_types_and_shapes_are_refused():
    with pytest.raises(InputError, match=r"must be \(N, D\) float32, got \(3, 2\) float64"):
        multiplier(np.eye(3, 2), CPU)
    with pytest.raises(InputError, match=r"must be \(N, D\) float32, got \(3,\) float32"):
        multiplier(np.ones(3, dtype=np.float32), CPU)
