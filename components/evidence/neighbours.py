"""What each view took for the same animal as the chosen query: one row of photos a view."""

import numpy as np
import streamlit as st

from cfr_core.audit.drilldown import DrillDown, Match, Retrieved
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.types import View
from components import cached, state
from components.cached.since import changed_rows
from components.errors import plain
from components.evidence.choices import PAIR, QUERY, WHOLE_PHOTO, Shown, choose_query
from components.gallery import GalleryRows, GalleryStyle, TileState, gallery
from server.images import PHOTO

VIEW_TITLES = {
    View.FULL: "Full image",
    View.FOREGROUND: "Foreground: the animal alone",
    View.SHORTCUT: "Shortcut: its surroundings alone",
    View.SILHOUETTE: "Silhouette: its outline alone",
}
N_NEAREST = 5
_TILE_PX = 136
_CHANGED = " (changed)"


def neighbours(shown: Shown) -> None:
    """Draw the rows of the query that the address names; a click opens a pair."""
    query = state.get(QUERY)
    if query is None:
        return
    run_id = shown.run.run_id
    known = cached.queries(run_id, shown.k)
    place = known.index[known["row_id"] == query]
    if not len(place):
        st.warning(f"Row {query} is no query of this run; choose one in the table.")
        choose_query(None)
        return
    down = cached.drill_down(run_id, query)
    answer = known.loc[place[0]]
    st.subheader(plain(f"Query {down.query.identity}: {answer['kind']}"))
    left, right = st.columns([3, 2], vertical_alignment="center")
    with left:
        st.caption(plain(f"{answer['path']}, row {query}. Click a photo to compare the two."))
    with right:
        is_whole = st.toggle(
            "Show full photos",
            help="Instead of what the model saw.",
            **state.bound(WHOLE_PHOTO),
        )
    changed = _tell_what_has_changed(down, run_id)
    for view in View:
        _view_row(down, view, shown.run, changed, is_whole=is_whole)


def _tell_what_has_changed(down: DrillDown, run_id: str) -> frozenset[int]:
    """Say of which photos the pictures are not what the run has seen; returns their rows."""
    matches = (match for found in down.views.values() for match in found.first(N_NEAREST))
    rows = dict.fromkeys((down.query.row_id, *(match.photo.row_id for match in matches)))
    changed = changed_rows(run_id, tuple(rows))
    if changed:
        st.warning(
            f"{len(changed)} of these {len(rows)} photos changed after the run: another mask, box "
            "or file. They are drawn as they are now; ranks and similarities are still those of "
            "the run. Run the audit again to have both alike.",
            icon=":material/history:",
        )
    return changed


def _view_row(
    down: DrillDown, view: View, run: EvidenceProfile, changed: frozenset[int], *, is_whole: bool
) -> None:
    retrieved = down.views[view]
    st.markdown(f"**{VIEW_TITLES[view]}** · {_rank_words(retrieved)}")
    clicked = gallery(
        _rows(down, retrieved, changed),
        key=f"neighbours in {view}",
        style=GalleryStyle(PHOTO if is_whole else view, "strip", tile_px=_TILE_PX, **run.colours),
    ).opened
    if clicked is not None and clicked != down.query.row_id:
        state.put(PAIR, clicked)
        state.put(state.VIEW, view)
        st.rerun()


def _rank_words(retrieved: Retrieved) -> str:
    rank = retrieved.first_right_rank
    return "the nearest photo is right" if rank == 1 else f"first right photo at rank {rank:,}"


def _rows(down: DrillDown, retrieved: Retrieved, changed: frozenset[int]) -> GalleryRows:
    matches = retrieved.first(N_NEAREST)
    photos = [down.query, *(match.photo for match in matches)]
    return GalleryRows(
        row_ids=np.array([photo.row_id for photo in photos]),
        captions=[
            photo.identity + (_CHANGED if photo.row_id in changed else "") for photo in photos
        ],
        details=[down.query.date or "no date", *map(_detail, matches)],
        states=[
            TileState.QUERY,
            *(TileState.RIGHT if match.is_right else TileState.WRONG for match in matches),
        ],
    )


def _detail(match: Match) -> str:
    similarity = "no vectors" if match.similarity is None else f"{match.similarity:.3f}"
    return " · ".join(filter(None, (f"#{match.rank:,}", similarity, match.photo.date)))
