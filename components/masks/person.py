"""Who works here: stored with each version of a mask."""

import getpass

import streamlit as st

from components import state
from components.state import Parameter

_PERSON = Parameter[str]("person", "", str)
_MAX_LETTERS = 60


def ask_person() -> str:
    """Draw the field; returns the name, that of the account where none is given."""
    account = _account()
    name = st.text_input(
        "Your name",
        placeholder=account,
        max_chars=_MAX_LETTERS,
        width=170,
        help="Stored with every mask that you draw or review. Two people at one mask are told of "
        "each other by it.",
        **state.bound(_PERSON),
    )
    return name.strip() or account


def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in some containers
        return "somebody"
