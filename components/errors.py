"""Errors that the product can explain, as one plain message in the page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from cfr_core.errors import CfrError

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|<>~$-])")
_MARKUP_OF_ADDRESS = re.compile(r"([\\`*{}\[\]()!|<>~$])")
"""Within an address of the web, where a backslash before the other signs would be part of it."""

_ADDRESS = re.compile(r"(https?://\S+)")


def plain(text: str) -> str:
    """Text that Streamlit's Markdown shows as it is: names of files, and what an address says."""
    parts = _ADDRESS.split(text)  # every second one is an address
    parts[::2] = [_MARKUP.sub(r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [_MARKUP_OF_ADDRESS.sub(r"\\\1", part) for part in parts[1::2]]
    return "".join(parts)


@contextmanager
def explained() -> Iterator[None]:
    """Show a `CfrError` in place of what would have been drawn; others pass."""
    try:
        yield
    except CfrError as error:
        st.error(plain(str(error)))
