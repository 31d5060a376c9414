"""Where to go on in a list of photos."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.masks.walk import places_ahead


@pytest.mark.parametrize(
    ("is_open", "place", "ahead"),
    [
        ("oo.o", 0, [1, 3]),  # what is reviewed is passed over
        ("oo.o", 3, [0, 1]),  # from the end to the beginning
        ("o...", 0, [1, 2, 3]),  # this one alone waits: on as if nothing did
        ("....", 1, [2, 3]),  # nothing waits
        ("o..o", None, [0, 3]),  # from outside the list
        ("o", 0, []),
        ("", None, []),
    ],
)
def test_reviewed_photos_are_passed_over(is_open: str, place: int | None, ahead: list) -> None:
    waits = np.array([sign == "o" for sign in is_open], bool)
    assert places_ahead(waits, place, passes_over=True).tolist() == ahead


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.data())
def test_every_photo_that_waits_is_reached(is_open: list[bool], data: st.DataObject) -> None:
    waits = np.array(is_open)
    place = data.draw(st.integers(0, len(is_open) - 1))
    for _ in range(len(is_open)):
        ahead = places_ahead(waits, place, passes_over=True)
        if not waits[np.arange(len(waits)) != place].any():
            break
        waits[place] = False
        place = int(ahead[0])
    assert waits.sum() <= 1


@given(st.lists(st.booleans(), max_size=9))
def test_all_are_gone_through_where_nothing_is_passed_over(is_open: list[bool]) -> None:
    ahead = places_ahead(np.array(is_open, bool), None, passes_over=False)
    assert ahead.tolist() == list(range(len(is_open)))
