"""The finished audits with their numbers."""

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.types import View
from components import cached, state
from components.downloads import csv_button
from components.quantities import duration_words, rate_words

_VIEWS = {
    View.FULL: "Full image",
    View.FOREGROUND: "Animal alone",
    View.SHORTCUT: "Surroundings alone",
    View.SILHOUETTE: "Outline alone",
}
_DEVICES = {"cuda": "GPU", "mps": "Apple GPU", "cpu": "CPU"}


def finished_audits() -> None:
    """Draw the finished audits of the workspace, the latest first."""
    runs = cached.past_runs()
    st.subheader("Finished audits")
    if not runs:
        st.caption("None yet. What is launched above appears here when it is done.")
        return
    ks = sorted({k for run in runs for k in run.by_k})
    k = st.segmented_control(
        "Nearest photos (k)", ks, required=True, **state.bound(state.K, among=ks)
    )
    shown = [run for run in runs if k in run.by_k]
    table = pd.DataFrame([_line(run, run.by_k[k]) for run in shown])
    event = st.dataframe(
        table,
        hide_index=True,
        # Another list is another table: a line that was chosen never comes to mean another run.
        key=f"finished audits, {len(runs)} until {runs[0].finished_at}, k = {k}",
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            name: st.column_config.NumberColumn(format="localized")
            for name in ("Queries", "Individuals", "New vectors")
        },
        alt="Finished audits with their numbers",
    )
    if event.selection.rows:
        run_id = shown[event.selection.rows[0]].run_id
        state.open_page("evidence.py", {state.RUN: run_id, state.K: k})
    st.caption(
        f"Tick a line to see its evidence. Numbers are the share of queries with a right match at "
        f"rank {k} or better, and CFR and SSI, with 95 % intervals (bootstrap over "
        "individuals)."
    )
    csv_button(_numbers(shown, k), f"audits at k {k}", key="audits as CSV")


def _line(run: EvidenceProfile, rates: RatesAtK) -> dict[str, object]:
    return {
        "Dataset": run.dataset,
        "Encoder": run.encoder["name"],
        "CFR": _with_interval(rates, "cfr", rates.cfr),
        "SSI": _with_interval(rates, "ssi", rates.ssi),
        "Region": str(rates.region),
        **{
            words: _with_interval(rates, view.value, rates.retrieval[view])
            for view, words in _VIEWS.items()
        },
        "Chance": _with_interval(rates, "random", rates.random),
        "Queries": run.n_queries,
        "Individuals": run.n_identities,
        "Protocol": run.protocol["words"],
        "Computed on": f"{_DEVICES.get(run.device, run.device)}, {run.engine}",
        "New vectors": run.n_embedded,
        "Speed": rate_words(run.images_per_s, "images") if run.n_embedded else "all were stored",
        "Took": duration_words(sum(run.seconds.values())),
        "Finished (UTC)": run.finished_at[:16].replace("T", " "),
    }


def _with_interval(rates: RatesAtK, name: str, value: float) -> str:
    if name in rates.undefined:
        return f"undefined: {rates.undefined[name]}"
    low, high = rates.intervals[name]
    if math.isnan(low):
        return f"{value:.3f} (no interval)"
    return f"{value:.3f} ({low:.3f} to {high:.3f})"


def _numbers(runs: Sequence[EvidenceProfile], k: int) -> pd.DataFrame:
    """The table as numbers, for a file."""
    lines = []
    for run in runs:
        rates = run.by_k[k].to_json()
        line = {
            "run": run.run_id,
            "dataset": run.dataset,
            "encoder": run.encoder["name"],
            "protocol": run.protocol["words"],
            "silhouette_role": run.silhouette_role.value,
            "k": k,
            "n_queries": run.n_queries,
            "n_identities": run.n_identities,
            "region": rates["region"],
        }
        values = rates | {f"balanced_{view}": rate for view, rate in rates["balanced"].items()}
        for name, interval in rates["intervals"].items():
            line |= {name: values[name], f"{name}_low": interval[0], f"{name}_high": interval[1]}
        lines.append(line | {"device": run.device, "finished_at": run.finished_at})
    return pd.DataFrame(lines)
