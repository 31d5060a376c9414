"""Average precision against scikit-learn and torchmetrics."""

import math

import numpy as np
import pytest
import torch
from sklearn.metrics import average_precision_score
from torchmetrics.functional.retrieval import retrieval_average_precision

from cfr_core.metrics import average_precision, mean_average_precision


@pytest.fixture
def rankings() -> tuple[np.ndarray, np.ndarray]:
    """(40, 30) scores without ties, some negative, and relevance with at least one per row."""
    rng = np.random.default_rng(1)
    relevant = rng.random((40, 30)) < 0.2
    relevant[:, 0] |= ~relevant.any(axis=1)
    return rng.standard_normal((40, 30)), relevant


def _ranks(scores: np.ndarray, relevant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rank = 1 + np.argsort(np.argsort(-scores, axis=1), axis=1)
    query, column = np.nonzero(relevant)
    return query, rank[query, column]


def test_against_scikit_learn(rankings: tuple[np.ndarray, np.ndarray]):
    scores, relevant = rankings
    expected = [average_precision_score(r, s) for r, s in zip(relevant, scores, strict=True)]
    np.testing.assert_allclose(average_precision(*_ranks(scores, relevant), 40), expected)


def test_against_torchmetrics_with_scores_above_zero(rankings: tuple[np.ndarray, np.ndarray]):
    scores, relevant = rankings
    shifted = scores - scores.min() + 1  # it drops positives whose score is not above zero
    expected = [
        float(retrieval_average_precision(torch.from_numpy(s), torch.from_numpy(r)))
        for s, r in zip(shifted, relevant, strict=True)
    ]
    found = average_precision(*_ranks(scores, relevant), 40)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_order_of_the_positives_does_not_matter(rankings: tuple[np.ndarray, np.ndarray]):
    query, ranks = _ranks(*rankings)
    order = np.random.default_rng(2).permutation(len(query))
    shuffled = average_precision(query[order], ranks[order], 40)
    np.testing.assert_array_equal(shuffled, average_precision(query, ranks, 40))


def test_late_positives_count():
    """Of two positives one is found first and one last: 1/2 * (1/1 + 2/10), not 1."""
    assert average_precision(np.array([0, 0]), np.array([1, 10]), 1) == pytest.approx([0.6])


def test_a_query_without_a_positive_is_undefined_and_left_out_of_the_mean():
    precisions = average_precision(np.array([0, 2]), np.array([1, 4]), 3)
    np.testing.assert_array_equal(precisions, [1, math.nan, 0.25])
    assert mean_average_precision(precisions) == pytest.approx(0.625)
    assert math.isnan(mean_average_precision([math.nan]))
