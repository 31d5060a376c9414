"""Making, correcting and accepting the masks that the views are drawn with."""

from functools import partial

import streamlit as st

from cfr_core.datasets.next_row import next_row
from components import cached, state
from components.colours import colour_choices
from components.mask_editor import editor_event, mask_editor
from components.masks.engines import choose_engine, engine_list
from components.masks.person import ask_person
from components.masks.rows import N_AHEAD, editor_rows, place_after
from components.masks.versions import versions
from components.stepping import current_place, stepper

st.title("Masks")
names = [dataset.name for dataset in cached.datasets()]
if not names:
    st.info("This workspace holds no dataset yet, so there are no photos to draw masks on.")
    state.page_link("add_dataset.py", "Add a dataset", {})
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    name = st.selectbox("Dataset", names, width=200, **state.bound(state.DATASET, among=names))
    engine = choose_engine()
    author = ask_person()
    fill, silhouette = colour_choices()

rows = cached.gallery_rows(name)
if not len(rows):
    st.info("This dataset holds no photo.")
    st.stop()
place = current_place(rows, name, place_after(editor_event("mask editor"), rows))
table = cached.rows(name)
mask_editor(
    editor_rows(table, [place])[0],
    key="mask editor",
    engine=engine,
    author=author,
    ahead=editor_rows(table, range(place + 1, place + 1 + N_AHEAD)),
    behind=editor_rows(table, range(place - 1, place - 1 - N_AHEAD, -1)),
    fill_rgb=fill,
    silhouette_rgb=silhouette,
)
stepper(rows, place, partial(next_row, table))
versions(int(rows.row_ids[place]), author)
engine_list()
