"""Rankings against a ranking in rational numbers, and against the two searches made apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr_core.retrieval import average_precisions, nearest_neighbours
from cfr_core.retrieval.exact import exact_pairs
from cfr_core.retrieval.ranking import rank
from cfr_core.types import RetrievalTask
from tests.cfr_core.retrieval.oracle import leave_one_out, rank_all, tasks, unit


@given(tasks(max_rows=16), st.integers(1, 12), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_everything_is_as_the_definition_says(
    drawn: tuple[np.ndarray, RetrievalTask], k: int, block_rows: int
):
    vectors, task = drawn
    expected = rank_all(vectors, task, k)
    ranking = rank(vectors, task, k, block_rows=block_rows)
    found = ranking.neighbours
    for name in ("rows", "first_hit_rank", "first_hit_row", "n_gallery", "n_positives"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    np.testing.assert_allclose(ranking.average_precisions, expected.average_precision, rtol=1e-12)
    query, place = np.nonzero(found.rows >= 0)
    exact = exact_pairs(vectors, found.query_rows[query], found.rows[query, place])
    np.testing.assert_array_equal(found.scores[query, place], exact.astype(np.float32))
    assert np.isnan(found.scores[found.rows < 0]).all()


def test_it_agrees_with_the_searches_made_apart(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(0)
    vectors = unit(rng.standard_normal((700, 20)))
    task = leave_one_out(rng.integers(60, size=700), np.arange(700) // 3)
    whole = rank(vectors, task, 5)
    found = nearest_neighbours(vectors, task, 5)
    for name in ("query_rows", "rows", "first_hit_rank", "first_hit_row", "n_positives"):
        np.testing.assert_array_equal(
            getattr(whole.neighbours, name), getattr(found, name), err_msg=name
        )
    np.testing.assert_array_equal(whole.average_precisions, average_precisions(vectors, task))

    monkeypatch.setattr("cfr_core.retrieval.neighbours._POSITIVES_AT_ONCE", 900)
    by_parts = rank(vectors, task, 5)
    for name, expected in vars(whole.neighbours).items():
        np.testing.assert_array_equal(getattr(by_parts.neighbours, name), expected, err_msg=name)
    for name, expected in vars(whole.positives).items():
        np.testing.assert_array_equal(getattr(by_parts.positives, name), expected, err_msg=name)
