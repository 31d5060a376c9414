"""Which masks are reviewed, and in which order: choices that the address carries."""

from collections.abc import Callable, Mapping

import streamlit as st

from cfr_core.masks.defects import DEFECT_LABELS, DEFECT_NOTES, Defect
from cfr_core.workspace.review_queue import (
    ORDER_LABELS,
    QueueFilter,
    QueueOrder,
    ReviewProgress,
    RowState,
)
from components import state
from components.errors import plain
from components.state import Parameter

_SOURCES = {"": "Anything", "human": "A person", "dataset": "The dataset"}


def _some_of(known: type[RowState] | type[Defect]) -> Callable[[str], tuple[str, ...]]:
    def read(text: str) -> tuple[str, ...]:
        chosen = tuple(text.split(","))
        if not set(chosen) <= set(known):
            raise ValueError(f"some of {', '.join(known)}, with commas between")
        return chosen

    return read


def _order(text: str) -> QueueOrder:
    for order in ORDER_LABELS:
        if order == text:
            return order
    raise ValueError(f"one of {', '.join(ORDER_LABELS)}")


_STATES = Parameter[tuple[str, ...]]("state", (), _some_of(RowState), ",".join, stays=False)
_DEFECTS = Parameter[tuple[str, ...]]("defects", (), _some_of(Defect), ",".join, stays=False)
_AUTHOR = Parameter[str]("by", "", str, stays=False)
_SOURCE = Parameter[str]("source", "", str, stays=False)
_ORDER = Parameter[QueueOrder]("order", "row", _order, stays=False)


def ask_queue(progress: ReviewProgress) -> tuple[QueueFilter, QueueOrder]:
    """Draw the choices; returns what was chosen.

    Args:
        progress: Of the dataset, for the counts beside the choices.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        states = st.pills(
            "Show masks that are",
            list(RowState),
            selection_mode="multi",
            format_func=lambda one: f"{one.capitalize()} {progress.n_by_state[RowState(one)]:,}",
            help="None of these chosen: every photo.",
            **state.bound(_STATES),
        )
        order = st.selectbox(
            "Order",
            list(ORDER_LABELS),
            format_func=lambda one: ORDER_LABELS[one],
            width=180,
            help="“Least sure first” goes by the engine's own score.",
            **state.bound(_ORDER, among=tuple(ORDER_LABELS)),
        )
        # Closed, it would hide that it holds something.
        chosen = (state.get(_DEFECTS), state.get(_AUTHOR), state.get(_SOURCE))
        n_more = sum(map(bool, chosen))
        label = f"Filters: {n_more} on" if n_more else "Filters"
        with st.popover(label, icon=":material/filter_list:"):
            defects = _ask_defects(progress)
            author = _ask_one("Person who drew or reviewed", _AUTHOR, progress.n_by_author, {})
            source = _ask_one("Made by", _SOURCE, progress.n_by_source, _SOURCES)
    return (
        QueueFilter(
            states=frozenset(map(RowState, states)),
            author=author,
            source=source,
            defects=frozenset(map(Defect, defects)),
        ),
        order,
    )


def _ask_defects(progress: ReviewProgress) -> list[str]:
    notes = "\n".join(f"- **{DEFECT_LABELS[one]}**: {DEFECT_NOTES[one]}" for one in Defect)
    return st.pills(
        "With a mask worth a look for",
        list(Defect),
        selection_mode="multi",
        format_func=lambda one: f"{DEFECT_LABELS[one]} {progress.n_by_defect[Defect(one)]:,}",
        help=f"Computed for every mask; a reason to look, and no verdict.\n\n{notes}",
        **state.bound(_DEFECTS),
    )


def _ask_one(
    label: str, parameter: Parameter[str], counts: Mapping[str, int], words: Mapping[str, str]
) -> str:
    def shown(name: str) -> str:
        return words.get(name, name or "Anybody")

    # Not in the list itself, which would go on to show the number at the time of the choice.
    numbers = " · ".join(f"{plain(shown(name))} {n:,}" for name, n in counts.items())
    names = ["", *counts]
    bound = state.bound(parameter, among=names)
    return str(st.selectbox(label, names, format_func=shown, help=numbers or None, **bound))
