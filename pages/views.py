"""What a model sees in each view: one photo in all four, or many photos in one."""

from functools import partial

import streamlit as st

from cfr_core.datasets.next_row import next_row
from cfr_core.types import View
from components import cached, state
from components.colours import colour_choices
from components.four_views import four_views, moved_to, photo_at
from components.gallery import GalleryStyle, gallery
from components.masks_missing import masks_missing
from components.state import Parameter
from components.stepping import current_place, stepper

ONE, MANY = "one photo", "many photos"
SHOW = Parameter[str]("show", ONE, str, stays=False)

st.title("Views")
datasets = cached.datasets()
if not datasets:
    st.info("This workspace holds no dataset yet, so there are no photos to look at.")
    state.page_link("add_dataset.py", "Add a dataset", {})
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    names = [dataset.name for dataset in datasets]
    name = st.selectbox("Dataset", names, width=200, **state.bound(state.DATASET, among=names))
    bound = state.bound(SHOW, among=(ONE, MANY))
    show = st.segmented_control(
        "Show", (ONE, MANY), format_func=str.capitalize, required=True, **bound
    )
    if show == MANY:
        views = list(View)
        bound = state.bound(state.VIEW, among=views)
        st.segmented_control("View", views, format_func=str.capitalize, required=True, **bound)
    fill, silhouette = colour_choices()

rows = cached.gallery_rows(name)
if not len(rows):
    st.info("This dataset holds no photo.")
elif show == MANY:
    style = GalleryStyle(state.get(state.VIEW), fill_rgb=fill, silhouette_rgb=silhouette)
    clicked = gallery(rows, key=f"{name} in views", style=style, current=state.get(state.ROW))
    if clicked.opened is not None:
        state.put(state.ROW, clicked.opened)
        state.put(SHOW, ONE)
        st.rerun()
else:
    place = current_place(rows, name, moved_to("four views"))
    shown = photo_at(cached.rows(name), place)
    stepper(rows, place, partial(next_row, cached.rows(name)))
    if not shown.has_mask:
        masks_missing()
    four_views(shown, key="four views", fill_rgb=fill, silhouette_rgb=silhouette)
