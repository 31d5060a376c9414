"""Datasets: their rows, their numbers, and what they look like in a gallery."""

import pandas as pd
import streamlit as st

from cfr_core.datasets.facts import DatasetFacts, cover_rows, dataset_facts
from cfr_core.datasets.filters import RowFilter
from cfr_core.datasets.records import DatasetCard, ImportReport
from cfr_core.types import MaskStatus
from cfr_core.workspace.store import DatasetSummary
from components.cached.moment import Moment, at, now
from components.gallery import GalleryRows, TileState


def datasets() -> tuple[DatasetSummary, ...]:
    """All datasets, by name."""
    return _datasets(now())


def rows(dataset: str) -> pd.DataFrame:
    """Rows of a dataset with the state of their masks, as `Workspace.browse`."""
    return _rows(now(), dataset)


def gallery_rows(dataset: str) -> GalleryRows:
    """Every row of a dataset, captioned by identity, for a gallery."""
    return _gallery_rows(now(), dataset)


def facts(dataset: str) -> DatasetFacts:
    """Numbers of a dataset."""
    return _facts(now(), dataset)


def card(dataset: str) -> DatasetCard:
    """What is known of a dataset beside its rows."""
    return _card(now(), dataset)


def report(dataset: str) -> ImportReport:
    """The report of a dataset's import."""
    return _report(now(), dataset)


def matching_rows(dataset: str, chosen: RowFilter) -> GalleryRows:
    """The rows of a dataset that a filter keeps, for a gallery."""
    return _matching_rows(now(), dataset, chosen)


def covers(dataset: str, n: int) -> tuple[int, ...]:
    """At most `n` rows that stand for a dataset."""
    return _covers(now(), dataset, n)


@st.cache_resource(max_entries=4, show_spinner=False)
def _datasets(moment: Moment) -> tuple[DatasetSummary, ...]:
    return tuple(at(moment).datasets())


@st.cache_resource(max_entries=8, show_spinner="Reading the rows")
def _rows(moment: Moment, dataset: str) -> pd.DataFrame:
    return at(moment).browse(dataset)


@st.cache_resource(max_entries=8, show_spinner="Reading the rows")
def _gallery_rows(moment: Moment, dataset: str) -> GalleryRows:
    return _as_gallery(_rows(moment, dataset))


@st.cache_resource(max_entries=16, show_spinner=False)
def _matching_rows(moment: Moment, dataset: str, chosen: RowFilter) -> GalleryRows:
    return _as_gallery(chosen.apply(_rows(moment, dataset)))


def _as_gallery(table: pd.DataFrame) -> GalleryRows:
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


@st.cache_resource(max_entries=16, show_spinner=False)
def _facts(moment: Moment, dataset: str) -> DatasetFacts:
    return dataset_facts(_rows(moment, dataset))


@st.cache_resource(max_entries=16, show_spinner=False)
def _card(moment: Moment, dataset: str) -> DatasetCard:
    return at(moment).card(dataset)


@st.cache_resource(max_entries=8, show_spinner=False)
def _report(moment: Moment, dataset: str) -> ImportReport:
    return at(moment).report(dataset)


@st.cache_resource(max_entries=64, show_spinner=False)
def _covers(moment: Moment, dataset: str, n: int) -> tuple[int, ...]:
    return cover_rows(_rows(moment, dataset), n)
