"""Where matches rest: all runs on one plane, down to the photos behind a point."""

import streamlit as st

from components import cached
from components.errors import plain
from components.evidence.choices import choose
from components.evidence.neighbours import neighbours
from components.evidence.numbers import download_run, numbers
from components.evidence.pair import pair
from components.evidence.plane import plane
from components.evidence.queries import queries

st.title("Evidence")
st.write(
    "Each point is a run: one dataset seen by one encoder. To the right, more is found by the "
    "animal alone; upwards, more is found without it. Click a point to see what it rests on."
)

profiles, problems = cached.profiles()
for problem in problems:
    st.warning(plain(problem))
if not profiles:
    st.info("There is no finished run in this workspace yet. Start one on the Retrieval page.")
    st.stop()

shown = choose(profiles)
left, right = st.columns([3, 2], gap="large")
with right:  # first: the browser shows words sooner than it has got ready for plots
    numbers(shown)
    download_run(shown.run)
with left:
    plane(shown)

st.subheader("Queries")
queries(shown)
neighbours(shown)
pair(shown)
