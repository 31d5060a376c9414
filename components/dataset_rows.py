"""The rows of a dataset as photos, with a search and filters that the address carries."""

from typing import get_args

import streamlit as st

from cfr_core.datasets.facts import NO_MASK
from cfr_core.datasets.filters import Knowledge, RowFilter
from cfr_core.types import MaskStatus
from components import cached, state
from components.downloads import csv_button
from components.gallery import gallery
from components.state import Parameter

_MASKS = ("", *(status.value for status in MaskStatus), NO_MASK)
_KNOWLEDGE: tuple[Knowledge, ...] = get_args(Knowledge)

PARTS = {"report": "Report", "photos": "Photos"}
"""Parts of a dataset's page, and what they are called."""

PART = Parameter[str]("part", "report", str, stays=False)
MASK = Parameter[str]("mask", "", str, stays=False)
IDENTITY = Parameter[str]("identity", "any", str, stays=False)

_IDENTITY_WORDS = {"any": "Any identity", "known": "Known", "unknown": "Unknown"}


def show_rows(name: str) -> int | None:
    """Draw the rows of a dataset.

    Returns:
        The row that was just opened, or None.
    """
    chosen = _choose()
    rows = cached.matching_rows(name, chosen)
    n_all = cached.facts(name).n_rows
    if not len(rows):
        st.info("No row is like that.")
        return None
    words = "Every row" if len(rows) == n_all else f"{len(rows):,} of {n_all:,} rows"
    st.caption(f"{words}. A dotted frame: no accepted mask, so the row is in no audit.")
    opened = gallery(rows, key=f"rows of {name}", current=state.get(state.ROW)).opened
    csv_button(chosen.apply(cached.rows(name)), f"{name} rows", key=f"rows of {name} CSV")
    return opened


def _choose() -> RowFilter:
    wide, middle, narrow = st.columns([3, 2, 2], vertical_alignment="bottom")
    search = wide.text_input(
        "Search",
        type="search",
        placeholder="identity, file, encounter, camera, species",
        help='Every word has to be in some text of the row; "several words" in quotes stand '
        "together.",
        **state.bound(state.SEARCH),
    )
    mask = middle.selectbox(
        "Mask",
        _MASKS,
        format_func=lambda status: status.capitalize() or "Any mask",
        **state.bound(MASK, among=_MASKS),
    )
    identity = narrow.selectbox(
        "Identity",
        _KNOWLEDGE,
        format_func=lambda option: _IDENTITY_WORDS[option],
        **state.bound(IDENTITY, among=_KNOWLEDGE),
    )
    return RowFilter(search or "", mask, identity)
