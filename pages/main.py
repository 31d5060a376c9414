"""The frame around every screen: navigation, and errors in plain words."""

from pathlib import Path

import streamlit as st

from components import state
from components.errors import explained
from components.jobs_panel import jobs_panel

# An icon of our own, since Streamlit takes its symbols for it from a server on the internet.
icon = Path(__file__).parent / "icon.svg"
st.set_page_config(page_title="CFR auditor", page_icon=icon, layout="wide")

page = st.navigation(
    [
        st.Page("overview.py", title="Overview", icon=":material/home:", default=True),
        st.Page("dataset.py", title="Dataset", icon=":material/photo_library:"),
        st.Page("add_dataset.py", title="Add a dataset", icon=":material/add:"),
        st.Page("retrieval.py", title="Retrieval", icon=":material/manage_search:"),
        st.Page("views.py", title="Views", icon=":material/filter_none:"),
        st.Page("evidence.py", title="Evidence", icon=":material/scatter_plot:"),
        st.Page("compare.py", title="Compare", icon=":material/compare_arrows:"),
    ]
)
state.enter(page.url_path)
with explained():
    jobs_panel()
    page.run()
