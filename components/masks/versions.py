"""Every version of a photo's mask, and the way back to an older one."""

import pandas as pd
import streamlit as st

from cfr_core.masks.rle import area_px
from cfr_core.types import Mask
from server.workspace import workspace

_SOURCES = {"human": "drawn by a person", "dataset": "came with the dataset"}


def versions(row_id: int, author: str) -> None:
    """Draw the list, and restore the version that is chosen from it."""
    history = workspace().mask_history.versions(row_id)
    with st.expander(f"Versions of this mask: {len(history)}", icon=":material/history:"):
        if not history:
            st.caption("This photo has no mask yet. Each save makes a version, and all are kept.")
            return
        table = pd.DataFrame([_line(version, mask) for version, mask in reversed(history)])
        chosen = st.dataframe(
            table,
            hide_index=True,
            on_select="rerun",
            selection_mode="single-row",
            key=f"versions of row {row_id}, {len(history)}",
        )
        places = chosen["selection"]["rows"]
        version = int(table["Version"].iloc[places[0]]) if places else None
        is_old = version is not None and version != history[-1][0]
        st.button(
            f"Restore version {version}" if is_old else "Restore an older version",
            icon=":material/restore:",
            disabled=not is_old,
            help="Makes the pixels and the decision of that version count again, as a new version. "
            "Nothing is deleted.",
            on_click=_restore,
            args=(row_id, version, author, history[-1][0]),
        )


def _restore(row_id: int, version: int, author: str, based_on: int) -> None:
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
