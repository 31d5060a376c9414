"""What pages show of the workspace, kept in memory until the workspace changes.

Functions are asked by names and ids. Each result is kept under the folder and revision that it was
read from; it is shared by all sessions and must not be changed in place. No other module uses
Streamlit's caches.
"""

from typing import TypeAlias

import pandas as pd
import streamlit as st

from cfr_core.types import MaskStatus
from cfr_core.workspace.store import DatasetSummary, RunRecord, Workspace
from components.gallery import GalleryRows, TileState
from server.workspace import workspace


def datasets() -> tuple[DatasetSummary, ...]:
    """All datasets, by name."""
    return _datasets(_moment())


def runs() -> tuple[RunRecord, ...]:
    """Finished runs, the latest first."""
    return _runs(_moment())


def rows(dataset: str) -> pd.DataFrame:
    """Rows of a dataset with the state of their masks, as `Workspace.browse`."""
    return _rows(_moment(), dataset)


def gallery_rows(dataset: str) -> GalleryRows:
    """Every row of a dataset, captioned by identity, for a gallery."""
    return _gallery_rows(_moment(), dataset)


# Streamlit leaves parameters with a leading underscore out of the key: these must not have one.
_Moment: TypeAlias = tuple[str, int]
"""Folder and revision that something was read from."""


def _moment() -> _Moment:
    opened = workspace()
    return str(opened.root), opened.revision


def _at(_: _Moment) -> Workspace:
    return workspace()


@st.cache_resource(max_entries=4, show_spinner=False)
def _datasets(moment: _Moment) -> tuple[DatasetSummary, ...]:
    return tuple(_at(moment).datasets())


@st.cache_resource(max_entries=4, show_spinner=False)
def _runs(moment: _Moment) -> tuple[RunRecord, ...]:
    return tuple(_at(moment).runs())


@st.cache_resource(max_entries=8, show_spinner="Reading the rows")
def _rows(moment: _Moment, dataset: str) -> pd.DataFrame:
    return _at(moment).browse(dataset)


@st.cache_resource(max_entries=8, show_spinner="Reading the rows")
def _gallery_rows(moment: _Moment, dataset: str) -> GalleryRows:
    table = _rows(moment, dataset)
    accepted = table["mask_status"] == MaskStatus.ACCEPTED.value
    captured = table["captured_at"].dt.strftime("%Y-%m-%d").fillna("no date")
    masks = table["mask_status"].where(table["mask_status"] != "", "none")
    return GalleryRows(
        row_ids=table["row_id"].to_numpy(),
        captions=table["identity"].where(table["is_known"], "unknown identity").tolist(),
        details=captured.where(accepted, captured + " · mask: " + masks).tolist(),
        states=[TileState.PLAIN if ok else TileState.ATTENTION for ok in accepted],
        versions=table["mask_version"].to_numpy(),
    )
