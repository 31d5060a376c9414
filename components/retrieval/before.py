"""What audits will take, and the button that starts them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from cfr_core.audit.spec import AuditSpec
from cfr_core.encoders.status import EncoderStatus
from cfr_core.errors import CfrError, DeviceError
from cfr_core.jobs.audits import audit_job
from cfr_core.jobs.estimate import AuditCost, KnownEncoder, PlannedAudit
from cfr_core.jobs.machine import Machine
from cfr_core.types import DeviceChoice
from components import cached
from components.downloads import csv_button
from components.errors import plain
from components.quantities import bytes_words, duration_words
from components.retrieval.choices import Asked, ask_device
from server.machine import machine
from server.workspace import jobs, workspace

_UNKNOWN = "not known yet"


@dataclass(frozen=True)
class _Estimate:
    """An audit with what it will take, and whether it was run before."""

    spec: AuditSpec
    planned: PlannedAudit
    encoder: KnownEncoder
    cost: AuditCost
    state: str


def before_the_start(asked: Asked, encoders: Collection[EncoderStatus]) -> None:
    """Draw device, estimates and the start button.

    Args:
        asked: What a person asks for.
        encoders: Encoders of the registry.
    """
    st.subheader("Before the start")
    if not asked.specs:
        st.info("Choose at least one dataset, one encoder and one rank.")
        return
    found = _machine()
    if found is None:
        return
    device = _draw_device(found, asked)
    estimates = _estimates(asked.specs, found.resolved(device))
    _draw_weights(asked, encoders)
    if estimates:
        _draw_table(estimates)
        _draw_left_out(estimates)
    _draw_start(estimates, device, found)


def _machine() -> Machine | None:
    try:
        found = machine()
    except DeviceError as error:
        st.warning(plain(str(error)))
        return Machine("cpu", {})
    if found is None:
        st.fragment(_wait_for_machine, run_every=0.5)()
    return found


def _wait_for_machine() -> None:
    st.caption("Looking for a GPU")
    try:
        is_known = machine() is not None
    except DeviceError:
        is_known = True
    if is_known:
        st.rerun()


def _draw_device(found: Machine, asked: Asked) -> DeviceChoice:
    def label(device: str) -> str:
        if device == "auto":
            return f"What is fastest here: {found.name(found.auto)}"
        return found.name(device)

    left, right = st.columns(2, gap="large")
    with left:
        device = ask_device(list(found.names), label)
    with right:
        for other, fault in found.faults.items():
            st.caption(f"Not to be had: {found.name(other)}, as {plain(fault)}.")
    if found.resolved(device) == "cpu":
        _warn_of_cpu(found, device, asked)
    return device


def _warn_of_cpu(found: Machine, device: DeviceChoice, asked: Asked) -> None:
    """Say it loudly where a person had reason to expect a GPU."""
    slow = "This will run on the CPU, which takes many times longer."
    if device == "auto" and found.unused_gpu:
        st.warning(f"**{slow}** {plain(found.unused_gpu)}", icon=":material/warning:")
        return
    before = [
        run.dataset
        for run in cached.past_runs()
        if run.device in ("cuda", "mps") and run.encoder["name"] in asked.encoders
    ]
    if before:
        st.warning(
            f"**{slow}** The last run of {plain(before[0])} with this encoder used a GPU.",
            icon=":material/warning:",
        )


def _estimates(specs: Sequence[AuditSpec], device: str) -> list[_Estimate]:
    """What can be run; the reason is shown of what cannot."""
    states = dict.fromkeys((run.run_id for run in cached.runs()), "finished already")
    for job in jobs().jobs():
        if job.state.is_active and "run_id" in job.order.spec:
            states[job.order.spec["run_id"]] = f"{job.state.value} now"
    estimates = []
    for spec in specs:
        try:
            planned = cached.planned_audit(spec)
            encoder = cached.encoder_known(spec.encoder)
            cost = cached.cost_of(spec, device)
        except CfrError as error:
            name = plain(f"{spec.dataset} with {spec.encoder}")
            st.error(f"**{name} cannot be run:** {plain(str(error))}")
            continue
        estimates.append(_Estimate(spec, planned, encoder, cost, states.get(planned.run_id, "new")))
    return estimates


def _draw_weights(asked: Asked, encoders: Collection[EncoderStatus]) -> None:
    for encoder in encoders:
        if encoder.name in asked.encoders and not encoder.is_present:
            st.info(
                f"**The weights of {plain(encoder.name)} are not on this machine.** "
                f"They take {plain(encoder.needs)}.",
                icon=":material/download:",
            )


def _draw_table(estimates: Sequence[_Estimate]) -> None:
    table = pd.DataFrame([_line(estimate) for estimate in estimates])
    st.dataframe(
        table,
        hide_index=True,
        column_config={"Run": st.column_config.TextColumn(width=120)}
        | {
            name: st.column_config.NumberColumn(format="localized")
            for name in ("Rows used", "Left out", "Individuals", "Images", "Stored", "To embed")
        },
    )
    csv_button(table, "retrieval estimate", key="estimate as CSV")


def _line(estimate: _Estimate) -> dict[str, object]:
    planned, cost = estimate.planned, estimate.cost
    return {
        "Dataset": estimate.spec.dataset,
        "Encoder": estimate.spec.encoder,
        "Run": estimate.state,
        "Rows used": planned.n_used,
        "Left out": planned.n_rows - planned.n_used,
        "Individuals": planned.n_identities,
        "Images": cost.n_images,
        "Stored": cost.n_stored,
        "To embed": cost.n_missing,
        "Time, about": _UNKNOWN if cost.seconds is None else duration_words(cost.seconds),
        "Disk, about": _UNKNOWN if cost.disk_bytes is None else bytes_words(cost.disk_bytes),
        "Download": _download_words(estimate.encoder),
    }


def _download_words(encoder: KnownEncoder) -> str:
    if encoder.download_mb is None:
        return _UNKNOWN
    return bytes_words(encoder.download_mb * 10**6) if encoder.download_mb else "none"


def _draw_left_out(estimates: Sequence[_Estimate]) -> None:
    told = set()
    for estimate in estimates:
        planned, dataset = estimate.planned, estimate.spec.dataset
        if planned.left_out and dataset not in told:
            told.add(dataset)
            reasons = ", ".join(f"{n:,} {reason}" for reason, n in planned.left_out.items())
            st.caption(f"Left out of {plain(dataset)}: {plain(reasons)}.")
    sources = {estimate.cost.speed_source for estimate in estimates}
    st.caption(f"Each row is embedded in four views. Speed: {plain('; '.join(sorted(sources)))}.")


def _draw_start(estimates: Sequence[_Estimate], device: DeviceChoice, found: Machine) -> None:
    n = len(estimates)
    where = found.name(found.resolved(device))
    is_asked = st.button(
        f"Launch {n} {'audit' if n == 1 else 'audits'} on {where}",
        key="launch",
        type="primary",
        disabled=not estimates,
    )
    if is_asked:
        for estimate in estimates:
            jobs().submit(audit_job(workspace(), estimate.spec, device))
        # The jobs are in the sidebar, which is drawn before this.
        st.rerun()
