"""Two lists, the choices of which the address carries."""

import streamlit as st

from components import state
from components.state import Parameter

chosen = [
    st.selectbox(
        name,
        choices := ("left", "right"),
        **state.bound(Parameter[str](name.lower(), "left", str), among=choices),
    )
    for name in ("First", "Second")
]
st.write(f"{chosen[0]} and {chosen[1]} are chosen")
