"""Jobs that audit a dataset."""

from collections.abc import Mapping
from typing import Any

from cfr_core.audit.job import prepare
from cfr_core.audit.results import PROFILE_FILE
from cfr_core.audit.spec import AuditSpec
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.kind import Kind, Stored
from cfr_core.jobs.records import JobOrder, NewJob
from cfr_core.types import DeviceChoice, OnProgress
from cfr_core.workspace.files import read_json
from cfr_core.workspace.store import RunRecord, Workspace

KIND = "audit"


def audit_job(workspace: Workspace, spec: AuditSpec, device: DeviceChoice = "auto") -> NewJob:
    """An audit to be queued; its rows and masks are those of this moment.

    Args:
        workspace: Open workspace.
        spec: The audit.
        device: Where to compute.

    Raises:
        InputError: if the dataset, a column or a label is not there, or no row is left.
    """
    run_id = prepare(workspace, spec).run_id
    return NewJob(
        kind=KIND,
        key=f"{KIND} {run_id}",
        label=f"{spec.dataset} with {spec.encoder}",
        spec={"run_id": run_id, "device": device},
    )


def _work(folder: JobFolder, order: JobOrder, on_progress: OnProgress) -> dict[str, Any]:
    from cfr_core.audit.run import run_audit  # imports PyTorch, which the app does without

    run_id = order.spec["run_id"]
    run_audit(
        folder.workspace_root / "runs" / run_id,
        device=order.spec["device"],
        on_progress=on_progress,
    )
    return {"run_id": run_id}


def _store(workspace: Workspace, _: JobFolder, order: JobOrder) -> Stored:
    run_id = order.spec["run_id"]
    profile = read_json(workspace.runs_dir / run_id / PROFILE_FILE)
    workspace.register_run(
        RunRecord(run_id, profile["dataset"], profile["encoder"], profile["finished_at"])
    )
    return Stored(_in_words(profile["by_k"]), {"run_id": run_id})


def _in_words(by_k: Mapping[str, Mapping[str, Any]]) -> str:
    k, rates = next(iter(by_k.items()))
    numbers = (
        f"{name} {'undefined' if rates[key] is None else format(rates[key], '.2f')}"
        for name, key in (("CFR", "cfr"), ("SSI", "ssi"))
    )
    return f"{', '.join(numbers)} at k = {k}: {rates['region']}"


AUDIT = Kind(_work, _store)
