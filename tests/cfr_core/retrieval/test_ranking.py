"""Rankings against a ranking in rational numbers, and what must not matter."""

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
from cfr_core.retrieval import Ranking, rank
from cfr_core.retrieval.exact import exact_pairs
from cfr_core.retrieval.on_device import OnDevice
from cfr_core.types import RetrievalTask
from tests.cfr_core.retrieval.oracle import leave_one_out, rank_all, tasks, unit


def assert_same(found: Ranking, expected: Ranking) -> None:
    """To the last digit, scores too."""
    for part in ("neighbours", "positives"):
        for name, array in vars(getattr(expected, part)).items():
            np.testing.assert_array_equal(getattr(getattr(found, part), name), array, err_msg=name)


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
    ranking = rank(vectors, task, k, block_rows=block_rows)
    found = ranking.neighbours
    np.testing.assert_array_equal(found.query_rows, task.query_rows)
    for name in ("rows", "first_hit_rank", "first_hit_row", "n_gallery", "n_positives"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    np.testing.assert_allclose(ranking.average_precisions, expected.average_precision, rtol=1e-12)
    query, place = np.nonzero(found.rows >= 0)
    exact = exact_pairs(vectors, found.query_rows[query], found.rows[query, place])
    np.testing.assert_array_equal(found.scores[query, place], exact.astype(np.float32))
    assert np.isnan(found.scores[found.rows < 0]).all()


@pytest.mark.parametrize("shape", ["leave-one-out", "answerable part", "overlapping split"])
def test_against_a_dense_ranking_at_full_block_size(shape: str):
    """2,500 rows: blocks of 1,024 with a ragged end, on the diagonal, mirrored and one-sided."""
    vectors, codes = individuals(2500, 24)
    task = leave_one_out(codes)
    if shape != "leave-one-out":
        queries = np.flatnonzero(codes > 10)
        gallery = task.gallery_rows if shape == "answerable part" else np.arange(700, 2500)
        task = RetrievalTask(codes, queries, gallery, task.exclusion_codes)
    ranking = rank(vectors, task, 10)
    found = ranking.neighbours

    grid = np.round(vectors.astype(np.float64) * 2**26) / 2**26
    dense = np.full((len(task.query_rows), 2500), -np.inf)
    dense[:, task.gallery_rows] = grid[task.query_rows] @ grid[task.gallery_rows].T
    dense[np.arange(len(dense)), task.query_rows] = -np.inf
    order = np.argsort(-dense, axis=1, kind="stable")
    np.testing.assert_array_equal(found.rows, order[:, :10])
    nearest = np.take_along_axis(dense, order[:, :10], axis=1)
    np.testing.assert_array_equal(found.scores, nearest.astype(np.float32))
    is_hit = codes[order] == codes[task.query_rows][:, None]
    is_hit &= np.take_along_axis(dense, order, axis=1) > -np.inf
    np.testing.assert_array_equal(found.first_hit_rank, 1 + is_hit.argmax(axis=1))
    query, n_before = np.nonzero(is_hit)
    by_row = np.lexsort((order[query, n_before], query))
    query, n_before = query[by_row], n_before[by_row]
    np.testing.assert_array_equal(ranking.positives.query_rows, task.query_rows[query])
    np.testing.assert_array_equal(ranking.positives.rows, order[query, n_before])
    np.testing.assert_array_equal(ranking.positives.n_before, n_before)


def test_the_first_hit_is_within_k_exactly_where_a_neighbour_is_right():
    vectors, codes = individuals(400, 6)
    vectors = unit(np.sign(vectors))  # few distinct vectors: ties between right and wrong rows
    found = rank(vectors, leave_one_out(codes), 5).neighbours
    for k in (1, 2, 5):
        right = (codes[found.rows[:, :k]] == codes[:, None]).any(axis=1)
        np.testing.assert_array_equal(right, found.first_hit_rank <= k)


def test_identical_vectors_tie_across_block_edges():
    """Products at the edge of a block may be computed by another kernel, a last digit apart."""
    one, other = individuals(2, 1536)[0]
    vectors = np.array([one] * 131 + [other] + [one] * 131)
    codes = np.arange(263) // 10
    for block_rows in (263, 128, 41):
        found = rank(vectors, leave_one_out(codes), 3, block_rows=block_rows).neighbours
        np.testing.assert_array_equal(found.rows[0], [1, 2, 3])
        np.testing.assert_array_equal(found.rows[262], [0, 1, 2])
        np.testing.assert_array_equal(found.rows[131], [0, 1, 2])


def test_hundreds_of_copies_of_every_vector():
    """As silhouettes of a still animal: every place of every ranking is a tie."""
    centres, _ = individuals(3, 64)
    copies = np.arange(900) % 3
    codes = np.arange(900) % 50
    task = leave_one_out(codes)
    found = rank(centres[copies], task, 4, block_rows=256).neighbours
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
    found = rank(vectors, leave_one_out(np.array([0, 1, 0, 1])), 3).neighbours
    expected = rank_all(vectors, leave_one_out(np.array([0, 1, 0, 1])), 3)
    np.testing.assert_array_equal(found.rows, expected.rows)
    assert sorted(found.rows[0].tolist()) == [1, 2, 3]
    np.testing.assert_array_equal(found.first_hit_rank, expected.first_hit_rank)


@pytest.mark.parametrize("block_rows", [5, 13, 64, 120, 1000])
def test_block_size_does_not_matter(block_rows: int):
    vectors, codes = individuals(120, 300)
    task = leave_one_out(codes, np.arange(120) // 3)
    assert_same(
        rank(vectors, task, 7, block_rows=block_rows),
        rank(vectors, task, 7, block_rows=96),
    )


def test_number_of_threads_does_not_matter():
    vectors, codes = individuals(600, 200)
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(rank(vectors, leave_one_out(codes), 7))
    assert_same(*found)


def test_the_cpu_does_without_torch():
    """It takes seconds and hundreds of megabytes to load."""
    code = "import sys, cfr_core.retrieval; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_read_only_vectors_as_they_are_stored():
    vectors, codes = individuals(30, 8)
    vectors.flags.writeable = False
    assert_same(
        rank(vectors, leave_one_out(codes), 3),
        rank(vectors.copy(), leave_one_out(codes), 3),
    )


def test_products_of_a_device_give_the_same_order(monkeypatch: pytest.MonkeyPatch):
    """The way of a graphics processor, by torch on this one."""
    vectors, codes = individuals(300, 100)
    expected = rank(vectors, leave_one_out(codes), 7)
    monkeypatch.setattr("cfr_core.retrieval.multiply.OnHost", lambda v: OnDevice(v, "cpu"))
    assert_same(rank(vectors, leave_one_out(codes), 7, block_rows=128), expected)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_permuting_the_rows_permutes_the_results(seed: int):
    vectors, codes = individuals(60, 5, n_identities=12)
    encounter = np.arange(60) // 4
    order = np.random.default_rng(seed).permutation(60)
    plain = rank(vectors, leave_one_out(codes, encounter), 6).neighbours
    permuted = rank(vectors[order], leave_one_out(codes[order], encounter[order]), 6).neighbours
    np.testing.assert_array_equal(order[permuted.rows], plain.rows[order])
    np.testing.assert_array_equal(permuted.first_hit_rank, plain.first_hit_rank[order])
    np.testing.assert_array_equal(permuted.scores, plain.scores[order])


@given(
    st.lists(st.floats(-1, 1, width=32), min_size=6, max_size=6).filter(lambda x: any(map(abs, x)))
)
@settings(max_examples=40, deadline=None)
def test_an_unrelated_distractor_never_raises_retrieval(distractor: list[float]):
    vectors, codes = individuals(50, 6, n_identities=12)
    doubles = np.array(distractor) / max(map(abs, distractor))
    more = np.vstack([vectors, unit(doubles[None])])
    before = rank(vectors, leave_one_out(codes), 1).neighbours.first_hit_rank
    after = rank(more, leave_one_out(np.append(codes, 99)), 1).neighbours.first_hit_rank
    assert (after[:50] >= before).all()
    assert after[50] == 0
    for k in (1, 5):
        assert retrieval_at_k(after[:50], k) <= retrieval_at_k(before, k)


def test_a_query_and_gallery_split():
    vectors = unit(np.array([[1.0, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]]))
    none = np.empty((4, 0), dtype=np.int64)
    task = RetrievalTask(np.array([0, 1, 0, 1]), np.array([0, 3]), np.array([1, 2]), none)
    found = rank(vectors, task, 1).neighbours
    assert found.rows.tolist() == [[1], [2]]
    assert found.first_hit_rank.tolist() == [2, 2]
    assert found.n_gallery.tolist() == [2, 2]


def test_a_short_gallery_ends_in_minus_one_and_nan():
    vectors, codes = individuals(3, 4, n_identities=1)
    found = rank(vectors, leave_one_out(codes), 5).neighbours
    assert (found.rows[:, 2:] == -1).all()
    assert np.isnan(found.scores[:, 2:]).all()
    assert (found.rows[:, :2] >= 0).all()
    assert (found.rows.dtype, found.scores.dtype) == (np.int32, np.float32)


def test_no_queries_and_no_gallery():
    vectors, codes = individuals(4, 4)
    nobody, none = np.empty(0, dtype=np.int64), np.empty((4, 0), dtype=np.int64)
    found = rank(vectors, RetrievalTask(codes, nobody, np.arange(4), none), 2).neighbours
    assert found.rows.shape == (0, 2)
    found = rank(vectors, RetrievalTask(codes, np.arange(4), nobody, none), 2).neighbours
    assert (found.rows == -1).all()
    assert (found.first_hit_rank == 0).all()


def test_k_and_the_number_of_vectors_are_checked():
    vectors, codes = individuals(4, 4)
    with pytest.raises(InputError, match="k must be at least 1, got 0"):
        rank(vectors, leave_one_out(codes), 0)
    with pytest.raises(InputError, match="the task has 3 rows, but there are 4 vectors"):
        rank(vectors, leave_one_out(codes[:3]), 1)


def test_parts_with_few_positives_give_the_whole(monkeypatch: pytest.MonkeyPatch):
    vectors, codes = individuals(700, 20, n_identities=60)
    task = leave_one_out(codes, np.arange(700) // 3)
    whole = rank(vectors, task, 5)
    monkeypatch.setattr("cfr_core.retrieval.ranking._POSITIVES_AT_ONCE", 900)
    assert_same(rank(vectors, task, 5), whole)


def test_pairs_that_are_decided_between_blocks_count_once(monkeypatch: pytest.MonkeyPatch):
    """Copies of few vectors: nearly every pair is too close to call."""
    centres, _ = individuals(3, 64)
    vectors, task = centres[np.arange(150) % 3], leave_one_out(np.arange(150) % 7)
    monkeypatch.setattr("cfr_core.retrieval.ranks._PAIRS_AT_ONCE", 50)
    found = rank(vectors, task, 3, block_rows=16)
    assert_same(found, rank(vectors, task, 3))
    same = np.flatnonzero(np.arange(1, 150) % 3 == 0) + 1  # the copies of row 0, less itself
    first = same[same % 7 == 0][0]
    assert found.neighbours.first_hit_rank[0] == 1 + np.searchsorted(same, first)


def test_mean_average_precision_against_torchmetrics():
    vectors, codes = individuals(80, 8, n_identities=9)
    found = rank(vectors, leave_one_out(codes), 1).average_precisions
    shifted = torch.from_numpy(vectors @ vectors.T + 2)  # it drops scores that are not above zero
    for query in range(80):
        others = np.arange(80) != query
        relevant = torch.from_numpy(codes[others] == codes[query])
        expected = retrieval_average_precision(shifted[query, others], relevant)
        assert found[query] == pytest.approx(float(expected), rel=1e-5)
