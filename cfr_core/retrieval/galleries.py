"""Galleries and positives of every query, counted and masked by the rules of a task (CFR sec. 3.3).

The gallery of a query is the task's gallery less the query itself less every row that shares one
of the query's known exclusion codes.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from cfr_core.types import FloatArray, IntArray, RetrievalTask

_UNKNOWN = -1
_OTHER_UNKNOWN = -2


def gallery_counts(task: RetrievalTask) -> tuple[IntArray, IntArray]:
    """Gallery size and number of positives of each query (CFR sec. 3.3), without an N x N mask.

    Rows excluded by several columns are counted once, by inclusion and exclusion over the sets of
    columns: time O(2^C N log N) for C columns.

    Args:
        task: Queries, gallery and exclusion codes.

    Returns:
        n_gallery, n_positives: two (Q,) int64 arrays, in the order of `task.query_rows`.
    """
    everyone = np.zeros(len(task.identity_codes), dtype=np.int64)
    return _left_in(task, everyone), _left_in(task, task.identity_codes)


def answerable(task: RetrievalTask) -> RetrievalTask:
    """The task with the queries that have a positive in their gallery: Q of CFR sec. 3.3.

    Args:
        task: Queries, gallery and exclusion codes.

    Returns:
        The same task with fewer `query_rows`; the galleries are unchanged.
    """
    _, n_positives = gallery_counts(task)
    return replace(task, query_rows=task.query_rows[n_positives > 0])


def _left_in(task: RetrievalTask, group_codes: IntArray) -> IntArray:
    """Gallery rows of each query's group that no rule takes away, (Q,) int64."""
    left = _same_code(group_codes, task)
    known_any = np.zeros(len(task.identity_codes), dtype=np.bool_)
    for n_columns, codes in _column_sets(task.exclusion_codes):
        known = codes != _UNKNOWN
        joint = np.where(known, _pair_codes(group_codes, codes), _UNKNOWN)
        left += (-1) ** n_columns * _same_code(joint, task)
        known_any |= known
    # A query with a known code shares it with itself and is taken away already.
    in_gallery = np.isin(task.query_rows, task.gallery_rows, assume_unique=True)
    return left - (in_gallery & ~known_any[task.query_rows])


def _column_sets(exclusion_codes: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Each set of columns: its size, and (N,) codes equal where all its columns agree."""
    columns = exclusion_codes.T
    for size in range(1, len(columns) + 1):
        for chosen in combinations(columns, size):
            joint = chosen[0]
            known = joint != _UNKNOWN
            for column in chosen[1:]:
                known = known & (column != _UNKNOWN)
                joint = _pair_codes(joint, column)
            yield size, np.where(known, joint, _UNKNOWN)


def _pair_codes(first: IntArray, second: IntArray) -> IntArray:
    """(N,) codes from 0 that are equal exactly where both codes are equal."""
    _, first = np.unique(first, return_inverse=True)
    values, second = np.unique(second, return_inverse=True)
    joint: IntArray = np.unique(first * len(values) + second, return_inverse=True)[1]
    return joint


def _same_code(codes: IntArray, task: RetrievalTask) -> IntArray:
    """Gallery rows with each query's code, itself included, (Q,) int64; 0 if it is unknown."""
    values, codes = np.unique(codes, return_inverse=True)
    counts = np.bincount(codes[task.gallery_rows], minlength=len(values)).astype(np.int64)
    counts[values == _UNKNOWN] = 0
    return counts[codes[task.query_rows]]


class Exclusions:
    """What a query may not retrieve, as masks of one block of products at a time."""

    def __init__(self, task: RetrievalTask) -> None:
        compact = [_compact_codes(column) for column in task.exclusion_codes.T]
        self._columns: tuple[npt.NDArray[np.int32], ...] = tuple(compact)

    def blank(self, products: FloatArray, first_rows: IntArray, second_rows: IntArray) -> None:
        """Set to -inf, in place, where one row may not retrieve the other; the rule is mutual.

        Args:
            products: (a, b) float32 or float64 similarities.
            first_rows: (a,) int64 row numbers.
            second_rows: (b,) int64 row numbers.
        """
        _blank_equal(products, first_rows, second_rows)
        self.blank_by_rules(products, first_rows, second_rows)

    def blank_by_rules(
        self, products: FloatArray, first_rows: IntArray, second_rows: IntArray
    ) -> None:
        """The same where no row meets itself.

        Args:
            products: (a, b) float32 or float64 similarities.
            first_rows: (a,) int64 row numbers.
            second_rows: (b,) int64 row numbers, none of them among the first.
        """
        for codes in self._columns:
            second = codes[second_rows]
            # Two unknown codes must not look alike.
            second = np.where(second == _UNKNOWN, _OTHER_UNKNOWN, second)
            _blank_equal(products, codes[first_rows], second)


def _blank_equal(products: FloatArray, first: IntArray, second: IntArray) -> None:
    np.copyto(products, -np.inf, where=first[:, None] == second)


def _compact_codes(codes: IntArray) -> npt.NDArray[np.int32]:
    """The same grouping in int32, from 0, with -1 kept for unknown."""
    _, compact = np.unique(codes, return_inverse=True)
    return np.where(codes == _UNKNOWN, _UNKNOWN, compact).astype(np.int32)
