"""A table that can be sorted and searched, in which a click anywhere opens a row."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from components import state


def row_table(
    table: pd.DataFrame,
    *,
    key: str,
    current: int | None,
    on_open: Callable[[int], None],
    columns: Mapping[str, Any],
    alt: str,
) -> None:
    """Draw a table; the row that is open elsewhere on the page is marked.

    Args:
        table: One line a row; its index holds the row ids, each once, and is not shown.
        key: Name of the table on the page, another one for other rows.
        current: Row id of the row that is open, or None.
        on_open: Told the row id of a row that was clicked, before the page runs again.
        columns: How columns are shown, by name, as `st.dataframe` takes them.
        alt: What the table holds, for those who cannot see it.
    """
    marked = [place for place, row_id in enumerate(table.index) if row_id == current]
    if _marked_rows(key) != marked:
        state.tell_component(key, _selection(marked))
    st.dataframe(
        table,
        key=key,
        hide_index=True,
        column_config=dict(columns),
        on_select=lambda: _open(table, key, on_open),
        # Of rows alone, only the box in front of a row could be clicked.
        selection_mode=["single-row", "single-cell"],
        row_height=44,
        # What is sent lazily cannot be clicked.
        lazy=False,
        alt=alt,
    )


def _open(table: pd.DataFrame, key: str, on_open: Callable[[int], None]) -> None:
    selection = state.component_state(key).get("selection", {})
    places = [place for place, _ in selection.get("cells", ())] or _marked_rows(key)
    state.tell_component(key, _selection(places[:1]))
    if places and places[0] < len(table):
        on_open(int(table.index[places[0]]))


def _marked_rows(key: str) -> list[int]:
    return list(state.component_state(key).get("selection", {}).get("rows", ()))


def _selection(places: list[int]) -> dict[str, Any]:
    return {"selection": {"rows": places, "columns": [], "cells": []}}
