"""What to do about a photo without an accepted mask."""

import streamlit as st

from components import state


def masks_missing() -> None:
    """Say that the views need a mask, and how masks come into a workspace."""
    with st.container(border=True):
        st.markdown(
            "**This photo has no accepted mask.** Three of the views are drawn with the mask of "
            "the animal, so only the full view exists, and audits leave the photo out. Draw the "
            "mask here, with a few clicks on the animal, or accept the one that waits for review. "
            "Masks also come with a dataset when it is added: as mask images beside the photos "
            "(named in a column `mask_path`), as run lengths or polygons in a table, or as the "
            "segmentation of a COCO file."
        )
        with st.container(horizontal=True):
            state.page_link("masks.py", "Make a mask of this photo", {})
            state.page_link("add_dataset.py", "Add a dataset with masks", {})
