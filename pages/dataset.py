"""What a dataset consists of: its report, and its rows as photos."""

import streamlit as st

from components import cached, state
from components.dataset_report import show_report
from components.dataset_rows import PART, PARTS, show_rows

names = [dataset.name for dataset in cached.datasets()]
if not names:
    st.title("Dataset")
    st.info("This workspace holds no dataset yet.")
    if st.button("Add a dataset", type="primary", icon=":material/add:"):
        state.open_page("add_dataset.py", {})
    st.stop()

st.title("Dataset")
with st.container(horizontal=True, vertical_alignment="bottom"):
    name = st.selectbox("Dataset", names, **state.bound(state.DATASET, among=names))
    if st.button("Add a dataset", icon=":material/add:"):
        state.open_page("add_dataset.py", {})
part = st.segmented_control(
    "Part",
    list(PARTS),
    format_func=lambda option: PARTS[option],
    required=True,
    label_visibility="collapsed",
    **state.bound(PART, among=PARTS),
)
if part == "report":
    show_report(name)
    st.stop()
opened = show_rows(name)
if opened is not None:
    state.put(state.ROW, opened)
    st.rerun()
