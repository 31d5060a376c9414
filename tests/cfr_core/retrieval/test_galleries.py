"""Galleries are counted and masked as their definition says, row by row."""

import numpy as np
from hypothesis import given, settings

from cfr_core.retrieval import answerable, gallery_counts
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.types import RetrievalTask
from tests.cfr_core.retrieval.oracle import gallery_of, leave_one_out, tasks


def test_leave_one_out_counts():
    task = leave_one_out(np.array([0, 0, 0, 1, 1, 2]))
    n_gallery, n_positives = gallery_counts(task)
    assert n_gallery.tolist() == [5] * 6
    assert n_positives.tolist() == [2, 2, 2, 1, 1, 0]


def test_what_two_columns_exclude_is_taken_away_once():
    # Row 0 shares its date with 1, its camera with 1 and 2, and nothing with 3.
    date, camera = np.array([7, 7, 8, 9]), np.array([1, 1, 1, 2])
    task = leave_one_out(np.array([0, 0, 0, 0]), date, camera)
    n_gallery, n_positives = gallery_counts(task)
    assert n_gallery.tolist() == [1, 1, 1, 3]
    assert n_positives.tolist() == [1, 1, 1, 3]


def test_an_unknown_code_excludes_nothing():
    task = leave_one_out(np.array([0, 0, 0]), np.array([-1, -1, 4]))
    assert gallery_counts(task)[0].tolist() == [2, 2, 2]


def test_a_query_outside_the_gallery_is_not_taken_away_from_it():
    codes = np.array([0, 0, 1, 0])
    none = np.empty((4, 0), dtype=np.int64)
    task = RetrievalTask(codes, np.array([0, 1]), np.array([1, 2, 3]), none)
    n_gallery, n_positives = gallery_counts(task)
    assert n_gallery.tolist() == [3, 2]
    assert n_positives.tolist() == [2, 1]


@given(tasks())
@settings(deadline=None)
def test_counts_are_those_of_the_definition(drawn: tuple[np.ndarray, RetrievalTask]):
    _, task = drawn
    n_gallery, n_positives = gallery_counts(task)
    for query, size, positives in zip(task.query_rows, n_gallery, n_positives, strict=True):
        gallery = gallery_of(query, task)
        identity = task.identity_codes[query]
        assert size == len(gallery)
        assert positives == sum(task.identity_codes[row] == identity for row in gallery)


@given(tasks())
@settings(deadline=None)
def test_the_mask_of_a_block_is_that_of_the_definition(drawn: tuple[np.ndarray, RetrievalTask]):
    _, task = drawn
    products = np.zeros((len(task.query_rows), len(task.gallery_rows)), dtype=np.float32)
    Exclusions(task).blank(products, task.query_rows, task.gallery_rows)
    mirrored = np.zeros(products.T.shape, dtype=np.float32)
    Exclusions(task).blank(mirrored, task.gallery_rows, task.query_rows)
    np.testing.assert_array_equal(mirrored.T, products)
    for query, row in zip(task.query_rows, products, strict=True):
        assert task.gallery_rows[row == 0].tolist() == gallery_of(query, task)


@given(tasks())
@settings(deadline=None)
def test_answerable_keeps_queries_with_a_positive_and_every_gallery(
    drawn: tuple[np.ndarray, RetrievalTask],
):
    _, task = drawn
    limited = answerable(task)
    _, n_positives = gallery_counts(task)
    assert limited.query_rows.tolist() == task.query_rows[n_positives > 0].tolist()
    assert limited.gallery_rows is task.gallery_rows


def test_counting_a_hundred_thousand_rows_needs_no_matrix():
    rng = np.random.default_rng(0)
    task = leave_one_out(
        rng.integers(5000, size=100_000), *(rng.integers(-1, 3000, size=100_000) for _ in range(3))
    )
    n_gallery, n_positives = gallery_counts(task)
    for query in (0, 99_999):
        shared = (task.exclusion_codes == task.exclusion_codes[query]) & (
            task.exclusion_codes[query] != -1
        )
        left = ~shared.any(axis=1)
        left[query] = False
        assert n_gallery[query] == left.sum()
        same = task.identity_codes == task.identity_codes[query]
        assert n_positives[query] == (left & same).sum()
