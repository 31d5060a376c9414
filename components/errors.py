"""Errors that the product can explain, as one plain message in the page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from cfr_core.errors import CfrError

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|<>~$-])")


def plain(text: str) -> str:
    """Text that Streamlit's Markdown shows as it is: names of files, and what an address says."""
    return _MARKUP.sub(r"\\\1", text)


@contextmanager
def explained() -> Iterator[None]:
    """Show a `CfrError` in place of what would have been drawn; others pass."""
    try:
        yield
    except CfrError as error:
        st.error(plain(str(error)))
