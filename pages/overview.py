"""What the product is for, and what is in this workspace."""

import streamlit as st

from cfr_core.jobs.demos import demo_job
from components import cached, state
from components.overview_cards import dataset_cards, run_cards
from components.plane_explained import explained_plane
from server.workspace import jobs

st.title("Overview")
words, plane = st.columns([2, 3], gap="large", vertical_alignment="center")
words.markdown(
    "Does a re-identification model recognise the animal, or the place where it was photographed? "
    "This workbench runs the same retrieval four times: on the whole photo, on the animal alone, "
    "on its surroundings and on its outline. **CFR** says how much is found by the animal alone, "
    "**SSI** how much of what is found would be found without it, and each point of the plane "
    "leads down to the photos behind it."
)
words.caption(
    "Read the two together: a high SSI does not prove that a model fails, and neither "
    "number says anything alone."
)
with plane:
    explained_plane()

datasets = cached.datasets()
is_demo_coming = any(job.order.kind == "demo" and job.state.is_active for job in jobs().jobs())
st.header("Datasets")
if not datasets:
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
if is_demo_coming:
    st.info("The demo is being drawn; its datasets and runs appear here one after the other.")
if datasets:
    dataset_cards(datasets)
runs = cached.runs()
if runs:
    st.header("Runs")
    run_cards(runs)
