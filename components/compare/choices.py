"""Which two runs are compared, kept in the address."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from cfr_core.audit.profile import EvidenceProfile
from components import state
from components.errors import plain
from components.state import Parameter

FIRST = Parameter[str | None]("first", None, str)
SECOND = Parameter[str | None]("second", None, str)


_SHORTER = {": every photo queries all others": "", "; not those of the same ": ", not the same "}
"""Words of a protocol -> what is enough in a list."""


@dataclass(frozen=True)
class Chosen:
    """What the page is about.

    Attributes:
        first: A run.
        second: Another run of the same dataset.
        k: Number of nearest photos looked at; both runs were asked at it.
    """

    first: EvidenceProfile
    second: EvidenceProfile
    k: int


def comparable(profiles: Sequence[EvidenceProfile]) -> tuple[EvidenceProfile, ...]:
    """Runs whose dataset has another run at a common k, in their order."""
    n_runs = Counter(profile.dataset for profile in profiles)
    several = [profile for profile in profiles if n_runs[profile.dataset] > 1]
    return tuple(profile for profile in several if _partners(profile, several))


def choose(profiles: Sequence[EvidenceProfile]) -> Chosen:
    """Draw the choices.

    Args:
        profiles: Runs as of `comparable`, at least two.
    """
    by_id = {profile.run_id: profile for profile in profiles}
    line = st.container(horizontal=True, vertical_alignment="bottom")
    chosen_elsewhere = state.get(state.RUN)
    ids = sorted(by_id, key=lambda run_id: run_id != chosen_elsewhere)
    with line:
        labels = _labels(profiles, with_dataset=True)
        first = by_id[_choose_run("First run", ids, labels, FIRST)]
    notes = state.notes("compare")
    if notes.setdefault("first", first.run_id) != first.run_id:
        # Another dataset, perhaps: the second run of before is no choice then, and no mistake.
        state.put(SECOND, None)
        notes["first"] = first.run_id
    partners = _labels(_partners(first, profiles))
    with line:
        second = by_id[_choose_run("Second run, of the same dataset", partners, partners, SECOND)]
    ks = _common_ks(first, second)
    with line:
        k = st.segmented_control(
            "Nearest photos (k)", ks, required=True, **state.bound(state.K, among=ks)
        )
    # Long names are cut off in a list, and what differs may be at their end.
    st.caption(plain(f"First: {_in_full(first)}. Second: {_in_full(second)}."))
    return Chosen(first, second, k if k is not None else ks[0])


def _in_full(run: EvidenceProfile) -> str:
    return f"{run.encoder['name']}, {run.protocol['words']}"


def _labels(runs: Sequence[EvidenceProfile], *, with_dataset: bool = False) -> dict[str, str]:
    """Runs in a few words; their time too, where others would have the same words."""
    words = {run.run_id: _words(run, with_dataset=with_dataset) for run in runs}
    n_alike = Counter(words.values())
    return {
        run.run_id: f"{text} · {run.finished_at[:16].replace('T', ' ')}"
        if n_alike[text] > 1
        else text
        for run, text in zip(runs, words.values(), strict=True)
    }


def _words(run: EvidenceProfile, *, with_dataset: bool) -> str:
    protocol = run.protocol["words"]
    for long, short in _SHORTER.items():
        protocol = protocol.replace(long, short)
    dataset = [run.dataset] if with_dataset else []
    return " · ".join([*dataset, run.encoder["name"], protocol])


def _choose_run(
    label: str,
    ids: Iterable[str],
    labels: Mapping[str, str],
    parameter: Parameter[str | None],
) -> str:
    ids = list(ids)
    chosen: str = st.selectbox(
        label, ids, format_func=labels.__getitem__, **state.bound(parameter, among=ids)
    )
    return chosen


def _partners(
    run: EvidenceProfile, profiles: Sequence[EvidenceProfile]
) -> tuple[EvidenceProfile, ...]:
    return tuple(
        other
        for other in profiles
        if other.dataset == run.dataset and other.run_id != run.run_id and _common_ks(run, other)
    )


def _common_ks(one: EvidenceProfile, other: EvidenceProfile) -> list[int]:
    return sorted(set(one.by_k) & set(other.by_k))
