"""Queries that two runs match for different reasons."""

from typing import Any

import pandas as pd
import streamlit as st

from cfr_core.audit.comparison import Comparison
from cfr_core.audit.kinds import KIND_WORDS, MatchKind
from cfr_core.audit.words import percent
from cfr_core.types import View
from components import state
from components.compare.choices import Chosen
from components.downloads import csv_button
from components.evidence.choices import QUERY
from components.gallery import GalleryRows, GalleryStyle, gallery
from components.state import Parameter

_ALL = "all changes"
_CHANGE = Parameter[str]("change", _ALL, str, stays=False)
_ARROW = " → "


def changes(chosen: Chosen, found: Comparison) -> None:
    """Draw how many queries changed kind, and the photos of those that did."""
    changed = found.changed
    share = percent(len(changed) / found.n_common)
    st.write(
        f"{len(changed):,} of {found.n_common:,} queries ({share}) are matched for another reason "
        "in the second run. Lines: kind in the first run; columns: kind in the second."
    )
    counts = found.kinds.rename(index=_named, columns=_named).rename_axis(index="First run")
    st.dataframe(counts.reset_index(), hide_index=True, alt="Kinds in both runs")
    with st.expander("What the kinds mean"):
        st.markdown("\n".join(f"- **{_named(kind)}**: {KIND_WORDS[kind]}" for kind in MatchKind))
    csv_button(found.queries, _file_name(chosen), key="kinds, CSV", label="Download all queries")
    if not changed.empty:
        _photos(chosen, changed)


def _photos(chosen: Chosen, changed: pd.DataFrame) -> None:
    texts = changed["first_kind"].astype(str) + _ARROW + changed["second_kind"].astype(str)
    kinds = [_ALL, *texts.value_counts().index]
    change = st.selectbox("Show", kinds, width=420, **state.bound(_CHANGE, among=kinds))
    kept = changed if change == _ALL else changed[texts == change]
    rows = GalleryRows(
        kept["row_id"].to_numpy(), kept["identity"].tolist(), texts[kept.index].tolist()
    )
    opened = gallery(
        rows,
        key=f"changed, {chosen.first.run_id}, {chosen.second.run_id}, {chosen.k}, {change}",
        style=GalleryStyle(height_px=420, tile_px=200),
        current=state.get(state.ROW),
    ).opened
    if opened is not None:
        state.put(state.ROW, opened)
        st.rerun()
    _links(chosen, kept)


def _links(chosen: Chosen, kept: pd.DataFrame) -> None:
    row_id = state.get(state.ROW)
    line = kept[kept["row_id"] == row_id]
    if line.empty:
        st.caption("Click a photo to go on to what each run took for the same animal.")
        return
    st.dataframe(_rank_table(line), hide_index=True, alt="Ranks of the chosen photo")
    with st.container(horizontal=True):
        for label, run in (("first", chosen.first), ("second", chosen.second)):
            to: dict[state.Parameter[Any], Any] = {state.RUN: run.run_id, QUERY: row_id}
            state.page_link("evidence.py", f"See its matches in the {label} run", to)
        state.page_link(
            "views.py", "See its views", {state.DATASET: chosen.first.dataset, state.ROW: row_id}
        )


def _rank_table(line: pd.DataFrame) -> pd.DataFrame:
    values = line.to_dict("records")[0]
    return pd.DataFrame(
        [
            {
                "Photo": f"{values['identity']}, {values['path']}",
                "Run": name,
                "Match": str(values[f"{run}_kind"]),
                **{f"Rank, {view.value}": values[f"{run}_{view.value}_rank"] for view in View},
            }
            for name, run in (("first", "first"), ("second", "second"))
        ]
    )


def _named(kind: str) -> str:
    return str(kind).capitalize()


def _file_name(chosen: Chosen) -> str:
    return f"queries at {chosen.k} {chosen.first.run_id} and {chosen.second.run_id}"
