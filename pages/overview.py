"""What the product is for, and what is in this workspace."""

import streamlit as st

from cfr_core.jobs.demos import demo_job
from components import cached, state
from components.introduction import introduction
from components.overview_cards import dataset_cards, run_cards
from server.workspace import jobs

st.title("Overview")
introduction()

datasets = cached.datasets()
is_demo_coming = any(job.order.kind == "demo" and job.state.is_active for job in jobs().jobs())
st.header("Datasets")
if is_demo_coming:
    st.info(
        "The demo is being drawn: five datasets appear here when it is, then their runs one after "
        "the other."
    )
elif not datasets:
    st.info("This workspace holds no dataset yet.")
has_demo = is_demo_coming or any(dataset.name.startswith("demo-") for dataset in datasets)
with st.container(horizontal=True):
    if not has_demo and st.button(
        "Open the demo",
        type="primary",
        icon=":material/pets:",
        help="Draws five small datasets, one for each place on the plane, and audits them; this "
        "takes a minute or two.",
    ):
        jobs().submit(demo_job())
        st.rerun()
    if st.button("Add a dataset", icon=":material/add:"):
        state.open_page("add_dataset.py", {})
if datasets:
    dataset_cards(datasets)
runs = cached.runs()
if runs:
    st.header("Runs")
    run_cards(runs)
