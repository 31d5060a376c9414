"""A blind audit: how well a dataset's masks agree with what a person draws without seeing them."""

import streamlit as st

from components import cached, state
from components.masks.blind_draw import ask_audit, draw_blind
from components.masks.blind_report import blind_report
from components.masks.setup import ask_setup

st.title("Mask audit")
names = [dataset.name for dataset in cached.datasets()]
if not names:
    st.info("This workspace holds no dataset yet, so there are no masks to audit.")
    state.page_link("add_dataset.py", "Add a dataset", {})
    st.stop()

st.write(
    "How good are the masks? Photos are drawn at random, a person outlines the animals without "
    "seeing the masks that the dataset has, and both are compared. Nothing that is drawn here "
    "changes the dataset's masks."
)
setup = ask_setup(names)
audit = ask_audit(setup)
if audit is None:
    st.info("No blind audit of this dataset has been begun. Draw some photos to begin one.")
    st.stop()
draw_blind(setup, audit)
blind_report(audit)
