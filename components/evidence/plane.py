"""All runs on the CFR-SSI plane; a click walks into one."""

from collections.abc import Sequence

import streamlit as st

from cfr_core.audit.profile import EvidenceProfile
from cfr_core.datasets.published_results import PUBLISHED_K, published_results
from components import state
from components.downloads import csv_button, html_button, plot_config
from components.errors import plain
from components.evidence.choices import JOINED, PUBLISHED, Shown, choose_run
from components.evidence.tables import runs_table
from components.figures import PlaneStyle, evidence_plane, is_on_plane

_KEY = "plane"
_ALT = (
    "Runs by CFR, how much is found by the animal alone, and SSI, how much is found without it; "
    "the same numbers are in the table of runs."
)


def plane(shown: Shown) -> None:
    """Draw the plane with its switches, and what has no place on it in words."""
    with st.container(horizontal=True):
        with_published = st.toggle(
            "Show the 68 published results",
            help="34 datasets and 2 encoders at k = 1 (arXiv 2611.06864, table S4).",
            **state.bound(PUBLISHED),
        )
        is_joined = st.toggle("Join the runs of one dataset", **state.bound(JOINED))
    style = PlaneStyle(
        encoders=shown.encoders,
        chosen=frozenset(profile.run_id for profile in (shown.run, *shown.also)),
        published=published_results() if with_published else (),
        is_joined=is_joined,
    )
    figure = evidence_plane(shown.profiles, shown.k, style)
    st.plotly_chart(
        figure,
        key=_KEY,
        on_select=_take_clicked,
        selection_mode=("points", "box"),
        config=plot_config(f"evidence plane at {shown.k}"),
        alt=_ALT,
    )
    if with_published and shown.k != PUBLISHED_K:
        st.caption(f"The published results are at k = {PUBLISHED_K}, the runs at k = {shown.k}.")
    _tell_what_is_missing(shown.profiles, shown.k)
    with st.container(horizontal=True):
        html_button(figure, f"evidence plane at {shown.k}", key="plane, HTML")
        csv_button(
            runs_table(shown.profiles, shown.k),
            f"runs at {shown.k}",
            key="runs, CSV",
            label="Download runs (CSV)",
        )


def _take_clicked() -> None:
    points = state.component_state(_KEY).get("selection", {}).get("points", ())
    run_ids = dict.fromkeys(point["customdata"][0] for point in points if point.get("customdata"))
    if run_ids:
        choose_run(tuple(run_ids))


def _tell_what_is_missing(profiles: Sequence[EvidenceProfile], k: int) -> None:
    for profile in profiles:
        if is_on_plane(profile, k):
            continue
        if k not in profile.by_k:
            reason = f"it was not asked at k = {k}"
        else:
            reason = "; ".join(dict.fromkeys(profile.by_k[k].undefined.values()))
        name = f"{profile.dataset}, {profile.encoder['name']}"
        st.caption(plain(f"Not on the plane: {name} ({reason})."))
