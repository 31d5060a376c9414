"""Making, correcting and accepting the masks that the views are drawn with."""

import streamlit as st

from components import cached, state
from components.colours import colour_choices
from components.gallery import GalleryStyle
from components.masks.bulk_review import many_photos
from components.masks.engines import choose_engine, engine_list
from components.masks.listing import photos, refresh_button, review_list
from components.masks.one_photo import one_photo
from components.masks.person import ask_person
from components.masks.progress import check_few, check_rest, show_progress
from components.masks.queue_choices import ask_queue
from components.masks.show import ask_show, open_one
from components.masks.versions import versions

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
    colours = colour_choices()

check_few(name)
queue = cached.review_queue(name)
if not len(queue.rows):
    st.info("This dataset holds no photo.")
    st.stop()
progress = queue.progress
show_progress(progress)
listed = review_list(name, queue, *ask_queue(progress))
with st.container(horizontal=True, vertical_alignment="center"):
    shows_many = ask_show()
    refresh_button(listed)

if shows_many:
    style = GalleryStyle(fill_rgb=colours[0], silhouette_rgb=colours[1])
    rows = photos(cached.review_rows(name), listed.row_ids)
    opened = many_photos(rows, queue, style=style, author=author)
    if opened is not None:
        open_one(opened)
else:
    row_id = one_photo(name, listed, queue, engine=engine, author=author, colours=colours)
    if row_id is not None:
        versions(row_id, author)
engine_list()
check_rest(name)
