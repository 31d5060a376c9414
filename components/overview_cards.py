"""The datasets and runs of the workspace as cards."""

import math

import streamlit as st

from cfr_core.audit.profile import EvidenceProfile
from cfr_core.errors import InputError
from cfr_core.workspace.store import DatasetSummary, RunRecord
from components import cached, palette, state
from components.cards import Card, PlanePoint, cards
from components.roles import ROLE_MEANINGS
from server.images import image_url

_N_PICTURES = 3
_PICTURE_PX = 320
_MAX_RUNS = 24


def dataset_cards(datasets: tuple[DatasetSummary, ...]) -> None:
    """Draw the datasets; a click opens the dataset's page."""
    opened = cards([_dataset_card(dataset) for dataset in datasets], key="dataset cards")
    if opened is not None:
        state.open_page("dataset.py", {state.DATASET: opened})


def run_cards(runs: tuple[RunRecord, ...]) -> None:
    """Draw the latest runs; a click opens the run among all others."""
    opened = cards([_run_card(run) for run in runs[:_MAX_RUNS]], key="run cards")
    if runs[_MAX_RUNS:]:
        st.caption(f"The latest {_MAX_RUNS} of {len(runs):,} runs; all stand on the Evidence page.")
    if opened is not None:
        state.open_page("evidence.py", {state.RUN: opened})


def _dataset_card(dataset: DatasetSummary) -> Card:
    share = dataset.n_accepted_masks / dataset.n_rows if dataset.n_rows else 0.0
    unknown = f" · {dataset.n_unknown:,} unknown" if dataset.n_unknown else ""
    return Card(
        key=dataset.name,
        title=dataset.name,
        lines=(
            f"{dataset.n_rows:,} rows of {dataset.n_identities:,} individuals{unknown}",
            f"Accepted masks: {math.floor(100 * share)} % of rows",
            f"Outline as evidence: {ROLE_MEANINGS[dataset.silhouette_role].short}",
        ),
        pictures=_pictures(dataset.name, _N_PICTURES),
    )


def _run_card(run: RunRecord) -> Card:
    try:
        profile = cached.profile(run.run_id)
    except InputError as error:
        return Card(key=run.run_id, title=run.dataset, lines=(str(error),))
    return _profile_card(run, profile)


def _profile_card(run: RunRecord, profile: EvidenceProfile) -> Card:
    k = min(profile.by_k)
    rates = profile.by_k[k]
    return Card(
        key=run.run_id,
        title=f"{run.dataset} · {run.encoder}",
        lines=(
            f"CFR {_number(rates.cfr)} · SSI {_number(rates.ssi)} at k = {k}",
            f"{profile.n_queries:,} queries, {profile.n_identities:,} individuals",
            run.finished_at[:16].replace("T", " ") + " UTC",
        ),
        pictures=_pictures(run.dataset, _N_PICTURES - 1),
        point=PlanePoint(rates.cfr, rates.ssi),
        mark=rates.region.value.capitalize(),
        colour=palette.REGIONS[rates.region],
    )


def _pictures(dataset: str, n: int) -> tuple[str, ...]:
    if dataset not in {summary.name for summary in cached.datasets()}:
        return ()
    return tuple(image_url(row, size_px=_PICTURE_PX) for row in cached.covers(dataset, n))


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.2f}"
