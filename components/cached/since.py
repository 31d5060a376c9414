"""What has changed since a run."""

import contextlib

import streamlit as st

from cfr_core.audit.since import changed_rows as changed_rows_of
from cfr_core.errors import UnknownRowError
from components.cached.moment import Moment, at, now


def changed_rows(run_id: str, row_ids: tuple[int, ...]) -> frozenset[int]:
    """Those of some rows of a run whose file, box or mask is not what the run has seen."""
    return _changed_rows(now(), run_id, row_ids)


@st.cache_resource(max_entries=256, show_spinner=False)
def _changed_rows(moment: Moment, run_id: str, row_ids: tuple[int, ...]) -> frozenset[int]:
    opened, crops = at(moment), []
    for row_id in row_ids:
        with contextlib.suppress(UnknownRowError):  # its dataset was replaced; no picture either
            crops.append(opened.crop(row_id))
    gone = set(row_ids) - {crop.row_id for crop in crops}
    return changed_rows_of(opened.runs_dir / run_id, crops) | gone
