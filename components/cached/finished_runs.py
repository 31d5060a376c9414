"""Finished runs: profiles, queries, and what is behind a query."""

import contextlib
from pathlib import Path

import pandas as pd
import streamlit as st

from cfr_core.audit.comparison import Comparison, compare_runs
from cfr_core.audit.drilldown import DrillDown, facts_of_pair
from cfr_core.audit.drilldown import drill_down as drill_down_of
from cfr_core.audit.pairs import PairFact
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.queries import identity_table, query_table
from cfr_core.audit.stored import read_profile
from cfr_core.errors import InputError
from cfr_core.workspace.store import RunRecord
from components.cached.moment import Moment, at, now
from server.workspace import workspace


def runs() -> tuple[RunRecord, ...]:
    """Finished runs, the latest first."""
    return _runs(now())


def profile(run_id: str) -> EvidenceProfile:
    """What a run found.

    Raises:
        InputError: if its profile cannot be read.
    """
    return _profile(now(), run_id)


def profiles() -> tuple[tuple[EvidenceProfile, ...], tuple[str, ...]]:
    """Profiles of all runs, the latest first, and what is wrong with those that cannot be read."""
    return _profiles(now())


def run_folder(run_id: str) -> Path:
    """Folder of a run of this workspace."""
    return workspace().runs_dir / run_id


def queries(run_id: str, k: int) -> pd.DataFrame:
    """Queries of a run at one k, the most suspicious first, as `query_table`."""
    return _queries(now(), run_id, k)


def identities(run_id: str, k: int) -> pd.DataFrame:
    """What the queries of a run say of each individual, as `identity_table`."""
    return _identities(now(), run_id, k)


def comparison(first: str, second: str, k: int) -> Comparison:
    """Two runs of one dataset at one k.

    Raises:
        InputError: if they have no query in common, or cannot be read.
    """
    return _comparison(now(), first, second, k)


def drill_down(run_id: str, query: int) -> DrillDown:
    """What each view retrieved for a query of a run."""
    return _drill_down(now(), run_id, query)


def pair_facts(run_id: str, query: int, candidate: int) -> tuple[PairFact, ...]:
    """What is known of two rows of a run.

    Raises:
        UnknownRowError: if one of them is none of its rows.
    """
    return _pair_facts(now(), run_id, query, candidate)


def past_runs() -> tuple[EvidenceProfile, ...]:
    """Profiles of the finished runs that can be read, the latest first."""
    return _past_runs(now())


@st.cache_resource(max_entries=4, show_spinner=False)
def _runs(moment: Moment) -> tuple[RunRecord, ...]:
    return tuple(at(moment).runs())


@st.cache_resource(max_entries=256, show_spinner=False)
def _profile(moment: Moment, run_id: str) -> EvidenceProfile:
    return read_profile(at(moment).runs_dir / run_id)


@st.cache_resource(max_entries=4, show_spinner="Reading the runs")
def _profiles(moment: Moment) -> tuple[tuple[EvidenceProfile, ...], tuple[str, ...]]:
    found, problems = [], []
    for record in _runs(moment):
        try:
            found.append(_profile(moment, record.run_id))
        except InputError as error:
            problems.append(str(error))
    return tuple(found), tuple(problems)


@st.cache_resource(max_entries=8, show_spinner="Reading the queries")
def _queries(moment: Moment, run_id: str, k: int) -> pd.DataFrame:
    return query_table(at(moment).runs_dir / run_id, k)


@st.cache_resource(max_entries=8, show_spinner=False)
def _identities(moment: Moment, run_id: str, k: int) -> pd.DataFrame:
    return identity_table(_queries(moment, run_id, k))


@st.cache_resource(max_entries=8, show_spinner="Comparing the runs")
def _comparison(moment: Moment, first: str, second: str, k: int) -> Comparison:
    runs = at(moment).runs_dir
    return compare_runs(runs / first, runs / second, k)


@st.cache_resource(max_entries=256, show_spinner=False)
def _drill_down(moment: Moment, run_id: str, query: int) -> DrillDown:
    return drill_down_of(at(moment).runs_dir / run_id, query)


@st.cache_resource(max_entries=256, show_spinner=False)
def _pair_facts(moment: Moment, run_id: str, query: int, candidate: int) -> tuple[PairFact, ...]:
    return facts_of_pair(at(moment).runs_dir / run_id, query, candidate)


@st.cache_resource(max_entries=4, show_spinner=False)
def _past_runs(moment: Moment) -> tuple[EvidenceProfile, ...]:
    found = []
    for run in _runs(moment):
        with contextlib.suppress(InputError):  # its own page says what is wrong with it
            found.append(_profile(moment, run.run_id))
    return tuple(found)
