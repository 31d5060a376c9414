"""The next row that fits some words."""

import pandas as pd
import pytest

from cfr_core.datasets.next_row import next_row

ROWS = pd.DataFrame(
    {
        "row_id": range(100, 106),
        "path": ["a/12.jpg", "a/2.jpg", "b/3.jpg", "b/4.jpg", "c/12.jpg", "c/6.jpg"],
        "identity": pd.array(["Ada", "12", "Bo", "12", None, "Ada"], "string"),
        "is_known": [True, True, True, True, False, True],
        "mask_status": "",
        **{
            name: pd.array([None] * 6, "string")
            for name in ("encounter", "camera", "orientation", "split", "species")
        },
    }
)


@pytest.mark.parametrize(
    ("words", "after", "place"),
    [
        ("ada", 0, 5),  # the next one of that individual
        ("ada", 5, 0),  # and again from the start
        ("Ada", 3, 5),
        ("12", 0, 1),  # an individual of that name before files with it
        ("12", 1, 3),
        ("12.JPG", 0, 4),
        ("b 4", 0, 3),  # all words
        ("bo", 2, 2),  # the only one, where it is
        ("zebra", 0, None),
    ],
)
def test_next_row(words: str, after: int, place: int | None) -> None:
    assert next_row(ROWS, words, after) == place
