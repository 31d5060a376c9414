"""Runs whose numbers are of masks that have changed since."""

from dataclasses import dataclass

from cfr_core.audit.job import AuditJob, plan_in
from cfr_core.audit.next_state import finish_state
from cfr_core.audit.spec import AuditSpec
from cfr_core.audit.stored import read_job, read_spec
from cfr_core.errors import InputError
from cfr_core.types import Mask
from cfr_core.workspace.store import Workspace


@dataclass(frozen=True)
class Staleness:
    """How the rows of a run differ from those that it would have now.

    Attributes:
        run_id: The run.
        changed: Rows whose mask has other pixels now.
        come: Rows that it would have now, such as those whose mask was accepted since.
        gone: Rows that it would no longer have, such as those whose mask was rejected since.
    """

    run_id: str
    changed: tuple[int, ...] = ()
    come: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()

    @property
    def row_ids(self) -> tuple[int, ...]:
        """All rows that differ."""
        return self.changed + self.come + self.gone

    @property
    def is_stale(self) -> bool:
        """True if any row differs."""
        return bool(self.row_ids)

    @property
    def words(self) -> str:
        """What changed since the run, for people; empty if nothing did."""
        parts = [
            _counted(len(self.changed), "mask was edited", "masks were edited"),
            _counted(len(self.come), "photo came in", "photos came in"),
            _counted(len(self.gone), "photo dropped out", "photos dropped out"),
        ]
        return ", ".join(part for part in parts if part)


def staleness(workspace: Workspace, run_id: str) -> Staleness:
    """How the rows of a finished run differ from those that it would have now.

    Args:
        workspace: Open workspace.
        run_id: A run of it.

    Raises:
        InputError: if the run's files are missing or damaged, its dataset is not there any more,
            or no row of it would be left.
    """
    folder = workspace.runs_dir / run_id
    finish_state(folder)
    return differences(read_job(folder), plan_in(folder, workspace, read_spec(folder)))


def stale_runs(workspace: Workspace, dataset: str) -> tuple[Staleness, ...]:
    """Runs of a dataset that the masks of now would change, the latest first.

    A run that cannot be compared is left out: its own page says what is wrong with it.

    Args:
        workspace: Open workspace.
        dataset: Name in the workspace.
    """
    found: list[Staleness] = []
    planned: dict[tuple[object, ...], AuditJob] = {}
    for run in workspace.runs():
        if run.dataset != dataset:
            continue
        folder = workspace.runs_dir / run.run_id
        try:
            finish_state(folder)
            spec = read_spec(folder)
            asked = _rows_asked(spec)
            # Runs by several encoders mostly ask for the same rows.
            planned[asked] = planned.get(asked) or plan_in(folder, workspace, spec)
            stale = differences(read_job(folder), planned[asked])
        except InputError:
            continue
        if stale.is_stale:
            found.append(stale)
    return tuple(found)


def differences(then: AuditJob, now: AuditJob) -> Staleness:
    """How the rows of a run differ from those of the same audit planned now.

    Args:
        then: The run.
        now: The same question, asked now.
    """
    masks = {mask.row_id: mask for mask in then.masks}
    planned = {mask.row_id: mask for mask in now.masks}
    return Staleness(
        run_id=then.run_id,
        changed=tuple(
            row_id
            for row_id, mask in planned.items()
            if row_id in masks and not same_pixels(masks[row_id], mask)
        ),
        come=tuple(row_id for row_id in planned if row_id not in masks),
        gone=tuple(row_id for row_id in masks if row_id not in planned),
    )


def same_pixels(one: Mask | None, other: Mask) -> bool:
    """True if both masks are there and show the same.

    Args:
        one: A mask or None.
        other: A mask.
    """
    return one is not None and (one.size_hw, one.counts) == (other.size_hw, other.counts)


def _rows_asked(spec: AuditSpec) -> tuple[object, ...]:
    return spec.where, spec.split


def _counted(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}" if n else ""
