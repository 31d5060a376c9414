"""Plots about a dataset: every individual is counted once, in its bar."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from components.figures_dataset import photos_per_identity


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 500), min_size=1, max_size=60))
def test_every_individual_is_in_the_bar_that_says_its_photos(rows: list[int]) -> None:
    (bars,) = photos_per_identity(np.array(rows)).data
    assert len(bars.x) <= 42
    for label, count in zip(bars.x, bars.y, strict=True):
        low, _, high = label.partition("-")
        assert count == sum(int(low) <= n <= int(high or low) for n in rows)
    assert sum(bars.y) == len(rows)
    assert bars.x[0] == "1"


def test_no_individual_is_a_plot_too() -> None:
    (bars,) = photos_per_identity(np.array([], dtype=np.int64)).data
    assert list(bars.y) == [0]
