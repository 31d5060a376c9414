"""Errors that the product can explain, as one plain message in the page."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from cfr_core.errors import CfrError


@contextmanager
def explained() -> Iterator[None]:
    """Show a `CfrError` in place of what would have been drawn; others pass."""
    try:
        yield
    except CfrError as error:
        st.error(str(error))
