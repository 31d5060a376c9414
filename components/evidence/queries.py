"""Queries of a run, the most suspicious first, and the same by individual."""

import streamlit as st

from cfr_core.audit.kinds import KIND_WORDS, MatchKind
from components import cached, state
from components.downloads import csv_button
from components.evidence.choices import KINDS, QUERY, Shown, choose_query, chosen_kinds
from components.evidence.tables import IDENTITY_COLUMNS, QUERY_COLUMNS, shown_queries
from components.row_table import row_table

_MAX_LISTED = 2000
"""More would be slow to send, and nobody reads them; filters find the others, the CSV has all."""


def queries(shown: Shown) -> None:
    """Draw the lists; a click opens a query."""
    run_id, k = shown.run.run_id, shown.k
    by_query, by_individual = st.tabs(["By photo", "By individual"])
    with by_query:
        _by_query(run_id, k)
    with by_individual:
        table = cached.identities(run_id, k)
        st.dataframe(
            table,
            key=f"individuals of {run_id} at {k}",
            hide_index=True,
            column_config=IDENTITY_COLUMNS,
            alt="Kinds of matches of each individual",
        )
        csv_button(table, f"individuals at {k} {run_id}", key="individuals, CSV")


def _by_query(run_id: str, k: int) -> None:
    table = cached.queries(run_id, k)
    counts = table["kind"].value_counts()
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        kinds = chosen_kinds()
        st.pills(
            "Kinds of matches",
            list(MatchKind),
            selection_mode="multi",
            wrap=True,
            format_func=lambda kind: f"{kind.value.capitalize()} ({counts.get(kind, 0):,})",
            help="\n".join(f"- {kind}: {words}" for kind, words in KIND_WORDS.items()),
            **state.bound(KINDS),
        )
    with right:
        search = st.text_input(
            "Individual or file", placeholder="Search", **state.bound(state.SEARCH)
        )
    if kinds:
        table = table[table["kind"].isin(kinds)]
    if search:
        wanted = table["identity"].str.contains(search, case=False, regex=False)
        table = table[wanted | table["path"].str.contains(search, case=False, regex=False)]
    row_table(
        shown_queries(table.head(_MAX_LISTED)),
        key=f"queries of {run_id} at {k}, {kinds}, {search}",
        current=state.get(QUERY),
        on_open=choose_query,
        columns=QUERY_COLUMNS,
        alt="Queries of the run, the most suspicious first",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        csv_button(table, f"queries at {k} {run_id}", key="queries, CSV")
        st.caption(_count_words(len(table), int(counts.sum())))


def _count_words(n_found: int, n_all: int) -> str:
    listed = f"the first {_MAX_LISTED:,} are listed; " if n_found > _MAX_LISTED else ""
    return (
        f"{n_found:,} of {n_all:,} queries, the most suspicious first; {listed}"
        "click one to see what each view took for the same animal."
    )
