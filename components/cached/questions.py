"""What audits of a dataset can be asked by, and how many rows an answer leaves."""

import streamlit as st

from cfr_core.audit.askable import Askable
from cfr_core.audit.askable import askable as askable_of
from cfr_core.audit.selection import rows_asked_for
from components.cached.moment import Moment, at, now


def askable(dataset: str) -> Askable:
    """Columns to exclude by and values to choose rows by."""
    return _askable(now(), dataset)


def count_asked_for(dataset: str, where: tuple[tuple[str, str], ...]) -> tuple[int, int]:
    """Rows that (column, value) pairs leave, and all rows."""
    return _count_asked_for(now(), dataset, where)


@st.cache_resource(max_entries=16, show_spinner=False)
def _askable(moment: Moment, dataset: str) -> Askable:
    return askable_of(at(moment).annotations(dataset))


@st.cache_resource(max_entries=64, show_spinner=False)
def _count_asked_for(
    moment: Moment, dataset: str, where: tuple[tuple[str, str], ...]
) -> tuple[int, int]:
    table = at(moment).annotations(dataset).table
    return int(rows_asked_for(table, where).sum()), len(table)
