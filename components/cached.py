"""What pages show of the workspace, kept in memory until the workspace changes.

Functions are asked by names and ids. Each result is kept under the folder and revision that it was
read from; it is shared by all sessions and must not be changed in place. No other module uses
Streamlit's caches.
"""

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import TypeAlias

import pandas as pd
import streamlit as st

from cfr_core.audit.comparison import Comparison, compare_runs
from cfr_core.audit.drilldown import DrillDown, facts_of_pair
from cfr_core.audit.drilldown import drill_down as drill_down_of
from cfr_core.audit.pairs import PairFact
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.queries import identity_table, query_table
from cfr_core.audit.spec import AuditSpec
from cfr_core.audit.stored import read_profile
from cfr_core.datasets.choices import source_columns as columns_of_source
from cfr_core.datasets.facts import DatasetFacts, cover_rows, dataset_facts
from cfr_core.datasets.filters import RowFilter
from cfr_core.datasets.preview import Preview
from cfr_core.datasets.preview import preview as make_preview
from cfr_core.datasets.records import DatasetCard, ImportReport
from cfr_core.errors import InputError
from cfr_core.jobs.estimate import (
    AuditCost,
    KnownEncoder,
    PlannedAudit,
    audit_cost,
    known_encoder,
    plan_audit,
    weights_stamp,
)
from cfr_core.jobs.imports import ImportSpec
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


def profile(run_id: str) -> EvidenceProfile:
    """What a run found.

    Raises:
        InputError: if its profile cannot be read.
    """
    return _profile(_moment(), run_id)


def rows(dataset: str) -> pd.DataFrame:
    """Rows of a dataset with the state of their masks, as `Workspace.browse`."""
    return _rows(_moment(), dataset)


def gallery_rows(dataset: str) -> GalleryRows:
    """Every row of a dataset, captioned by identity, for a gallery."""
    return _gallery_rows(_moment(), dataset)


def facts(dataset: str) -> DatasetFacts:
    """Numbers of a dataset."""
    return _facts(_moment(), dataset)


def card(dataset: str) -> DatasetCard:
    """What is known of a dataset beside its rows."""
    return _card(_moment(), dataset)


def report(dataset: str) -> ImportReport:
    """The report of a dataset's import."""
    return _report(_moment(), dataset)


def matching_rows(dataset: str, chosen: RowFilter) -> GalleryRows:
    """The rows of a dataset that a filter keeps, for a gallery."""
    return _matching_rows(_moment(), dataset, chosen)


def covers(dataset: str, n: int) -> tuple[int, ...]:
    """At most `n` rows that stand for a dataset."""
    return _covers(_moment(), dataset, n)


def preview(spec: ImportSpec) -> Preview:
    """What an import would start from; read from the files, and again after `read_again`.

    Raises:
        InputError: if the source cannot be read so.
    """
    return _preview(_source_key(spec))


def source_columns(spec: ImportSpec) -> list[str]:
    """Columns of a source, as of the last reading; none if it has none to choose from."""
    return _source_columns(_source_key(spec))


def read_again() -> None:
    """Forget what was read of sources: their files have changed."""
    _preview.clear()
    _source_columns.clear()


def profiles() -> tuple[tuple[EvidenceProfile, ...], tuple[str, ...]]:
    """Profiles of all runs, the latest first, and what is wrong with those that cannot be read."""
    return _profiles(_moment())


def run_folder(run_id: str) -> Path:
    """Folder of a run of this workspace."""
    return workspace().runs_dir / run_id


def queries(run_id: str, k: int) -> pd.DataFrame:
    """Queries of a run at one k, the most suspicious first, as `query_table`."""
    return _queries(_moment(), run_id, k)


def identities(run_id: str, k: int) -> pd.DataFrame:
    """What the queries of a run say of each individual, as `identity_table`."""
    return _identities(_moment(), run_id, k)


def comparison(first: str, second: str, k: int) -> Comparison:
    """Two runs of one dataset at one k.

    Raises:
        InputError: if they have no query in common, or cannot be read.
    """
    return _comparison(_moment(), first, second, k)


def drill_down(run_id: str, query: int) -> DrillDown:
    """What each view retrieved for a query of a run."""
    return _drill_down(_moment(), run_id, query)


def pair_facts(run_id: str, query: int, candidate: int) -> tuple[PairFact, ...]:
    """What is known of two rows of a run.

    Raises:
        UnknownRowError: if one of them is none of its rows.
    """
    return _pair_facts(_moment(), run_id, query, candidate)


def planned_audit(spec: AuditSpec) -> PlannedAudit:
    """The rows that an audit would use.

    Raises:
        InputError: if it cannot be asked, or no row is left.
    """
    return _planned_audit(_moment(), spec)


def encoder_known(name: str) -> KnownEncoder:
    """What is known of an encoder without loading it; errors as of `known_encoder`."""
    return _encoder_known(_moment(), name, weights_stamp(name, workspace().checkpoints_dir))


def cost_of(spec: AuditSpec, device: str) -> AuditCost:
    """What is still to be done for an audit on a device; errors as of the two above."""
    opened = workspace()
    return audit_cost(
        opened.root, planned_audit(spec), encoder_known(spec.encoder), device, past_runs()
    )


def past_runs() -> tuple[EvidenceProfile, ...]:
    """Profiles of the finished runs that can be read, the latest first."""
    return _past_runs(_moment())


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


@st.cache_resource(max_entries=256, show_spinner=False)
def _profile(moment: _Moment, run_id: str) -> EvidenceProfile:
    return read_profile(_at(moment).runs_dir / run_id)


@st.cache_resource(max_entries=8, show_spinner="Reading the rows")
def _rows(moment: _Moment, dataset: str) -> pd.DataFrame:
    return _at(moment).browse(dataset)


@st.cache_resource(max_entries=8, show_spinner="Reading the rows")
def _gallery_rows(moment: _Moment, dataset: str) -> GalleryRows:
    return _as_gallery(_rows(moment, dataset))


@st.cache_resource(max_entries=16, show_spinner=False)
def _matching_rows(moment: _Moment, dataset: str, chosen: RowFilter) -> GalleryRows:
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
def _facts(moment: _Moment, dataset: str) -> DatasetFacts:
    return dataset_facts(_rows(moment, dataset))


@st.cache_resource(max_entries=16, show_spinner=False)
def _card(moment: _Moment, dataset: str) -> DatasetCard:
    return _at(moment).card(dataset)


@st.cache_resource(max_entries=8, show_spinner=False)
def _report(moment: _Moment, dataset: str) -> ImportReport:
    return _at(moment).report(dataset)


@st.cache_resource(max_entries=64, show_spinner=False)
def _covers(moment: _Moment, dataset: str, n: int) -> tuple[int, ...]:
    return cover_rows(_rows(moment, dataset), n)


def _source_key(spec: ImportSpec) -> str:
    # What is decided after the reading does not change it.
    read = dataclasses.replace(spec, name="", role=None, replace=False)
    return json.dumps(read.to_json(), sort_keys=True)


# For minutes only, since nobody tells when files of a source change.
@st.cache_resource(max_entries=4, ttl=600, show_spinner="Reading the source")
def _preview(source: str) -> Preview:
    spec = ImportSpec.from_json(json.loads(source))
    try:
        return make_preview(spec.read(), spec.unknown_identities)
    except OSError as error:
        raise InputError(f"{spec.source} cannot be read: {error}") from error


@st.cache_resource(max_entries=8, ttl=600, show_spinner=False)
def _source_columns(source: str) -> list[str]:
    spec = ImportSpec.from_json(json.loads(source))
    if spec.wildlife:
        return []
    try:
        return columns_of_source(Path(spec.source), table=spec.table, kind=spec.kind)
    except InputError:
        return []


@st.cache_resource(max_entries=4, show_spinner="Reading the runs")
def _profiles(moment: _Moment) -> tuple[tuple[EvidenceProfile, ...], tuple[str, ...]]:
    found, problems = [], []
    for record in _runs(moment):
        try:
            found.append(_profile(moment, record.run_id))
        except InputError as error:
            problems.append(str(error))
    return tuple(found), tuple(problems)


@st.cache_resource(max_entries=8, show_spinner="Reading the queries")
def _queries(moment: _Moment, run_id: str, k: int) -> pd.DataFrame:
    return query_table(_at(moment).runs_dir / run_id, k)


@st.cache_resource(max_entries=8, show_spinner=False)
def _identities(moment: _Moment, run_id: str, k: int) -> pd.DataFrame:
    return identity_table(_queries(moment, run_id, k))


@st.cache_resource(max_entries=8, show_spinner="Comparing the runs")
def _comparison(moment: _Moment, first: str, second: str, k: int) -> Comparison:
    runs = _at(moment).runs_dir
    return compare_runs(runs / first, runs / second, k)


@st.cache_resource(max_entries=256, show_spinner=False)
def _drill_down(moment: _Moment, run_id: str, query: int) -> DrillDown:
    return drill_down_of(_at(moment).runs_dir / run_id, query)


@st.cache_resource(max_entries=256, show_spinner=False)
def _pair_facts(moment: _Moment, run_id: str, query: int, candidate: int) -> tuple[PairFact, ...]:
    return facts_of_pair(_at(moment).runs_dir / run_id, query, candidate)


@st.cache_resource(max_entries=32, show_spinner="Choosing the rows")
def _planned_audit(moment: _Moment, spec: AuditSpec) -> PlannedAudit:
    return plan_audit(_at(moment), spec)


@st.cache_resource(max_entries=32, show_spinner="Reading the weights")
def _encoder_known(moment: _Moment, name: str, stamp: str) -> KnownEncoder:
    # The stamp is there for the key alone: weights are put in place by hand, too.
    del stamp
    return known_encoder(name, _at(moment).checkpoints_dir, _past_runs(moment))


@st.cache_resource(max_entries=4, show_spinner=False)
def _past_runs(moment: _Moment) -> tuple[EvidenceProfile, ...]:
    found = []
    for run in _runs(moment):
        with contextlib.suppress(InputError):  # its own page says what is wrong with it
            found.append(_profile(moment, run.run_id))
    return tuple(found)
