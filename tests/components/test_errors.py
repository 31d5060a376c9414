"""Errors in the page: in words, and with names as they are."""

import pytest
from streamlit.testing.v1 import AppTest

from components.errors import plain


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("IMG_0001_a.jpg: no such file", r"IMG\_0001\_a.jpg: no such file"),
        ("![x](http://elsewhere.test/x)", r"\!\[x\]\(http://elsewhere.test/x\)"),
        ("a_b: https://x.test/a_b-c#d by_hand", r"a\_b: https://x.test/a_b-c#d by\_hand"),
        ("50 $ and 60 $", r"50 \$ and 60 \$"),  # would be a formula
    ],
)
def test_names_are_shown_as_they_are(text: str, markdown: str) -> None:
    assert plain(text) == markdown


def page() -> None:
    from cfr_core.errors import InputError
    from components.errors import explained

    with explained():
        raise InputError("a_b is *not* there")


def bug() -> None:
    from components.errors import explained

    with explained():
        raise KeyError("a bug")


def test_what_can_be_explained_is_and_a_bug_is_not_hidden() -> None:
    explained = AppTest.from_function(page).run()
    assert (explained.error[0].value, len(explained.exception)) == (r"a\_b is \*not\* there", 0)
    assert AppTest.from_function(bug).run().exception[0].message == "'a bug'"
