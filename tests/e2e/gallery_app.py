"""A server for the tests of the gallery, with the product's routes and a page of galleries only."""

from pathlib import Path

import streamlit as st

from server.routes import routes

app = st.App(Path(__file__).parent / "gallery_page.py", routes=routes())
