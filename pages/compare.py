"""Two runs of one dataset side by side: what changes with the encoder, or with the protocol."""

import streamlit as st

from components import cached, state
from components.compare.changes import changes
from components.compare.choices import choose, comparable
from components.compare.differences import differences
from components.errors import plain

st.title("Compare")
st.write(
    "Does another encoder, or a stricter protocol, look at the animal more? Two runs of one "
    "dataset are compared photo by photo, so that what differs is not the choice of photos."
)

profiles, problems = cached.profiles()
for problem in problems:
    st.warning(plain(problem))
runs = comparable(profiles)
if not runs:
    st.info(
        "Comparing needs two finished runs of one dataset: of two encoders, or of one encoder "
        "under two protocols."
    )
    state.page_link("retrieval.py", "Start a run", {})
    st.stop()

chosen = choose(runs)
st.subheader("Differences")
found = differences(chosen)
st.subheader("What the matches rest on")
changes(chosen, found)
