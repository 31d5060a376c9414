"""A new dataset, from where the photos are to a job that checks them: nothing is stored before."""

import streamlit as st

from components.import_decisions import decide, follow_import
from components.import_preview import show_preview, with_meanings
from components.import_source import choose_source

st.title("Add a dataset")
if follow_import():
    st.stop()
st.header("1. Source")
source = choose_source()
if source is None:
    st.stop()
st.header("2. What is read")
source = with_meanings(source)
shown = show_preview(source)
if shown is None:
    st.stop()
st.header("3. Name and role")
decide(source, shown)
