"""Every version of a photo's mask, and the way back to an older one."""

import pandas as pd
import streamlit as st

from cfr_core.masks.rle import area_px
from cfr_core.types import Mask
from components.errors import explained
from server.workspace import workspace

_SOURCES = {"human": "drawn by a person", "dataset": "came with the dataset"}


def versions(row_id: int, author: str) -> None:
    """Draw the list, and restore the version that is chosen from it."""
    history = workspace().mask_history.versions(row_id)
    with st.expander(f"Versions of this mask: {len(history)}", icon=":material/history:"):
        if not history:
            st.caption("This photo has no mask yet. Each save makes a version, and all are kept.")
            return
        st.dataframe(pd.DataFrame([_line(*each) for each in reversed(history)]), hide_index=True)
        if len(history) > 1:
            _ask_to_restore(row_id, history, author)


def _ask_to_restore(row_id: int, history: list[tuple[int, Mask]], author: str) -> None:
    newest = history[-1][0]
    older = dict(reversed(history[:-1]))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Older version",
            list(older),
            format_func=lambda version: f"Version {version}, {older[version].status.value}",
            width=230,
            key=f"older version of row {row_id} before {newest}",
        )
        st.button(
            "Restore",
            icon=":material/restore:",
            help="Makes the pixels and the decision of that version count again, as a new version. "
            "Nothing is deleted.",
            on_click=_restore,
            args=(row_id, chosen, author, newest),
        )


def _restore(row_id: int, version: int, author: str, based_on: int) -> None:
    # Somebody else may have saved meanwhile; then nothing is restored, and that is said.
    with explained():
        workspace().mask_history.restore(row_id, version, author=author, based_on=based_on)


def _line(version: int, mask: Mask) -> dict[str, object]:
    height, width = mask.size_hw
    return {
        "Version": version,
        "State": mask.status.value.capitalize(),
        "Made": _SOURCES.get(mask.source, f"proposed by {mask.source}"),
        "Person": mask.author,
        "Time": mask.created_at.replace("T", " ")[:16],
        "Area, % of the crop": round(100 * area_px(mask) / (height * width), 1),
        "Reason": mask.reason,
    }
