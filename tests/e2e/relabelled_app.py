"""A list whose words change while something is chosen in it."""

import streamlit as st

from components import state
from components.state import Parameter

WHICH = Parameter[str]("which", "left", str)

notes = state.notes("clicks")
if st.button("Change the words"):
    notes["n"] = notes.get("n", 0) + 1
n = notes.get("n", 0)
choices = ("left", "right")
chosen = st.selectbox(
    "Which",
    choices,
    format_func=lambda choice: f"{choice}, {n} clicks",
    **state.bound(WHICH, among=choices),
)
st.write(f"after {n} clicks {chosen} is chosen")
