"""Audits from the command line: prepare, run with bars, register."""

from collections.abc import Iterator
from pathlib import Path

from cfr_core.audit.demo import add_demo
from cfr_core.audit.job import prepare
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.run import register, run_audit
from cfr_core.audit.spec import AuditSpec
from cfr_core.cli.progress import Bars
from cfr_core.types import DeviceChoice
from cfr_core.workspace.store import Workspace

DEMO_ENCODER = "effnet-lite0"


def audit_in_workspace(
    root: Path, spec: AuditSpec, *, device: DeviceChoice = "auto", batch_size: int | None = None
) -> EvidenceProfile:
    """One audit; the database is let go while it runs, so that other commands work."""
    with Workspace(root) as workspace:
        job = prepare(workspace, spec)
    with Bars() as bars:
        profile = run_audit(job.folder, device=device, batch_size=batch_size, on_progress=bars)
    with Workspace(root) as workspace:
        register(workspace, profile)
    return profile


def audit_demo(root: Path) -> list[EvidenceProfile]:
    """Add the demo datasets that are missing and audit all of them."""
    with Workspace(root) as workspace, Bars() as bars:
        names = add_demo(workspace, on_progress=bars)
    return [audit_in_workspace(root, AuditSpec(name, DEMO_ENCODER)) for name in names]


def overview_lines(profiles: list[EvidenceProfile], k: int = 1) -> Iterator[str]:
    """A line a profile: where it lies in the CFR-SSI plane."""
    yield f"  {'dataset':<18} {'CFR@' + str(k):>6} {'SSI@' + str(k):>6}  region"
    for profile in profiles:
        rates = profile.by_k[k]
        yield f"  {profile.dataset:<18} {rates.cfr:6.3f} {rates.ssi:6.3f}  {rates.region.value}"
