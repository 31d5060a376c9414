"""One photo in the editor or many in a gallery: a choice that the address carries."""

from typing import Literal, TypeAlias

import streamlit as st

from components import state
from components.state import Parameter

Show: TypeAlias = Literal["one photo", "many photos"]

_SHOWN: tuple[Show, ...] = ("one photo", "many photos")
_SHOW = Parameter[str]("show", _SHOWN[0], str, stays=False)


def ask_show() -> bool:
    """Draw the choice; returns True for many photos."""
    shown = st.segmented_control(
        "Show",
        _SHOWN,
        format_func=str.capitalize,
        required=True,
        label_visibility="collapsed",
        **state.bound(_SHOW, among=_SHOWN),
    )
    return bool(shown == "many photos")


def open_one(row_id: int) -> None:
    """Show this photo in the editor from now on."""
    state.put(state.ROW, row_id)
    state.put(_SHOW, _SHOWN[0])
    st.rerun()
