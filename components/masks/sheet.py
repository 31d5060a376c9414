"""Masks in a minute: what they are for, and how to make, decide about and check them."""

import streamlit as st

from cfr_core.audit.words import VIEW_CONTENTS, VIEW_WORDS
from cfr_core.types import View
from cfr_core.workspace.review_queue import ReviewQueue, RowState
from server.images import OUTLINE, image_url

_SIZE_PX = 320
_STEPS = """
**Make one.** Click on the animal (points, P), or draw a box around it (X): the engine answers with
an outline. Click again where it misses something; a right click takes away. Brush (B), eraser (E)
and polygons (G, H) do the rest, and Clean up (C) drops specks and fills holes. Undo goes back as
far as you like, and everything is saved by itself when you go on.

**Decide.** Accept (A) what an audit may be made with, reject (R) with a reason what cannot be
mended, skip (S) what you are not sure of. The next photo that waits comes by itself. Nothing is
ever deleted: every version is kept under “Versions of this mask”, and any can be restored.

**Many at once.** “Find all masks of this dataset” lets the engine propose them in the background.
“Many photos” then shows them with their outlines: tick the good ones and accept them together.

**Check.** “Worth a look” names what is odd about a mask, such as holes, loose parts, or another
animal in view; order by it, and the worst come first. “Live audit” tells what your edits change in
CFR and SSI. A blind audit (page “Mask audit”) tells how well the masks agree with what a person
draws without seeing them.
"""


def sheet_button(queue: ReviewQueue) -> None:
    """Draw the button that opens the sheet.

    Args:
        queue: Rows of a dataset, one of which is shown as the example.
    """
    if st.button("Masks in a minute", icon=":material/help:", key="sheet", type="tertiary"):
        _sheet(_example(queue))


@st.dialog("Masks in a minute", width="large")
def _sheet(row_id: int | None) -> None:
    st.markdown(
        "A mask says which pixels show the animal. With it each photo can be shown in four views, "
        "and an audit compares what a model finds in each. A mask that leaves out a leg lets the "
        "animal show in its surroundings; one that takes in grass makes grass count as animal."
    )
    if row_id is not None:
        _pictures(row_id)
    st.markdown(_STEPS)


def _pictures(row_id: int) -> None:
    shown = {OUTLINE: "The mask: what is bright counts as the animal"} | {
        view: f"{VIEW_WORDS[view].capitalize()}: {VIEW_CONTENTS[view]}"
        for view in View
        if view is not View.FULL
    }
    for column, (view, words) in zip(st.columns(len(shown)), shown.items(), strict=True):
        column.markdown(f"![{words}]({image_url(row_id, view=view, size_px=_SIZE_PX)})")
        column.caption(words)


def _example(queue: ReviewQueue) -> int | None:
    """An accepted mask without a flaw, or else any accepted one; None if there is none."""
    rows = queue.rows[queue.rows["state"] == RowState.ACCEPTED]
    if rows.empty:
        return None
    flawless = rows[~queue.flags.loc[rows.index].any(axis=1)]
    return int((rows if flawless.empty else flawless)["row_id"].iloc[0])
