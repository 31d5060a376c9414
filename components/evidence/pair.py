"""One pair in a window of its own: the query and a photo that a view retrieved for it."""

import streamlit as st

from cfr_core.audit.drilldown import DrillDown
from cfr_core.errors import UnknownRowError
from cfr_core.types import View
from components import cached, state
from components.cached.since import changed_rows
from components.errors import plain
from components.evidence.choices import PAIR, QUERY, Shown
from components.pair_inspector import Pair, pair_inspector

_CHANGED = " (drawn with what changed after the run)"


def pair(shown: Shown) -> None:
    """Open the pair that the address names, if it names one."""
    query, candidate = state.get(QUERY), state.get(PAIR)
    if query is None or candidate is None:
        return
    try:
        cached.pair_facts(shown.run.run_id, query, candidate)
    except UnknownRowError as error:
        st.warning(plain(str(error)))
        state.put(PAIR, None)
        return
    _window(shown)


@st.dialog("Query and candidate", width="large", on_dismiss=lambda: state.put(PAIR, None))
def _window(shown: Shown) -> None:
    query, candidate = state.get(QUERY), state.get(PAIR)
    run = shown.run
    if query is None or candidate is None:
        return
    down = cached.drill_down(run.run_id, query)
    facts = cached.pair_facts(run.run_id, query, candidate)
    identity = facts[0]
    view = state.get(state.VIEW)
    is_right = identity.query == identity.candidate
    changed = changed_rows(run.run_id, (query, candidate))
    notes = {row: _CHANGED if row in changed else "" for row in (query, candidate)}
    pair_inspector(
        Pair(
            query=query,
            candidate=candidate,
            is_right=is_right,
            captions=(
                f"Query: {identity.query}{notes[query]}",
                f"{'✓ Same individual' if is_right else '✗ Another individual'}: "
                f"{identity.candidate}{notes[candidate]}",
            ),
            places={each: _place_words(down, each, candidate) for each in View},
            facts=facts,
            **run.colours,
        ),
        key="pair",
        view=view,
        on_view=lambda chosen: state.put(state.VIEW, chosen),
        on_step=lambda by: _step(down, by),
    )


def _place_words(down: DrillDown, view: View, candidate: int) -> str:
    match = down.views[view].match_of(candidate)
    if match is None:
        return f"not among the {len(down.views[view].nearest)} nearest of this query"
    similarity = (
        "its vectors are not stored any more"
        if match.similarity is None
        else f"similarity {match.similarity:.3f}"
    )
    return f"candidate at rank {match.rank:,}, {similarity}"


def _step(down: DrillDown, by: int) -> None:
    """To the candidate before or after this one in the chosen view; the ends lead nowhere."""
    order = [match.photo.row_id for match in down.views[state.get(state.VIEW)].all_known]
    candidate = state.get(PAIR)
    place = order.index(candidate) + by if candidate in order else 0
    if 0 <= place < len(order):
        state.put(PAIR, order[place])
