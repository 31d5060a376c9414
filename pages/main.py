"""The frame around every screen: navigation, and errors in plain words."""

from pathlib import Path

import streamlit as st

from components import state
from components.errors import explained
from components.jobs_panel import jobs_panel

# Room for a job's numbers, and no more: plots need the width of a laptop.
_SIDEBAR_PX = 250

# An icon of our own, since Streamlit takes its symbols for it from a server on the internet.
folder = Path(__file__).parent
st.set_page_config(
    page_title="CFR auditor",
    page_icon=folder / "icon.svg",
    layout="wide",
    initial_sidebar_state=_SIDEBAR_PX,
)
st.html(folder / "page.css")

page = st.navigation(
    [
        st.Page("overview.py", title="Overview", icon=":material/home:", default=True),
        st.Page("dataset.py", title="Dataset", icon=":material/photo_library:"),
        st.Page("add_dataset.py", title="Add a dataset", icon=":material/add:"),
        st.Page("retrieval.py", title="Retrieval", icon=":material/manage_search:"),
        st.Page("views.py", title="Views", icon=":material/filter_none:"),
        st.Page("masks.py", title="Masks", icon=":material/draw:"),
        st.Page("mask_audit.py", title="Mask audit", icon=":material/fact_check:"),
        st.Page("evidence.py", title="Evidence", icon=":material/scatter_plot:"),
        st.Page("compare.py", title="Compare", icon=":material/compare_arrows:"),
    ]
)
state.enter(page.url_path)
with explained():
    jobs_panel()
    page.run()
