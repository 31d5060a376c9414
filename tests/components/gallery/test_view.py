"""What Python makes of the events that the browser sends; the browser's part is in tests/e2e."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.workspace.location import VARIABLE
from server import workspace as served

KEY = "photos"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    yield
    served.close()


def page() -> None:
    import numpy as np
    import streamlit as st

    from components import state
    from components.gallery import GalleryRows, gallery

    given = state.notes("test").get("given", ())
    rows = GalleryRows(np.arange(10), [str(i) for i in range(10)])
    result = gallery(rows, key="photos", selected=given)
    st.text(f"{result.opened} {sorted(result.selected)}")


def send(test: AppTest, **state: dict) -> str:
    """Run the page as after these values came from the browser."""
    test.session_state[KEY] = state
    test.run()
    assert not test.exception
    return test.text[0].value


@pytest.fixture
def test() -> AppTest:
    return AppTest.from_function(page, default_timeout=10).run()


def test_an_event_acts_once(test: AppTest) -> None:
    assert test.text[0].value == "None []"
    assert send(test, event={"id": "s-1", "row": 4}) == "4 []"
    assert send(test, event={"id": "s-1", "row": 4}) == "None []"
    assert send(test, event={"id": "s-2", "row": 4}) == "4 []"


def test_only_rows_that_are_shown_can_be_opened_or_ticked(test: AppTest) -> None:
    for row in (10, -1, "4", None, 4.5, {"a": 1}):
        assert send(test, event={"id": f"s-{row}", "row": row}) == "None []"
    assert send(test, selection={"id": "s-1", "rows": [3, 10, "x", None]}) == "None [3]"


def test_ticks_hold_until_others_are_given(test: AppTest) -> None:
    ticks = {"id": "s-1", "rows": [1, 2]}
    assert send(test, selection=ticks) == "None [1, 2]"
    assert send(test, selection=ticks) == "None [1, 2]"
    test.session_state["notes of components"]["test"]["given"] = (7,)
    assert send(test, selection=ticks) == "None [7]"
    assert send(test, selection=ticks) == "None [7]"
    assert send(test, selection={"id": "s-2", "rows": [7, 8]}) == "None [7, 8]"
