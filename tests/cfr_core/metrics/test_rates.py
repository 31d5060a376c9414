"""Rates against scikit-learn, a counting oracle and a written-out loop for Eq. 8."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, top_k_accuracy_score

from cfr_core.errors import InputError
from cfr_core.metrics import (
    balanced_retrieval_at_k,
    hits_at_k,
    random_hit_probability,
    random_rate,
    retrieval_at_k,
)


def test_a_hit_is_a_first_rank_within_k():
    ranks = np.array([1, 2, 3, 0])  # 0: the query has no positive
    assert hits_at_k(ranks, 2).tolist() == [True, True, False, False]
    assert retrieval_at_k(ranks, 2) == 0.5


@pytest.mark.parametrize("k", [1, 2, 5])
def test_retrieval_is_the_top_k_accuracy_of_one_row_per_class(k: int):
    rng = np.random.default_rng(3)
    scores = rng.standard_normal((200, 12))
    truth = rng.integers(12, size=200)
    ranks = 1 + (scores > scores[np.arange(200), truth][:, None]).sum(axis=1)
    expected = top_k_accuracy_score(truth, scores, k=k, labels=np.arange(12))
    assert retrieval_at_k(ranks, k) == pytest.approx(expected)


def test_balanced_retrieval_is_balanced_accuracy_at_one():
    rng = np.random.default_rng(4)
    truth = np.concatenate([np.full(90, 7), np.full(9, 3), [5]])
    predicted = np.where(rng.random(100) < 0.6, truth, 7)
    ranks = np.where(predicted == truth, 1, 4)
    expected = balanced_accuracy_score(truth, predicted)
    assert balanced_retrieval_at_k(ranks, truth, 1) == pytest.approx(expected)
    assert retrieval_at_k(ranks, 1) > expected


@pytest.mark.parametrize(
    ("n_gallery", "n_positives", "k"),
    [
        (6, 2, 1),
        (6, 2, 3),
        (7, 1, 7),  # everything is drawn
        (4, 2, 9),  # k beyond the gallery
        (5, 3, 3),  # more is drawn than there are others
        (5, 5, 1),  # nothing but positives
        (5, 0, 2),  # no positive
    ],
)
def test_random_hit_probability_counts_the_draws(n_gallery: int, n_positives: int, k: int):
    draws = list(combinations(range(n_gallery), min(k, n_gallery)))
    hits = sum(any(row < n_positives for row in draw) for draw in draws)
    probability = random_hit_probability(np.array([n_gallery]), np.array([n_positives]), k)
    assert probability[0] == pytest.approx(hits / len(draws), abs=1e-14)


@given(
    st.lists(st.tuples(st.integers(1, 3000), st.integers(0, 3000)), min_size=1, max_size=8),
    st.integers(1, 40),
)
def test_random_hit_probability_is_equation_8(pairs: list[tuple[int, int]], k: int):
    n_gallery = np.array([n for n, _ in pairs])
    n_positives = np.array([min(n, p) for n, p in pairs])
    expected = []
    for n, p in zip(n_gallery.tolist(), n_positives.tolist(), strict=True):
        drawn = min(k, n)
        miss = 0 if n - p < drawn else math.comb(n - p, drawn) / math.comb(n, drawn)
        expected.append(1 - miss)
    probability = random_hit_probability(n_gallery, n_positives, k)
    np.testing.assert_allclose(probability, expected, rtol=1e-9, atol=1e-12)
    assert random_rate(n_gallery, n_positives, k) == pytest.approx(np.mean(expected))


def test_random_hit_probability_survives_large_galleries():
    probability = random_hit_probability(np.array([10**9]), np.array([1]), 10)
    assert probability[0] == pytest.approx(1e-8, rel=1e-9)


def test_without_queries_rates_are_undefined():
    nobody = np.empty(0, dtype=np.int64)
    assert math.isnan(retrieval_at_k(nobody, 1))
    assert math.isnan(balanced_retrieval_at_k(nobody, nobody, 1))
    assert math.isnan(random_rate(nobody, nobody, 1))


def test_an_empty_gallery_has_no_random_rate():
    probability = random_hit_probability(np.array([0, 3]), np.array([0, 1]), 1)
    assert math.isnan(probability[0])
    assert probability[1] == pytest.approx(1 / 3)


def test_k_below_one_is_refused():
    with pytest.raises(InputError, match="at least 1, got 0"):
        hits_at_k(np.array([1]), 0)
    with pytest.raises(InputError, match="at least 1, got 0"):
        random_hit_probability(np.array([1]), np.array([1]), 0)
