"""Audits as jobs: the real worker, the real encoder, a made dataset."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cfr_core.audit.spec import AuditSpec
from cfr_core.errors import InputError
from cfr_core.jobs.audits import audit_job
from cfr_core.jobs.queue import JobQueue
from cfr_core.jobs.records import Job, JobState
from cfr_core.workspace.files import read_json
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

N_PHOTOS = 100
N_IMAGES = 4 * (N_PHOTOS - 3)
LIMIT_S = 120


def wait_for(queue: JobQueue, job_id: str, is_so: Callable[[Job], bool]) -> Job:
    deadline = time.monotonic() + LIMIT_S
    while not is_so(job := queue.job(job_id)):
        assert time.monotonic() < deadline, (job, queue.log(job_id))
        time.sleep(0.02)
    return job


def test_a_cancelled_audit_goes_on_where_it_was(tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.add_dataset(made_dataset(tmp_path / "photos", n_photos=N_PHOTOS))
        queue = JobQueue(workspace)
        spec = AuditSpec("discs", "effnet-lite0", n_resamples=100)
        job_id = queue.submit(audit_job(workspace, spec))
        wait_for(
            queue,
            job_id,
            lambda job: (
                job.progress is not None
                and job.progress.stage == "Embedding"
                and job.progress.done > N_IMAGES // 4
            ),
        )
        queue.cancel(job_id)
        job = wait_for(queue, job_id, lambda job: not job.state.is_active)
        assert job.state is JobState.CANCELLED
        assert workspace.runs() == []
        n_done = job.progress.done if job.progress else 0
        assert N_IMAGES // 4 < n_done < N_IMAGES

        # The same question again is the same run, and what was computed is not computed again.
        again = queue.submit(audit_job(workspace, spec))
        job = wait_for(queue, again, lambda job: not job.state.is_active)
        assert job.state is JobState.FINISHED, queue.log(again)
        assert [record.run_id for record in workspace.runs()] == [job.order.spec["run_id"]]
        profile = read_json(workspace.runs_dir / job.order.spec["run_id"] / "profile.json")
        assert profile["timing"]["n_embedded"] <= N_IMAGES - n_done + 8
        assert job.end is not None
        assert job.end.reason.startswith(f"CFR {profile['by_k']['1']['cfr']:.2f}, SSI ")
        queue.close()


def test_what_cannot_be_audited_is_refused_before_it_is_queued(tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.add_dataset(made_dataset(tmp_path / "photos"))
        for spec in (
            AuditSpec("disks", "effnet-lite0"),
            AuditSpec("discs", "effnet-lite0", exclude=("weather",)),
        ):
            with pytest.raises(InputError):
                audit_job(workspace, spec)
