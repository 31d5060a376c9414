"""Galleries with what Python sees of them written below; `?show=` says which."""

import numpy as np
import streamlit as st

from components import cached, state
from components.gallery import GalleryRows, GalleryStyle, TileState, gallery
from server.workspace import workspace

st.set_page_config(layout="wide")


def strip() -> None:
    view = st.query_params.get("view", "full")
    rows = GalleryRows(
        np.arange(9),
        [f"animal {i}" for i in range(9)],
        [f"rank {i}" if i else "the query" for i in range(9)],
        [TileState.QUERY, *[TileState.RIGHT, TileState.WRONG] * 3, *[TileState.ATTENTION] * 2],
    )
    result = gallery(rows, key="strip", style=GalleryStyle(view, "strip", tile_px=150))
    st.text(f"opened {result.opened}")


def grid(dataset: str, *, can_tick: bool) -> None:
    # Before the gallery, so that what they do is done when it is drawn.
    counts = state.notes("test page")
    columns = st.columns(4)
    columns[0].button("Run again")
    if columns[1].button("Clear"):
        counts["given"] = ()
    if columns[2].button("Give three"):
        counts["given"] = (4, 5, 6)
    hidden = columns[3].checkbox("Hide")
    if hidden:
        return
    current = st.query_params.get("current")
    result = gallery(
        cached.gallery_rows(dataset),
        key="grid",
        style=GalleryStyle(height_px=480),
        current=None if current is None else int(current),
        selected=counts.get("given", ()) if can_tick else None,
    )
    if result.opened is not None:
        counts["opened"] = [*counts.get("opened", []), result.opened]
    st.text(f"opened now {result.opened}")
    st.text(f"opened so far {counts.get('opened', [])}")
    st.text(f"ticked {sorted(result.selected)}")


def tab() -> None:
    first, second = st.tabs(["Words", "Photos"])
    first.text("words")
    with second:
        rows = cached.gallery_rows("discs")
        gallery(rows, key="in a tab", style=GalleryStyle(height_px=400), current=30)


show = st.query_params.get("show", "discs")
if show == "strip":
    strip()
elif show == "tab":
    tab()
else:
    grid(show, can_tick="tick" in st.query_params)
st.text(f"end of the page, revision {workspace().revision}")
