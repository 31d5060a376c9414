"""What the Evidence page shows: runs, k and filters, all kept in the address."""

import csv
import io
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import streamlit as st

from cfr_core.audit.kinds import MatchKind
from cfr_core.audit.profile import EvidenceProfile
from components import state
from components.errors import plain
from components.state import Parameter


def _listed(text: str) -> tuple[str, ...]:
    """Texts of one line of CSV, so that any text may be among them."""
    try:
        return tuple(next(csv.reader([text]), ()))
    except csv.Error:
        raise ValueError("names with commas between them") from None


def _line(values: Iterable[str]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(list(values))
    return stream.getvalue()


def _several(name: str, *, stays: bool = True) -> Parameter[tuple[str, ...]]:
    return Parameter(name, (), _listed, _line, stays)


def _yes(text: str) -> bool:
    if text != "yes":
        raise ValueError("yes, or left out")
    return True


def _switch(name: str) -> Parameter[bool]:
    return Parameter(name, False, _yes, lambda _: "yes")


DATASETS = _several("datasets")
ENCODERS = _several("encoders")
PROTOCOLS = _several("protocols")
ALSO = _several("also")
"""Runs chosen beside the one that is walked into."""

PUBLISHED = _switch("published")
JOINED = _switch("joined")
KINDS = _several("kinds", stays=False)
QUERY = Parameter[int | None]("query", None, state.ROW.read)
PAIR = Parameter[int | None]("pair", None, state.ROW.read)
WHOLE_PHOTO = _switch("photo")


@dataclass(frozen=True)
class Shown:
    """What the page is about.

    Attributes:
        profiles: Runs that pass the filters.
        encoders: All encoders of the workspace, in the order of their first run.
        k: Number of nearest photos looked at.
        run: The run that is walked into; it need not pass the filters.
        also: Further runs whose numbers are compared.
    """

    profiles: tuple[EvidenceProfile, ...]
    encoders: tuple[str, ...]
    k: int
    run: EvidenceProfile
    also: tuple[EvidenceProfile, ...]


def choose(profiles: tuple[EvidenceProfile, ...]) -> Shown:
    """Draw the filters and say what they leave.

    Args:
        profiles: All runs, the latest first, at least one.
    """
    by_id = {profile.run_id: profile for profile in profiles}
    ks = sorted({k for profile in profiles for k in profile.by_k})
    encoders = dict.fromkeys(profile.encoder["name"] for profile in reversed(profiles))
    filters = (
        ("Datasets", DATASETS, [profile.dataset for profile in profiles]),
        ("Encoders", ENCODERS, list(encoders)),
        ("Protocols", PROTOCOLS, [_protocol(profile) for profile in profiles]),
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = st.segmented_control(
            "Nearest photos (k)", ks, required=True, **state.bound(state.K, among=ks)
        )
        for label, parameter, names in filters:
            _choose_some(label, parameter, sorted(set(names)))
    run = by_id[state.get(state.RUN, among=tuple(by_id)) or profiles[0].run_id]
    also = some(ALSO, tuple(by_id))
    return Shown(
        profiles=tuple(profile for profile in profiles if _passes(profile)),
        encoders=tuple(encoders),
        k=k if k is not None else ks[0],
        run=run,
        also=tuple(by_id[run_id] for run_id in also if run_id != run.run_id),
    )


def some(parameter: Parameter[tuple[str, ...]], among: Collection[str]) -> tuple[str, ...]:
    """Those of several chosen values that exist; others are told in plain words and dropped."""
    chosen = state.get(parameter)
    known = tuple(value for value in chosen if value in among)
    if known != chosen:
        others = ", ".join(value for value in chosen if value not in among)
        st.warning(plain(f"The address says {parameter.name}={others}, which is not there."))
        state.put(parameter, known)
    return known


def choose_run(run_ids: tuple[str, ...]) -> None:
    """Walk into the first of these runs and compare the others with it."""
    state.put(state.RUN, run_ids[0])
    state.put(ALSO, run_ids[1:])
    choose_query(None)


def choose_query(row_id: int | None) -> None:
    """Open a query of the run, or none."""
    state.put(QUERY, row_id)
    state.put(PAIR, None)


def chosen_kinds() -> tuple[MatchKind, ...]:
    """Kinds of matches to list; none chosen means all."""
    return tuple(MatchKind(kind) for kind in some(KINDS, list(MatchKind)))


def _choose_some(label: str, parameter: Parameter[tuple[str, ...]], names: list[str]) -> None:
    some(parameter, names)
    st.multiselect(label, names, placeholder="All", **state.bound(parameter))


def _passes(profile: EvidenceProfile) -> bool:
    values = (
        (DATASETS, profile.dataset),
        (ENCODERS, profile.encoder["name"]),
        (PROTOCOLS, _protocol(profile)),
    )
    return all(not state.get(wanted) or value in state.get(wanted) for wanted, value in values)


def _protocol(profile: EvidenceProfile) -> str:
    return str(profile.protocol["words"])
