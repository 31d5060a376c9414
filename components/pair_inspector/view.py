"""A query and a candidate under one magnifier."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from cfr_core.audit.pairs import PairFact, Relation
from cfr_core.types import BLACK_RGB, IMAGENET_MEAN_RGB, RGB, View
from components import palette, state, zoom
from server.images import PHOTO, image_query

_FOLDER = Path(__file__).parent
_SIZES_PX = (1024, 2048)
"""Sizes of the pictures: as they are first shown, and magnified."""

_COMPONENT = st.components.v2.component(
    "cfr_pair_inspector",
    html=(_FOLDER / "pair.html").read_text(encoding="utf-8"),
    css=zoom.CSS + (_FOLDER / "pair.css").read_text(encoding="utf-8"),
    js=zoom.JS + (_FOLDER / "pair.js").read_text(encoding="utf-8"),
)

_LABELS = {
    View.FULL: "Full image",
    View.FOREGROUND: "Animal alone",
    View.SHORTCUT: "Surroundings alone",
    View.SILHOUETTE: "Outline alone",
}


@dataclass(frozen=True)
class Pair:
    """Two photos and what is known of them.

    Attributes:
        query: Row id of the query.
        candidate: Row id of what was retrieved for it.
        is_right: Whether both show the same individual.
        captions: What stands over the two, query first.
        places: For each view where it placed the candidate, in words.
        facts: What is known of both, as `pair_facts` returns it.
        fill_rgb: Colour in place of what a view removes.
        silhouette_rgb: Colour of the animal in the silhouette view.
    """

    query: int
    candidate: int
    is_right: bool
    captions: tuple[str, str]
    places: Mapping[View, str]
    facts: tuple[PairFact, ...]
    fill_rgb: RGB = IMAGENET_MEAN_RGB
    silhouette_rgb: RGB = BLACK_RGB


def pair_inspector(
    pair: Pair,
    *,
    key: str,
    view: View,
    on_view: Callable[[View], None],
    on_step: Callable[[int], None],
) -> None:
    """Draw a pair.

    Keys: 1 to 4 choose the view, 5 shows the whole photos while it is held down; the wheel, + and -
    magnify, 0 shows all; the arrows left and right step to another candidate.

    Args:
        pair: The two photos.
        key: Name of the inspector on the page.
        view: The view in which they are shown.
        on_view: Told the view that a person chose, before the page runs again.
        on_step: Told -1 or 1 when a person asks for the candidate before or after this one.
    """
    data = {
        "rows": [pair.query, pair.candidate],
        "captions": list(pair.captions),
        "isRight": pair.is_right,
        "view": view.value,
        "views": [_view(pair, each) for each in View],
        "photo": image_query(view=PHOTO, size_px=_SIZES_PX[0]),
        "sizes": _SIZES_PX,
        "facts": [_fact(fact) for fact in pair.facts],
        "colours": {"right": palette.RIGHT, "wrong": palette.WRONG, "shared": palette.ORANGE},
    }
    _COMPONENT(
        key=key,
        data=data,
        on_view_change=lambda: on_view(View(state.component_state(key)["view"])),
        on_step_change=lambda: on_step(int(state.component_state(key)["step"])),
    )


def _view(pair: Pair, view: View) -> dict[str, str]:
    query = image_query(
        view=view,
        size_px=_SIZES_PX[0],
        fill_rgb=pair.fill_rgb,
        silhouette_rgb=pair.silhouette_rgb,
    )
    return {
        "name": view.value,
        "label": _LABELS[view],
        "query": query,
        "place": pair.places[view],
    }


def _fact(fact: PairFact) -> dict[str, Any]:
    relation = fact.note or (fact.relation.value if fact.relation is not Relation.UNKNOWN else "")
    if fact.note and fact.relation is Relation.SAME:
        relation = f"same, {fact.note}"
    return {
        "name": fact.name,
        "query": fact.query if fact.query is not None else "not known",
        "candidate": fact.candidate if fact.candidate is not None else "not known",
        "relation": relation,
        "isMarked": fact.explains_scenery,
    }
