"""Which engine answers clicks and boxes, and what others would add."""

import pandas as pd
import streamlit as st

from cfr_core.segmenters.cards import available_segmenters, default_segmenter
from components import state
from components.state import Parameter
from server.workspace import workspace

_ENGINE = Parameter[str | None]("engine", None, str)
_KINDS = {"grabcut": "by colour", "sam": "SAM", "sam2": "SAM 2", "sam3": "SAM 3"}


def choose_engine() -> str:
    """Draw the choice among the engines that are here; returns its name."""
    checkpoints = workspace().checkpoints_dir
    default = default_segmenter(checkpoints)
    names = [each.card.name for each in available_segmenters(checkpoints) if each.is_present]
    names.sort(key=lambda name: name != default)
    name = st.selectbox(
        "Engine",
        names,
        width=170,
        help="Answers points and boxes in the editor. “More engines”, below, says which others "
        "there are.",
        **state.bound(_ENGINE, among=names),
    )
    return str(name)


def engine_list() -> None:
    """Draw what other engines would add, and how to get them."""
    with st.expander("More engines", icon=":material/neurology:"):
        st.markdown(
            "**grabcut** needs no weights: it tells the animal from its surroundings by colour, so "
            "it takes several clicks, and the brush, where the two are alike. A **Segment "
            "Anything** model (SAM) knows what objects look like: mostly one click is enough. "
            "**mobile-sam** and **sam2-tiny** answer in a few seconds on a computer without a "
            "graphics card; **sam3** also finds animals by a name. Once its weights are in place, "
            "an engine can be chosen above."
        )
        table = pd.DataFrame(
            {
                "Engine": each.card.name,
                "Kind": _KINDS[each.card.kind],
                "Licence": each.card.licence,
                "On this machine": each.is_present,
                "How to get it": each.needs or "nothing to do",
            }
            for each in available_segmenters(workspace().checkpoints_dir)
        )
        st.dataframe(table, hide_index=True)
