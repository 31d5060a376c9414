"""Making, correcting and accepting the masks that the views are drawn with."""

import streamlit as st

from components import cached, state
from components.masks.bulk_review import many_photos
from components.masks.bulk_run import bulk_run, candidates
from components.masks.engines import engine_list
from components.masks.listing import list_state, photos, review_list
from components.masks.live import live_audit
from components.masks.one_photo import one_photo
from components.masks.progress import check_rest, show_progress
from components.masks.queue_choices import ask_queue
from components.masks.setup import ask_setup
from components.masks.sheet import sheet_button
from components.masks.show import ask_show, open_one
from components.masks.versions import versions
from components.masks.walk import ask_passes_over

head = st.container(horizontal=True, vertical_alignment="bottom")
head.title("Masks")
names = [dataset.name for dataset in cached.datasets()]
if not names:
    st.info("This workspace holds no dataset yet, so there are no photos to draw masks on.")
    state.page_link("add_dataset.py", "Add a dataset", {})
    st.stop()

setup = ask_setup(names)
cached.check_few(setup.dataset)
queue = cached.review_queue(setup.dataset)
if not len(queue.rows):
    st.info("This dataset holds no photo.")
    st.stop()
with head:
    sheet_button(queue)
progress = queue.progress
show_progress(progress)
listed = review_list(setup.dataset, queue, *ask_queue(progress))
with st.container(horizontal=True, vertical_alignment="center"):
    shows_many = ask_show()
    passes_over = shows_many or ask_passes_over()
    list_state(listed)

if shows_many:
    rows = photos(cached.review_rows(setup.dataset), listed.row_ids)
    opened = many_photos(rows, queue, author=setup.author)
    if opened is not None:
        open_one(opened)
else:
    row_id = one_photo(setup, listed, queue, passes_over=passes_over)
    if row_id is not None:
        versions(row_id, setup.author)
        candidates(row_id)
        live_audit(setup.dataset, row_id)
bulk_run(setup)
engine_list()
check_rest(setup.dataset)
