"""Choices in the address: typed, told in plain words when wrong, taken along to other pages."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest


def app(script: Callable[[], None], **address: str) -> AppTest:
    test = AppTest.from_function(script, default_timeout=10)
    for name, text in address.items():
        test.query_params[name] = text
    return test


def choices() -> None:
    import streamlit as st

    from components import state

    names = ["apes", "bats", "cats"]
    st.selectbox("dataset", names, **state.bound(state.DATASET, among=names))
    st.number_input("k", 1, 100, **state.bound(state.K))
    st.text_input("search", **state.bound(state.SEARCH))
    values = [state.get(p) for p in (state.DATASET, state.K, state.VIEW, state.ROW, state.SEARCH)]
    st.text(" ".join(map(repr, values)))


def shown(test: AppTest) -> str:
    assert not test.exception
    return test.text[0].value


def test_the_address_is_read() -> None:
    test = app(choices, dataset="bats", k="5", view="shortcut", row="12", search="a&b").run()
    assert shown(test) == "'bats' 5 <View.SHORTCUT: 'shortcut'> 12 'a&b'"
    assert test.selectbox[0].value == "bats"
    assert test.number_input[0].value == 5
    assert test.text_input[0].value == "a&b"
    assert not test.warning


def test_without_an_address_there_are_defaults_and_the_first_choice() -> None:
    test = app(choices).run()
    assert shown(test) == "'apes' 1 <View.FULL: 'full'> None ''"
    # The first of several is written down: later it might be another one.
    assert test.query_params == {"dataset": "apes"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("dataset", "dogs", "dataset='dogs', but that must be one of apes, bats, cats. Showing"),
        ("k", "abc", "k='abc', but that must be a whole number from 1 to 100. Showing 1 instead"),
        ("k", "0", "from 1 to 100"),
        ("k", "101", "from 1 to 100"),
        ("k", "1e1", "from 1 to 100"),
        ("k", "²", "from 1 to 100"),  # a digit to Python's isdigit, no number to int
        ("view", "back", "one of full, foreground, shortcut, silhouette"),
        ("row", "-1", "the number of a row"),
        ("row", "![x](y)", r"row='\!\[x\]\(y\)', but that must be the number of a row"),
    ],
)
def test_a_wrong_address_is_told_once_and_the_default_shown(
    name: str, text: str, words: str
) -> None:
    test = app(choices, **{name: text}).run()
    assert [words in warning.value for warning in test.warning] == [True]
    assert shown(test) == "'apes' 1 <View.FULL: 'full'> None ''"
    test.run()
    assert not test.warning


def test_a_widget_writes_to_the_address() -> None:
    test = app(choices, k="5").run()
    test.selectbox[0].select("cats").run()
    test.number_input[0].set_value(7).run()
    assert shown(test).startswith("'cats' 7")
    assert test.query_params == {"dataset": "cats", "k": "7"}
    test.number_input[0].set_value(1).run()
    assert test.query_params == {"dataset": "cats"}  # a default is not said


def test_a_widget_follows_the_address() -> None:
    test = app(choices, k="5").run()
    test.query_params["k"] = "6"  # as the browser's Back button does
    test.run()
    assert test.number_input[0].value == 6


def two_pages() -> None:
    import streamlit as st

    from components import state

    page = st.radio("page", ["first", "second"])
    state.enter(page)
    if st.button("choose"):
        state.put(state.K, 9)
        state.put(state.SEARCH, "words")
    st.text(f"{state.get(state.K)} {state.get(state.SEARCH)!r}")


def test_what_stays_is_taken_along_to_another_page() -> None:
    test = app(two_pages).run()
    test.button[0].click().run()
    assert shown(test) == "9 'words'"
    test.query_params.clear()  # as a link in the navigation does
    test.radio[0].set_value("second").run()
    assert shown(test) == "9 ''"
    assert test.query_params == {"k": "9"}


def test_on_the_same_page_an_address_without_a_choice_means_the_default() -> None:
    test = app(two_pages).run()
    test.button[0].click().run()
    test.query_params.clear()  # as the browser's Back button does
    test.run()
    assert shown(test) == "1 ''"


def no_choices() -> None:
    import streamlit as st

    from components import state

    st.text(repr(state.get(state.DATASET, among=[])))


def test_where_there_is_nothing_to_choose_it_is_said() -> None:
    test = app(no_choices, dataset="apes").run()
    assert "there is nothing to choose from yet" in test.warning[0].value
    assert shown(test) == "None"


MAIN = """
import streamlit as st
from components import state
page = st.navigation([st.Page("first.py", default=True), st.Page("second.py")])
state.enter(page.url_path)
page.run()
"""
FIRST = """
import streamlit as st
from components import state
if st.button("choose"):
    state.put(state.K, 9)
if st.button("go"):
    state.open_page("second.py", {state.ROW: 5, state.DATASET: "bats"})
state.page_link("second.py", "link", {state.ROW: 6})
"""
SECOND = """
import streamlit as st
from components import state
st.text([state.get(state.K), state.get(state.ROW), state.get(state.DATASET)])
"""


def test_a_page_is_opened_with_choices(tmp_path: Path) -> None:
    for name, source in (("main", MAIN), ("first", FIRST), ("second", SECOND)):
        (tmp_path / f"{name}.py").write_text(source)
    test = AppTest.from_file(str(tmp_path / "main.py"), default_timeout=10).run()
    test.button[0].click().run()
    assert test.get("page_link")[0].proto.query_string == "k=9&row=6"
    test.button[1].click().run()
    assert shown(test) == "[9, 5, 'bats']"
    assert test.query_params == {"k": "9", "row": "5", "dataset": "bats"}


def several_choices() -> None:
    import streamlit as st

    from components import state

    several = state.Parameter("names", (), lambda text: tuple(text.split(",")), ",".join)
    st.multiselect("names", ["apes", "bats", "cats"], **state.bound(several))
    st.text(repr(state.get(several)))


def test_several_choices_are_a_tuple_and_none_are_not_said() -> None:
    test = app(several_choices, names="bats,cats").run()
    assert shown(test) == "('bats', 'cats')"
    assert test.multiselect[0].value == ["bats", "cats"]
    test.multiselect[0].unselect("bats").run()
    assert test.query_params == {"names": "cats"}
    test.multiselect[0].unselect("cats").run()
    assert shown(test) == "()"
    assert test.query_params == {}


def one_of_three() -> None:
    import streamlit as st

    from components import state

    st.segmented_control("k", [1, 5, 10], **state.bound(state.K))
    st.text(repr(state.get(state.K)))


def test_a_widget_without_a_choice_leaves_the_address() -> None:
    test = app(one_of_three, k="5").run()
    test.button_group[0].set_value([]).run()
    assert test.query_params["k"] == "5"
    assert not test.warning
    assert shown(test) == "5"
    assert test.button_group[0].value == 5
