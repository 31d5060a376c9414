"""Jobs that are queued, run, cancelled, killed, resumed; and an app that dies meanwhile."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cfr_core.errors import InputError
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.queue import JobQueue
from cfr_core.jobs.records import Job, JobState, NewJob
from cfr_core.jobs.worker import main
from cfr_core.workspace.store import Workspace
from tests.cfr_core.jobs.quick_worker import COMMAND, QUICK, count

REPOSITORY = Path(__file__).parents[3]
LIMIT_S = 60


@pytest.fixture
def new_queue(tmp_path: Path) -> Iterator[Callable[[], JobQueue]]:
    """Open the workspace with its queue, as each start of the app does."""
    with ExitStack() as stack:

        def open_queue() -> JobQueue:
            workspace = stack.enter_context(Workspace(tmp_path / "workspace"))
            queue = JobQueue(workspace, kinds=QUICK, command=COMMAND)
            stack.callback(end_all, queue)
            return queue

        yield open_queue


def end_all(queue: JobQueue) -> None:
    for job in queue.jobs():
        queue.cancel(job.job_id)
        if job.is_alive:
            kill_worker(queue, job.job_id)
    queue.close()


@pytest.fixture
def queue(new_queue: Callable[[], JobQueue]) -> JobQueue:
    return new_queue()


def wait_for(queue: JobQueue, job_id: str, is_so: Callable[[Job], bool]) -> Job:
    deadline = time.monotonic() + LIMIT_S
    while not is_so(job := queue.job(job_id)):
        assert time.monotonic() < deadline, (job, queue.log(job_id))
        time.sleep(0.05)
    return job


def wait_for_state(queue: JobQueue, job_id: str, state: JobState) -> Job:
    return wait_for(queue, job_id, lambda job: job.state is state)


def wait_until_half(queue: JobQueue, job_id: str) -> Job:
    return wait_for(
        queue, job_id, lambda job: job.progress is not None and 2 * job.progress.done >= 10
    )


def kill_worker(queue: JobQueue, job_id: str) -> None:
    pid = JobFolder(queue.folder / job_id).pid
    assert pid is not None
    os.killpg(pid, signal.SIGKILL)


def test_a_job_runs_to_its_end(queue: JobQueue) -> None:
    job_id = queue.submit(count(3))
    job = wait_for_state(queue, job_id, JobState.FINISHED)
    assert job.end is not None
    assert job.end.reason == "3 made"
    assert job.end.detail == {"made": 3}
    assert job.progress is not None
    assert (job.progress.stage, job.progress.done, job.progress.total) == ("counting", 3, 3)
    assert "counting (process" in queue.log(job_id)


def test_one_runs_at_a_time_in_the_order_of_the_queue(queue: JobQueue) -> None:
    labels = ["first", "second", "third"]
    ids = [queue.submit(count(4, label=label, pause_s=0.05)) for label in labels]
    alive_at_once = []
    while any(job.state.is_active for job in queue.jobs()):
        alive_at_once.append(sum(job.is_alive for job in queue.jobs()))
        time.sleep(0.02)
    assert max(alive_at_once) == 1
    counted = queue.folder.parent / "counted"
    times = [max(f.stat().st_mtime for f in counted.glob(f"{label}-*")) for label in labels]
    assert times == sorted(times)
    assert [job.job_id for job in queue.jobs()] == ids


OF_ANOTHER_KIND = NewJob("taken", "first", "first", {"n": 10, "pause_s": 0.1})
"""Runs while the others are queued."""


def pids(queue: JobQueue, job_ids: list[str]) -> list[int | None]:
    return [JobFolder(queue.folder / job_id).pid for job_id in job_ids]


def test_jobs_of_a_kind_that_wait_are_done_by_one_process(queue: JobQueue) -> None:
    first = queue.submit(OF_ANOTHER_KIND)
    ids = [queue.submit(count(5, label=label, pause_s=0.1)) for label in ("a", "b", "c")]
    other = queue.submit(NewJob("refuse", "refuse", "refusing", {}))
    # Each is stored when it is done, not when the last one is.
    while queue.job(ids[-1]).state is JobState.QUEUED:
        time.sleep(0.02)
    assert queue.job(ids[0]).state is JobState.FINISHED
    wait_for_state(queue, other, JobState.FAILED)
    assert [queue.job(job_id).state for job_id in ids] == [JobState.FINISHED] * 3
    assert len(set(pids(queue, ids))) == 1
    assert len(set(pids(queue, [first, ids[0], other]))) == 3
    for job_id, label in zip(ids, "abc", strict=True):
        assert f"{label} (process" in queue.log(job_id)
        assert queue.log(job_id).count("(process") == 1


def test_what_a_process_was_given_can_be_cancelled_taken_away_and_killed(queue: JobQueue) -> None:
    queue.submit(OF_ANOTHER_KIND)
    running, cancelled, removed, after = (
        queue.submit(count(10, label=label, pause_s=0.2)) for label in ("a", "b", "c", "d")
    )
    wait_until_half(queue, running)
    for job_id in (cancelled, removed):
        queue.cancel(job_id)
        wait_for_state(queue, job_id, JobState.CANCELLED)
    queue.remove(removed)
    kill_worker(queue, running)
    wait_for_state(queue, running, JobState.STOPPED)
    wait_for_state(queue, after, JobState.FINISHED)  # by another process
    assert queue.job(cancelled).state is JobState.CANCELLED
    assert {path.name[0] for path in (queue.folder.parent / "counted").iterdir()} == set("fad")


def test_after_a_mistake_in_the_program_another_process_goes_on(queue: JobQueue) -> None:
    queue.submit(count(10, label="first", pause_s=0.1))
    ids = [queue.submit(NewJob("break", label, label, {})) for label in "ab"]
    for job_id in ids:
        wait_for_state(queue, job_id, JobState.FAILED)
    assert len(set(pids(queue, ids))) == 2


def test_a_job_that_begins_is_never_shown_as_stopped(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the pid and the lock that the process takes lie a tenth of a second and more."""
    write_pid = JobFolder.write_pid

    def write_and_wait(folder: JobFolder, pid: int) -> None:
        write_pid(folder, pid)
        time.sleep(0.3)

    monkeypatch.setattr(JobFolder, "write_pid", write_and_wait)
    job_id = queue.submit(count(1))
    states = [queue.job(job_id).state]
    while states[-1].is_active:
        states.append(queue.job(job_id).state)
    assert JobState.STOPPED not in states
    assert states[-1] is JobState.FINISHED


def test_the_same_work_is_queued_once(queue: JobQueue) -> None:
    first = queue.submit(count(10, pause_s=0.05))
    assert queue.submit(count(10, pause_s=0.05)) == first
    wait_for_state(queue, first, JobState.FINISHED)
    again = queue.submit(count(10))
    assert again != first
    assert [job.job_id for job in queue.jobs()] == [again]


def test_a_cancelled_job_goes_on_where_it_was(queue: JobQueue) -> None:
    job_id = queue.submit(count(10, pause_s=0.2))
    wait_until_half(queue, job_id)
    queue.cancel(job_id)
    job = wait_for_state(queue, job_id, JobState.CANCELLED)
    n_before = len(list((queue.folder.parent / "counted").iterdir()))
    assert 5 <= n_before < 10
    assert job.end is not None
    queue.resume(job_id)
    job = wait_for_state(queue, job_id, JobState.FINISHED)
    assert job.end is not None
    assert job.end.reason == f"{10 - n_before} made"
    assert "cancelled" in queue.log(job_id)  # the log of both tries


def test_a_waiting_job_is_cancelled_before_it_starts(queue: JobQueue) -> None:
    first = queue.submit(count(10, label="first", pause_s=0.1))
    second = queue.submit(count(1, label="second"))
    queue.cancel(second)
    wait_for_state(queue, second, JobState.CANCELLED)
    wait_for_state(queue, first, JobState.FINISHED)
    assert not list((queue.folder.parent / "counted").glob("second-*"))


def test_a_worker_that_does_not_listen_is_ended(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cfr_core.jobs.queue._PATIENCE_S", 0.5)
    job_id = queue.submit(NewJob("sulk", "sulk", "sulking", {}))
    wait_for(queue, job_id, lambda job: "sulking" in queue.log(job.job_id))
    queue.cancel(job_id)
    wait_for_state(queue, job_id, JobState.CANCELLED)
    assert not JobFolder(queue.folder / job_id).is_held()


def test_a_killed_worker_leaves_a_stopped_job_that_goes_on(queue: JobQueue) -> None:
    job_id = queue.submit(count(10, pause_s=0.2))
    wait_until_half(queue, job_id)
    kill_worker(queue, job_id)
    wait_for_state(queue, job_id, JobState.STOPPED)
    after = queue.submit(count(1, label="after"))  # a stopped one holds nobody up
    wait_for_state(queue, after, JobState.FINISHED)
    queue.resume(job_id)
    job = wait_for_state(queue, job_id, JobState.FINISHED)
    assert job.end is not None
    assert int(job.end.detail["made"]) <= 5


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("refuse", "no photo is there; name another folder"),
        ("break", "An error in the program (ZeroDivisionError: a mistake in the program)"),
        ("nothing", "An error in the program (KeyError: 'nothing')"),  # a kind of a newer version
        ("taken", "a dataset of this name is there"),  # done, but it cannot be stored
    ],
)
def test_a_failure_has_a_reason_in_words(queue: JobQueue, kind: str, reason: str) -> None:
    job_id = queue.submit(NewJob(kind, kind, kind, {"n": 1, "pause_s": 0}))
    job = wait_for_state(queue, job_id, JobState.FAILED)
    assert job.end is not None
    assert job.end.reason.startswith(reason)
    assert ("Traceback" in queue.log(job_id)) == reason.startswith("An error in the program")


def test_a_worker_that_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        queue = JobQueue(workspace, kinds=QUICK, command=(str(tmp_path / "no such program"),))
        job = wait_for_state(queue, queue.submit(count(1)), JobState.FAILED)
        queue.close()
    assert job.end is not None
    assert "no such program" in job.end.reason


def test_jobs_that_follow_are_queued(queue: JobQueue) -> None:
    queue.submit(NewJob("count", "a", "a", {"n": 1, "pause_s": 0, "then": "the follower"}))
    deadline = time.monotonic() + LIMIT_S
    while [job.state for job in queue.jobs()] != [JobState.FINISHED] * 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert queue.jobs()[1].order.label == "the follower"


def test_an_app_that_starts_again_finds_the_running_job(new_queue: Callable) -> None:
    queue = new_queue()
    job_id = queue.submit(count(10, pause_s=0.2))
    wait_until_half(queue, job_id)
    queue.close()
    queue._workspace.close()

    queue = new_queue()
    assert queue.job(job_id).state is JobState.RUNNING
    job = wait_for_state(queue, job_id, JobState.FINISHED)
    assert job.end is not None
    assert job.end.reason == "10 made"  # one process did all of it


APP = """
import sys, time
from pathlib import Path
from cfr_core.jobs.queue import JobQueue
from cfr_core.workspace.store import Workspace
from tests.cfr_core.jobs.quick_worker import COMMAND, QUICK, count
queue = JobQueue(Workspace(Path(sys.argv[1])), kinds=QUICK, command=COMMAND)
queue.submit(count(10, pause_s=float(sys.argv[2])))
queue.submit(count(2, label="next"))
time.sleep(600)
"""


@pytest.mark.parametrize(
    "pause_s",
    [
        0.2,  # the worker still runs when the app comes back
        0.05,  # the worker has left its result, and nobody took it
    ],
)
def test_a_killed_app_loses_no_job(tmp_path: Path, new_queue: Callable, pause_s: float) -> None:
    jobs = tmp_path / "workspace" / "jobs"
    with subprocess.Popen(
        [sys.executable, "-c", APP, str(tmp_path / "workspace"), str(pause_s)],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    ) as app:
        deadline = time.monotonic() + LIMIT_S
        while not list(jobs.glob("*/progress.json")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        app.kill()
    if pause_s == 0.05:
        while not list(jobs.glob("*/outcome.json")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    queue = new_queue()
    first, second = queue.jobs()
    assert first.state in (JobState.RUNNING, JobState.STORING)
    for job in (first, second):
        ended = wait_for_state(queue, job.job_id, JobState.FINISHED)
    assert queue.job(first.job_id).end.reason == "10 made"
    assert ended.end.reason == "2 made"


def test_two_workers_never_do_the_same_job(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cfr_core.jobs.folder._WAIT_FOR_LOCK_S", 0)
    job_id = queue.submit(count(10, pause_s=0.1))
    wait_until_half(queue, job_id)
    assert main([str(queue.folder / job_id)], QUICK) == 3
    job = wait_for_state(queue, job_id, JobState.FINISHED)
    assert job.end is not None
    assert job.end.reason == "10 made"


def test_ended_jobs_can_be_taken_from_the_list(queue: JobQueue) -> None:
    job_id = queue.submit(count(1))
    wait_for_state(queue, job_id, JobState.FINISHED)
    queue.remove(job_id)
    assert queue.jobs() == []
    with pytest.raises(InputError, match="there is no job"):
        queue.job(job_id)


def test_the_oldest_ended_jobs_are_forgotten(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cfr_core.jobs.queue._ENDED_KEPT", 1)
    ids = [queue.submit(count(1, label=label)) for label in "abc"]
    wait_for_state(queue, ids[-1], JobState.FINISHED)
    deadline = time.monotonic() + LIMIT_S
    # The queue forgets at its next look.
    while [job.job_id for job in queue.jobs()] != [ids[-1]]:
        assert time.monotonic() < deadline, queue.jobs()
        time.sleep(0.05)


def test_a_damaged_folder_hides_no_other_job(
    queue: JobQueue, caplog: pytest.LogCaptureFixture
) -> None:
    job_id = queue.submit(count(1))
    wait_for_state(queue, job_id, JobState.FINISHED)
    (queue.folder / "damaged").mkdir()
    (queue.folder / "damaged" / "job.json").write_text("{")
    assert [job.job_id for job in queue.jobs()] == [job_id]
    assert "its folder is damaged" in caplog.text
