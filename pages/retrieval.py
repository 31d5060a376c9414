"""Launching audits, and what came out."""

import streamlit as st

from cfr_core.encoders.status import available_encoders
from components import cached, state
from components.retrieval.before import before_the_start
from components.retrieval.choices import ask
from components.retrieval.encoder_table import encoder_table
from components.retrieval.finished import finished_audits
from server.workspace import workspace

st.title("Retrieval")
st.write(
    "An audit asks every photo for the most similar others, four times: with the whole image, the "
    "animal alone, its surroundings alone, and its outline alone. It runs in the background; its "
    "progress is in the sidebar, on every page."
)

datasets = cached.datasets()
if not datasets:
    st.info("This workspace holds no dataset yet.")
    state.page_link("overview.py", "Open the demo", {})
    state.page_link("add_dataset.py", "Add a dataset", {})
    st.stop()

encoders = available_encoders(workspace().checkpoints_dir)
asked = ask([dataset.name for dataset in datasets], encoders)
encoder_table(encoders)
before_the_start(asked, encoders)
finished_audits()
