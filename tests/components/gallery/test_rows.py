"""Rows of a gallery: columns of one length, and one digest for one content."""

import json

import numpy as np
import pytest

from cfr_core.errors import InputError
from components.gallery import GalleryRows, TileState

ROWS = GalleryRows(
    np.array([7, 5]),
    ["Ünal", "b"],
    ["rank 1", "rank 2"],
    [TileState.RIGHT, TileState.ATTENTION],
    np.array([1, 0]),
)


def test_the_browser_gets_plain_columns() -> None:
    assert json.loads(ROWS.columns) == {
        "ids": [7, 5],
        "captions": ["Ünal", "b"],
        "details": ["rank 1", "rank 2"],
        "states": "ra",
        "versions": [1, 0],
    }
    plain = json.loads(GalleryRows(np.array([1]), ["a"]).columns)
    assert (plain["states"], plain["details"], plain["versions"]) == ("p", None, None)


def test_states_are_told_apart_by_their_letter() -> None:
    assert len({state[0] for state in TileState}) == len(TileState)


def test_equal_rows_have_one_digest() -> None:
    def rows(caption: str, version: int) -> GalleryRows:
        return GalleryRows(np.array([7]), [caption], versions=np.array([version]))

    assert rows("a", 1).digest == rows("a", 1).digest
    assert len({rows("a", 1).digest, rows("b", 1).digest, rows("a", 2).digest}) == 3


@pytest.mark.parametrize(
    "columns",
    [
        {"captions": ["a"]},
        {"captions": ["a", "b"], "details": []},
        {"captions": ["a", "b"], "states": [TileState.PLAIN]},
        {"captions": ["a", "b"], "versions": np.zeros(3, int)},
    ],
)
def test_columns_must_be_of_one_length(columns: dict) -> None:
    with pytest.raises(InputError, match="2 rows, but"):
        GalleryRows(np.array([1, 2]), **columns)


def test_a_row_is_in_a_gallery_once() -> None:
    with pytest.raises(InputError, match="once"):
        GalleryRows(np.array([1, 1]), ["a", "b"])
