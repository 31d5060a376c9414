"""A row of the benchmark table says whether its ratio keeps the bound."""

import math
from typing import Literal

import pytest

from benchmarks.table import HEADER, Row


@pytest.mark.parametrize(
    ("bound", "ratio", "holds"),
    [
        ("at most", 0.54, True),
        ("at most", 0.55, True),
        ("at most", 0.56, False),
        ("at least", 0.56, True),
        ("at least", 0.54, False),
        # A benchmark that could not divide has shown nothing.
        ("at most", math.nan, False),
        ("at least", math.nan, False),
    ],
)
def test_the_bound(bound: Literal["at most", "at least"], ratio: float, holds: bool):
    assert Row("search", "1 s", "2 s", ratio, bound, 0.55).holds is holds


def test_a_row_fits_the_header():
    row = Row("top 10, N = 12,000", "1.77 s", "faiss 3.60 s", 0.4917, "at most", 0.55)
    assert str(row) == "| top 10, N = 12,000 | 1.77 s | faiss 3.60 s | 0.49 | at most 0.55 | yes |"
    assert {line.count("|") for line in HEADER.splitlines()} == {str(row).count("|")}
