"""A repaired ranking is the ranking made anew, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cfr_core.errors import InputError
from cfr_core.retrieval import repair as module
from cfr_core.retrieval.ranking import Ranking, rank
from cfr_core.retrieval.repair import Change, repair
from cfr_core.types import RetrievalTask
from tests.cfr_core.retrieval.oracle import leave_one_out, rank_all, tasks, unit


def assert_equal(found: Ranking, expected: Ranking) -> None:
    for part in ("neighbours", "positives"):
        for name, array in vars(getattr(expected, part)).items():
            np.testing.assert_array_equal(
                getattr(getattr(found, part), name), array, err_msg=f"{part}.{name}"
            )
    np.testing.assert_array_equal(found.average_precisions, expected.average_precisions)


@st.composite
def changes(
    draw: st.DrawFn, max_rows: int = 24
) -> tuple[np.ndarray, np.ndarray, RetrievalTask, RetrievalTask, Change]:
    """Vectors and task before and after some rows changed, came or went; ties abound."""
    vectors, task = draw(tasks(max_rows))
    n_rows, dim = vectors.shape
    is_changed = draw(arrays(np.bool_, n_rows, elements=st.booleans(), fill=st.nothing()))
    is_changed &= draw(arrays(np.bool_, n_rows, elements=st.booleans(), fill=st.nothing()))
    rows = np.flatnonzero(is_changed)
    lattice = draw(arrays(np.int8, (len(rows), dim), elements=st.integers(-2, 2)))
    lattice[~lattice.any(axis=1), 0] = 1
    after = vectors.copy()
    after[rows] = unit(lattice)
    # 0: it has other pixels, 1: it was not there, 2: it is no longer there.
    fate = np.zeros(n_rows, dtype=np.int64)
    fate[rows] = draw(arrays(np.int64, len(rows), elements=st.integers(0, 2)))

    def without(fated: int) -> RetrievalTask:
        here = fate != fated
        return replace(
            task,
            query_rows=task.query_rows[here[task.query_rows]],
            gallery_rows=task.gallery_rows[here[task.gallery_rows]],
        )

    was, now = without(1), without(2)
    change = Change(rows, vectors[rows], np.isin(rows, was.gallery_rows))
    return vectors, after, was, now, change


@given(changes(), st.integers(1, 8))
@settings(max_examples=120, deadline=None)
def test_a_repaired_ranking_is_the_one_made_anew(drawn: tuple, k: int):
    vectors, after, was, now, change = drawn
    repaired = repair(rank(vectors, was, k), after, now, change)
    assert_equal(repaired, rank(after, now, k))
    expected = rank_all(after, now, k)
    np.testing.assert_array_equal(repaired.neighbours.rows, expected.rows)
    np.testing.assert_array_equal(repaired.neighbours.first_hit_rank, expected.first_hit_rank)
    np.testing.assert_allclose(repaired.average_precisions, expected.average_precision, rtol=1e-12)


def individuals(n_rows: int, dim: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_rows // 8, size=n_rows)
    centres = rng.standard_normal((n_rows, dim))
    return unit(rng.standard_normal((n_rows, dim)) + 0.7 * centres[codes]), codes


@pytest.mark.parametrize("rule", ["leave-one-out", "encounter", "split"])
def test_many_rows_one_edit_after_another(rule: str):
    """Larger than a block, and repaired rankings are repaired again."""
    vectors, codes = individuals(1500, 30)
    task = leave_one_out(codes, *([np.arange(1500) // 4] if rule == "encounter" else []))
    if rule == "split":
        task = replace(task, query_rows=np.arange(900), gallery_rows=np.arange(600, 1500))
    ranking = rank(vectors, task, 10)
    rng = np.random.default_rng(1)
    for n_changed in (1, 3, 40):
        rows = np.sort(rng.choice(1500, n_changed, replace=False))
        before = vectors[rows]
        vectors = vectors.copy()
        vectors[rows] = unit(before + 0.2 * rng.standard_normal(before.shape))
        ranking = repair(
            ranking, vectors, task, Change(rows, before, np.isin(rows, task.gallery_rows))
        )
        assert_equal(ranking, rank(vectors, task, 10))


def test_copies_of_a_silhouette_tie_exactly():
    """Hundreds of equal vectors: every place beside the changed row is a tie."""
    centres = individuals(40, 48)[0][:4]
    copies = np.arange(400) % 3
    task = leave_one_out(np.arange(400) % 20)
    vectors = centres[copies]
    after = vectors.copy()
    after[[7, 200]] = centres[2], centres[3]
    change = Change(np.array([7, 200]), vectors[[7, 200]], np.ones(2, np.bool_))
    assert_equal(repair(rank(vectors, task, 6), after, task, change), rank(after, task, 6))


def test_few_queries_are_ranked_anew(monkeypatch: pytest.MonkeyPatch):
    """What a repair saves: nearly all queries of unlike individuals are merely counted through."""
    vectors, codes = individuals(1200, 60)
    task = leave_one_out(codes)
    before = rank(vectors, task, 20)
    after = vectors.copy()
    after[5] = unit(vectors[5:6] + 0.05)[0]
    asked: list[int] = []

    def counted(vectors: np.ndarray, task: RetrievalTask, k: int, *, device: str) -> Ranking:
        asked.append(len(task.query_rows))
        return rank(vectors, task, k, device=device)

    monkeypatch.setattr(module, "rank", counted)
    change = Change(np.array([5]), vectors[5:6], np.ones(1, np.bool_))
    assert_equal(repair(before, after, task, change), rank(after, task, 20))
    assert asked[0] < 60


def test_nothing_changed_is_what_it_was():
    vectors, codes = individuals(30, 4)
    ranking = rank(vectors, leave_one_out(codes), 3)
    nothing = Change(np.empty(0, np.int64), np.empty((0, 4), np.float32), np.empty(0, np.bool_))
    assert repair(ranking, vectors, leave_one_out(codes), nothing) is ranking


def test_a_change_must_be_whole_and_in_order():
    with pytest.raises(InputError, match="2 changed rows need as many"):
        Change(np.array([1, 2]), np.ones((1, 3), np.float32), np.ones(2, np.bool_))
    with pytest.raises(InputError, match="ascending"):
        Change(np.array([2, 1]), np.ones((2, 3), np.float32), np.ones(2, np.bool_))
