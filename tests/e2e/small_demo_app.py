"""The app, with a demo that is drawn in seconds: few individuals with few photos."""

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import streamlit as st

from cfr_core.demo import presets
from server.routes import routes

_SEEDS = {"weak": 3, "outline": 6}
"""Instead of the preset's own, with which so few photos land beside its region."""

presets.PRESETS = MappingProxyType(
    {
        name: replace(
            recipe,
            n_identities=8,
            n_photos=4,
            size_hw=(120, 160),
            seed=_SEEDS.get(name, recipe.seed),
        )
        for name, recipe in presets.PRESETS.items()
    }
)

app = st.App(Path(__file__).parents[2] / "pages" / "main.py", routes=routes())
