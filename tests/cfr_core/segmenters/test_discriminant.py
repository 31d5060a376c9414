"""The discriminant, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from cfr_core.segmenters.discriminant import animal_share


def clouds(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Two clouds of places of three looks each, and which is animal."""
    rng = np.random.default_rng(3)
    is_animal = rng.random(n) < 0.5
    looks = rng.normal(size=(n, 3)) @ np.array([[2, 0, 0], [1, 1, 0], [0, 0, 0.3]])
    return (looks + is_animal[:, None] * [2, 1, 0.2]).astype(np.float32), is_animal


def test_it_ranks_places_as_a_linear_discriminant_does() -> None:
    looks, is_animal = clouds()
    ours = animal_share(looks, is_animal.astype(np.float32), np.ones(len(looks), np.float32))
    lda = LinearDiscriminantAnalysis().fit(looks, is_animal)
    theirs = lda.decision_function(looks)
    assert np.corrcoef(np.log(ours / (1 - ours)), theirs)[0, 1] > 0.99
    assert ((ours > 0.5) == (theirs > 0)).mean() > 0.95


def test_a_weight_counts_like_so_many_copies() -> None:
    looks, is_animal = clouds(60)
    weights = np.arange(60) % 3
    often = np.repeat(np.arange(60), weights)
    kinds = is_animal.astype(np.float32)
    weighted = animal_share(looks, kinds, weights.astype(np.float32))
    copied = animal_share(looks[often], kinds[often], np.ones(len(often), np.float32))
    assert weighted[often] == pytest.approx(copied, abs=2e-3)


@pytest.mark.parametrize(("kind", "expected"), [(0.0, 0.0), (1.0, 1.0)])
def test_one_kind_alone_teaches_nothing_else(kind: float, expected: float) -> None:
    looks, _ = clouds(20)
    found = animal_share(looks, np.full(20, kind, np.float32), np.ones(20, np.float32))
    assert found == pytest.approx(np.full(20, expected))
