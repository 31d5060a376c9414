"""Neighbours and first hits against a ranking in rational numbers, and what must not matter."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits
from torchmetrics.functional.retrieval import retrieval_average_precision

from cfr_core.errors import InputError
from cfr_core.metrics import retrieval_at_k
from cfr_core.retrieval import average_precisions, nearest_neighbours, nearest_rows
from cfr_core.retrieval.on_device import OnDevice
from cfr_core.types import Neighbours, RetrievalTask
from tests.cfr_core.retrieval.oracle import leave_one_out, rank_all, tasks, unit


def assert_same(found: Neighbours, expected: Neighbours) -> None:
    for name in ("query_rows", "rows", "first_hit_rank", "first_hit_row", "n_gallery"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    np.testing.assert_allclose(found.scores, expected.scores, atol=6e-6)


def individuals(
    n_rows: int, dim: int, *, seed: int = 0, n_identities: int = 40
) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors that gather about their individual's own, and the codes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_identities, size=n_rows)
    centres = rng.standard_normal((n_identities, dim))
    return unit(rng.standard_normal((n_rows, dim)) + 0.7 * centres[codes]), codes


@given(tasks(max_rows=16), st.integers(1, 20), st.integers(1, 9))
@settings(max_examples=120, deadline=None)
def test_everything_is_as_the_definition_says(
    drawn: tuple[np.ndarray, RetrievalTask], k: int, block_rows: int
):
    vectors, task = drawn
    expected = rank_all(vectors, task, k)
    found = nearest_neighbours(vectors, task, k, block_rows=block_rows)
    np.testing.assert_array_equal(found.query_rows, task.query_rows)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.first_hit_rank, expected.first_hit_rank)
    np.testing.assert_array_equal(found.first_hit_row, expected.first_hit_row)
    np.testing.assert_array_equal(found.n_gallery, expected.n_gallery)
    np.testing.assert_array_equal(found.n_positives, expected.n_positives)
    np.testing.assert_array_equal(np.isnan(found.scores), expected.rows < 0)
    rows, scores = nearest_rows(vectors, task, k, block_rows=block_rows)
    np.testing.assert_array_equal(rows, found.rows)
    np.testing.assert_array_equal(scores, found.scores)
    precisions = average_precisions(vectors, task, block_rows=block_rows)
    np.testing.assert_allclose(precisions, expected.average_precision, rtol=1e-12)


@pytest.mark.parametrize("shape", ["leave-one-out", "answerable part", "overlapping split"])
def test_against_a_dense_ranking_at_full_block_size(shape: str):
    """2,500 rows: blocks of 1,024 with a ragged end, on the diagonal, mirrored and one-sided."""
    vectors, codes = individuals(2500, 24)
    task = leave_one_out(codes)
    if shape != "leave-one-out":
        queries = np.flatnonzero(codes > 10)
        gallery = task.gallery_rows if shape == "answerable part" else np.arange(700, 2500)
        task = RetrievalTask(codes, queries, gallery, task.exclusion_codes)
    found = nearest_neighbours(vectors, task, 10)

    grid = np.round(vectors.astype(np.float64) * 2**26) / 2**26
    dense = np.full((len(task.query_rows), 2500), -np.inf)
    dense[:, task.gallery_rows] = grid[task.query_rows] @ grid[task.gallery_rows].T
    dense[np.arange(len(dense)), task.query_rows] = -np.inf
    ranking = np.argsort(-dense, axis=1, kind="stable")
    np.testing.assert_array_equal(found.rows, ranking[:, :10])
    np.testing.assert_allclose(
        found.scores, np.take_along_axis(dense, ranking[:, :10], axis=1), atol=6e-6
    )
    hits = codes[ranking] == codes[task.query_rows][:, None]
    np.testing.assert_array_equal(found.first_hit_rank, 1 + hits.argmax(axis=1))


def test_the_first_hit_is_within_k_exactly_where_a_neighbour_is_right():
    vectors, codes = individuals(400, 6)
    vectors = unit(np.sign(vectors))  # few distinct vectors: ties between right and wrong rows
    found = nearest_neighbours(vectors, leave_one_out(codes), 5)
    for k in (1, 2, 5):
        right = (codes[found.rows[:, :k]] == codes[:, None]).any(axis=1)
        np.testing.assert_array_equal(right, found.first_hit_rank <= k)


def test_identical_vectors_tie_across_block_edges():
    """Products at the edge of a block may be computed by another kernel, a last digit apart."""
    one, other = individuals(2, 1536)[0]
    vectors = np.array([one] * 131 + [other] + [one] * 131)
    codes = np.zeros(263, dtype=np.int64)
    codes[131] = 1
    for block_rows in (263, 128, 41):
        found = nearest_neighbours(vectors, leave_one_out(codes), 3, block_rows=block_rows)
        np.testing.assert_array_equal(found.rows[0], [1, 2, 3])
        np.testing.assert_array_equal(found.rows[262], [0, 1, 2])
        np.testing.assert_array_equal(found.rows[131], [0, 1, 2])


def test_hundreds_of_copies_of_every_vector():
    """As silhouettes of a still animal: every place of every ranking is a tie."""
    centres, _ = individuals(3, 64)
    copies = np.arange(900) % 3
    codes = np.arange(900) % 50
    task = leave_one_out(codes)
    found = nearest_neighbours(centres[copies], task, 4, block_rows=256)
    for query in (0, 451, 899):
        same = np.flatnonzero(copies == copies[query])
        same = same[same != query]
        np.testing.assert_array_equal(found.rows[query], same[:4])
        right = np.flatnonzero(codes[same] == codes[query])
        assert found.first_hit_rank[query] == right[0] + 1


def test_similarities_closer_than_float32_are_told_apart():
    """Two gallery rows 1e-7 apart, in either order."""
    query = np.array([1.0, 0.0])
    angles = np.array([0.5, 0.5 + 2e-7, 0.5 - 2e-7])
    near = np.column_stack([np.cos(angles), np.sin(angles)])
    vectors = np.vstack([query, near]).astype(np.float32)
    found = nearest_neighbours(vectors, leave_one_out(np.array([0, 1, 0, 1])), 3)
    expected = rank_all(vectors, leave_one_out(np.array([0, 1, 0, 1])), 3)
    np.testing.assert_array_equal(found.rows, expected.rows)
    assert sorted(found.rows[0].tolist()) == [1, 2, 3]
    np.testing.assert_array_equal(found.first_hit_rank, expected.first_hit_rank)


@pytest.mark.parametrize("block_rows", [5, 13, 64, 120, 1000])
def test_block_size_does_not_matter(block_rows: int):
    vectors, codes = individuals(120, 300)
    task = leave_one_out(codes, np.arange(120) // 3)
    assert_same(
        nearest_neighbours(vectors, task, 7, block_rows=block_rows),
        nearest_neighbours(vectors, task, 7, block_rows=96),
    )


def test_number_of_threads_does_not_matter():
    vectors, codes = individuals(600, 200)
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(nearest_neighbours(vectors, leave_one_out(codes), 7))
    assert_same(*found)


def test_the_cpu_does_without_torch():
    """It takes seconds and hundreds of megabytes to load."""
    code = "import sys, cfr_core.retrieval; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_read_only_vectors_as_they_are_stored():
    vectors, codes = individuals(30, 8)
    vectors.flags.writeable = False
    assert_same(
        nearest_neighbours(vectors, leave_one_out(codes), 3),
        nearest_neighbours(vectors.copy(), leave_one_out(codes), 3),
    )


def test_products_of_a_device_give_the_same_order(monkeypatch: pytest.MonkeyPatch):
    """The way of a graphics processor, by torch on this one."""
    vectors, codes = individuals(300, 100)
    expected = nearest_neighbours(vectors, leave_one_out(codes), 7)
    monkeypatch.setattr("cfr_core.retrieval.multiply.OnHost", lambda v: OnDevice(v, "cpu"))
    assert_same(nearest_neighbours(vectors, leave_one_out(codes), 7, block_rows=128), expected)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_permuting_the_rows_permutes_the_results(seed: int):
    vectors, codes = individuals(60, 5, n_identities=12)
    encounter = np.arange(60) // 4
    order = np.random.default_rng(seed).permutation(60)
    plain = nearest_neighbours(vectors, leave_one_out(codes, encounter), 6)
    permuted = nearest_neighbours(vectors[order], leave_one_out(codes[order], encounter[order]), 6)
    np.testing.assert_array_equal(order[permuted.rows], plain.rows[order])
    np.testing.assert_array_equal(permuted.first_hit_rank, plain.first_hit_rank[order])
    np.testing.assert_allclose(permuted.scores, plain.scores[order], atol=6e-6)


@given(
    st.lists(st.floats(-1, 1, width=32), min_size=6, max_size=6).filter(lambda x: any(map(abs, x)))
)
@settings(max_examples=40, deadline=None)
def test_an_unrelated_distractor_never_raises_retrieval(distractor: list[float]):
    vectors, codes = individuals(50, 6, n_identities=12)
    doubles = np.array(distractor) / max(map(abs, distractor))
    more = np.vstack([vectors, unit(doubles[None])])
    before = nearest_neighbours(vectors, leave_one_out(codes), 1).first_hit_rank
    after = nearest_neighbours(more, leave_one_out(np.append(codes, 99)), 1).first_hit_rank
    assert (after[:50] >= before).all()
    assert after[50] == 0
    for k in (1, 5):
        assert retrieval_at_k(after[:50], k) <= retrieval_at_k(before, k)


def test_a_query_and_gallery_split():
    vectors = unit(np.array([[1.0, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]]))
    none = np.empty((4, 0), dtype=np.int64)
    task = RetrievalTask(np.array([0, 1, 0, 1]), np.array([0, 3]), np.array([1, 2]), none)
    found = nearest_neighbours(vectors, task, 1)
    assert found.rows.tolist() == [[1], [2]]
    assert found.first_hit_rank.tolist() == [2, 2]
    assert found.n_gallery.tolist() == [2, 2]


def test_a_short_gallery_ends_in_minus_one_and_nan():
    vectors, codes = individuals(3, 4, n_identities=1)
    found = nearest_neighbours(vectors, leave_one_out(codes), 5)
    assert (found.rows[:, 2:] == -1).all()
    assert np.isnan(found.scores[:, 2:]).all()
    assert (found.rows[:, :2] >= 0).all()
    assert (found.rows.dtype, found.scores.dtype) == (np.int32, np.float32)


def test_no_queries_and_no_gallery():
    vectors, codes = individuals(4, 4)
    nobody, none = np.empty(0, dtype=np.int64), np.empty((4, 0), dtype=np.int64)
    found = nearest_neighbours(vectors, RetrievalTask(codes, nobody, np.arange(4), none), 2)
    assert found.rows.shape == (0, 2)
    found = nearest_neighbours(vectors, RetrievalTask(codes, np.arange(4), nobody, none), 2)
    assert (found.rows == -1).all()
    assert (found.first_hit_rank == 0).all()


def test_k_and_the_number_of_vectors_are_checked():
    vectors, codes = individuals(4, 4)
    with pytest.raises(InputError, match="k must be at least 1, got 0"):
        nearest_neighbours(vectors, leave_one_out(codes), 0)
    with pytest.raises(InputError, match="the task has 3 rows, but there are 4 vectors"):
        nearest_neighbours(vectors, leave_one_out(codes[:3]), 1)


def test_average_precision_by_parts_is_that_of_the_whole(monkeypatch: pytest.MonkeyPatch):
    vectors, codes = individuals(120, 8)
    task = leave_one_out(codes)
    whole = average_precisions(vectors, task)
    monkeypatch.setattr("cfr_core.retrieval.neighbours._POSITIVES_AT_ONCE", 20)
    np.testing.assert_array_equal(average_precisions(vectors, task), whole)


def test_mean_average_precision_against_torchmetrics():
    vectors, codes = individuals(80, 8, n_identities=9)
    found = average_precisions(vectors, leave_one_out(codes))
    shifted = torch.from_numpy(vectors @ vectors.T + 2)  # it drops scores that are not above zero
    for query in range(80):
        others = np.arange(80) != query
        relevant = torch.from_numpy(codes[others] == codes[query])
        expected = retrieval_average_precision(shifted[query, others], relevant)
        assert found[query] == pytest.approx(float(expected), rel=1e-5)
