"""The live audit: what the masks that were just edited change in the numbers of the dataset."""

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from cfr_core.audit.live_update import LiveUpdate, RowRanks
from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.audit.staleness import Staleness
from cfr_core.audit.words import VIEW_WORDS, interval_words
from cfr_core.types import View
from components import cached, state
from components.errors import plain
from components.quantities import count_words
from components.state import Parameter
from server.live_updates import UpdateState
from server.workspace import live_updates

_FOLLOWS_S = 0.5


def _yes(text: str) -> bool:
    if text != "yes":
        raise ValueError("yes, or left out")
    return True


_IS_OPEN = Parameter[bool]("live", False, _yes, lambda _: "yes")


def live_audit(dataset: str, row_id: int | None) -> None:
    """Draw the runs of a dataset, the way to bring them to the masks of now, and what that changed.

    Args:
        dataset: Name in the workspace.
        row_id: The photo whose ranks are shown; None for none.
    """
    panel = st.expander(
        "Live audit: what these masks change",
        icon=":material/query_stats:",
        **state.bound(_IS_OPEN),
    )
    # With 20,000 rows it takes seconds to see what an edit has left behind.
    if panel.open:
        with panel:
            _panel(dataset, row_id)


def _panel(dataset: str, row_id: int | None) -> None:
    runs = {run.run_id: run for run in cached.past_runs() if run.dataset == dataset}
    if not runs:
        st.caption("No audit of this dataset has finished yet, so there is nothing to follow.")
        state.page_link("retrieval.py", "Launch an audit", {})
        return
    stale = {each.run_id: each for each in cached.stale_runs(dataset)}
    is_active = any(live_updates().state(run_id).is_active for run_id in runs)
    if len(stale) > 1 and not is_active:
        _update_button(f"Update all {len(stale)} audits", list(stale))
    if not stale:
        n = "The audit is" if len(runs) == 1 else f"All {len(runs):,} audits are"
        st.caption(f"{n} of the masks of now.")
    draw = st.fragment(_runs, run_every=_FOLLOWS_S if is_active else None)
    draw(runs, stale, row_id)


def _runs(
    runs: Mapping[str, EvidenceProfile], stale: Mapping[str, Staleness], row_id: int | None
) -> None:
    states = {run_id: live_updates().state(run_id) for run_id in runs}
    notes = state.notes(__name__)
    active = {run_id for run_id, each in states.items() if each.is_active}
    if notes.get("active", set()) != active:
        # The whole page shows other numbers now, or has to follow what has begun.
        notes["active"] = active
        st.rerun()
    for run_id in sorted(runs, key=lambda run_id: run_id not in stale):
        if run_id in stale or states[run_id] != UpdateState(is_active=False):
            _run(runs[run_id], stale.get(run_id), states[run_id], row_id)
    if row_id is not None and not any(each.update for each in states.values()):
        _ranks_now(runs, row_id)


def _run(
    run: EvidenceProfile, stale: Staleness | None, update: UpdateState, row_id: int | None
) -> None:
    with st.container(border=True, gap="small"):
        st.markdown(f"**{plain(run.encoder['name'])}** · {plain(run.protocol['words'])}")
        if update.is_active:
            _progress(update)
        elif stale is not None:
            st.markdown(f":material/sync_problem: Since this audit: {stale.words}.")
            _update_button("Update", [run.run_id])
        if update.problem:
            st.error(plain(update.problem))
        if update.update is not None:
            _changes(update.update)
            if row_id is not None:
                _ranks(update.update.ranks.get(row_id), run, row_id)


def _update_button(label: str, run_ids: list[str]) -> None:
    st.button(
        label,
        key=f"update {' '.join(run_ids)}",
        icon=":material/sync:",
        type="primary",
        help="Embeds the edited photos alone and repairs the ranks: the same numbers as the whole "
        "audit run again.",
        on_click=live_updates().start,
        args=(run_ids,),
    )


def _progress(update: UpdateState) -> None:
    progress = update.progress
    if progress is None:
        st.progress(0.0, "Loading the encoder and the run; later updates are quicker")
        return
    share = progress.done / progress.total if progress.total else 0.0
    words = count_words(progress.done, progress.total, progress.unit)
    st.progress(min(1.0, share), f"{plain(progress.stage)}: {words}")


def _changes(update: LiveUpdate) -> None:
    """CFR and SSI before and after, side by side."""
    k = min(update.after.by_k)
    before, after = update.before.by_k.get(k), update.after.by_k[k]
    st.caption(f"Last update: {update.stale.words or 'nothing had changed'}.")
    for column, (name, label) in zip(st.columns(2), (("cfr", "CFR"), ("ssi", "SSI")), strict=True):
        with column:
            st.markdown(f"**{label} at {k}: {_value(before, name)} → {_value(after, name)}**")
            st.caption(_reason(after, name))


def _value(rates: RatesAtK | None, name: str) -> str:
    value = math.nan if rates is None else getattr(rates, name)
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def _reason(rates: RatesAtK, name: str) -> str:
    return plain(rates.undefined.get(name) or f"Now: {interval_words(rates.intervals[name])}.")


def _ranks(changed: RowRanks | None, run: EvidenceProfile, row_id: int) -> None:
    now = changed.after if changed else _stored_ranks(run, row_id)
    before = changed.before if changed else now
    st.caption("This photo: place of the first photo of the same individual in each view.")
    st.dataframe(
        pd.DataFrame(
            {
                "View": VIEW_WORDS[view].capitalize(),
                "Before": _rank(before, view),
                "Now": _rank(now, view),
            }
            for view in View
        ),
        hide_index=True,
        key=f"ranks of {row_id} in {run.run_id}",
        alt="Rank of the first right photo in each view, before and now",
    )


def _ranks_now(runs: Mapping[str, EvidenceProfile], row_id: int) -> None:
    """What every run says of a photo, where no update has said it yet."""
    found = {run_id: _stored_ranks(run, row_id) for run_id, run in runs.items()}
    lines = [
        {"Encoder": runs[run_id].encoder["name"]}
        | {VIEW_WORDS[view].capitalize(): _rank(ranks, view) for view in View}
        for run_id, ranks in found.items()
        if ranks is not None
    ]
    if not lines:
        st.caption("This photo is no query of any of these audits.")
        return
    st.caption("This photo: place of the first photo of the same individual in each view.")
    st.dataframe(
        pd.DataFrame(lines),
        hide_index=True,
        key=f"ranks of {row_id}",
        alt="Rank of the first right photo in each view, by audit",
    )


def _stored_ranks(run: EvidenceProfile, row_id: int) -> Mapping[View, int] | None:
    queries = cached.queries(run.run_id, min(run.by_k))
    of_row = queries[queries["row_id"] == row_id]
    if of_row.empty:
        return None
    return {view: int(of_row[f"{view.value}_rank"].iloc[0]) for view in View}


def _rank(ranks: Mapping[View, int] | None, view: View) -> str:
    if ranks is None:
        return "no query"
    return f"{ranks[view]:,}" if ranks[view] else "none there"
