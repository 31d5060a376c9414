"""What a person works with on the page of masks: the dataset, the engine, the name, the colours."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from cfr_core.types import RGB
from components import state
from components.colours import colour_choices
from components.masks.engines import choose_engine
from components.masks.person import ask_person


@dataclass(frozen=True)
class Setup:
    """What a person works with.

    Attributes:
        dataset: Name in the workspace.
        engine: Answers points and boxes.
        author: Who works here.
        fill_rgb: Colour in place of what a view removes.
        silhouette_rgb: Colour of the animal in the silhouette view.
    """

    dataset: str
    engine: str
    author: str
    fill_rgb: RGB
    silhouette_rgb: RGB


def ask_setup(datasets: Sequence[str]) -> Setup:
    """Draw the choices in one line; returns what was chosen.

    Args:
        datasets: Names, at least one.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        bound = state.bound(state.DATASET, among=datasets)
        name = st.selectbox("Dataset", datasets, width=200, **bound)
        return Setup(str(name), choose_engine(), ask_person(), *colour_choices())
