"""The queue of jobs of a workspace: one at a time, run by a thread of the app.

All state is in the jobs' folders. A thread of the process that has the workspace open starts
workers, ends those that are to be cancelled, and stores what is done; whoever opens the workspace
next finds the jobs as they are, and goes on with a worker that still runs.
"""

import dataclasses
import logging
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from itertools import islice, takewhile
from pathlib import Path

from cfr_core.errors import CfrError, InputError
from cfr_core.jobs.folder import JobFolder, new_job_id, now
from cfr_core.jobs.kind import Kind
from cfr_core.jobs.kinds import KINDS
from cfr_core.jobs.process import WORKER, kill, start_worker
from cfr_core.jobs.records import Job, JobOrder, JobState, NewJob
from cfr_core.jobs.worker import in_words
from cfr_core.workspace.store import Workspace

_LOG = logging.getLogger(__name__)

_LOOKS_EVERY_S = 0.3
_PATIENCE_S = 5.0
"""How long a worker may take to stop by itself before it is ended."""
_ENDED_KEPT = 50
_AT_ONCE = 16
"""Jobs that one process is given, since a command has a greatest length."""


class JobQueue:
    """Jobs of a workspace; threads may share it.

    A job that is cancelled, fails or is killed keeps its folder, and `resume` queues it again;
    an audit then goes on where it was, since its vectors are stored as they come.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        kinds: Mapping[str, Kind] = KINDS,
        command: Sequence[str] = WORKER,
    ) -> None:
        """Look after the jobs of a workspace that stays open until `close`.

        Args:
            workspace: Open workspace.
            kinds: What jobs can do.
            command: Starts a worker; the folders of its jobs are added.
        """
        self._workspace = workspace
        self._kinds = kinds
        self._command = tuple(command)
        self._changing = threading.Lock()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._wake = threading.Event()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
        self._thread.start()

    @property
    def folder(self) -> Path:
        """One folder a job."""
        return self._workspace.root / "jobs"

    def submit(self, new: NewJob) -> str:
        """Queue work.

        Returns:
            Id of the job: a new one, or that of a job with the same key that is queued or runs.
            An ended job with that key is taken from the list.
        """
        with self._changing:
            for job in self.jobs():
                if job.order.key == new.key:
                    if job.state.is_active:
                        return job.job_id
                    shutil.rmtree(self.folder / job.job_id, ignore_errors=True)
            job_id = new_job_id()
            order = JobOrder(**vars(new), created_at=now(), queued_at=time.time())
            JobFolder(self.folder / job_id).write_order(order)
        self._wake.set()
        return job_id

    def jobs(self) -> list[Job]:
        """All jobs in the order in which they were queued."""
        found = []
        for path in self.folder.glob("*/job.json"):
            try:
                found.append(self._read(path.parent))
            except FileNotFoundError:
                continue  # it was removed in this moment
            except (OSError, ValueError, TypeError) as error:
                _LOG.warning("job %s is left out, its folder is damaged: %s", path.parent, error)
        return sorted(found, key=lambda job: (job.order.queued_at, job.job_id))

    def job(self, job_id: str) -> Job:
        """One job.

        Raises:
            InputError: if there is none of this id.
        """
        found = next((job for job in self.jobs() if job.job_id == job_id), None)
        if found is None:
            raise InputError(f"there is no job {job_id!r} in {self.folder}")
        return found

    def log(self, job_id: str) -> str:
        """What the job's process printed, the last part of it if it is long."""
        return self._folder_of(job_id).log()

    def take_untold(self) -> frozenset[str]:
        """Ids of the ended jobs that nobody was told of; from now on they are told."""
        ended = (job for job in self.jobs() if not job.state.is_active)
        return frozenset(
            job.job_id for job in ended if JobFolder(self.folder / job.job_id).take_untold()
        )

    def cancel(self, job_id: str) -> None:
        """Stop a job that waits or runs; nothing happens if it has ended."""
        with self._changing:
            if self.job(job_id).state.is_active:
                self._folder_of(job_id).ask_to_cancel()
        self._wake.set()

    def resume(self, job_id: str) -> None:
        """Queue a job again that ended before it was done; nothing happens to others."""
        with self._changing:
            job = self.job(job_id)
            if job.state.can_resume:
                order = dataclasses.replace(job.order, queued_at=time.time())
                self._folder_of(job_id).write_order(order)
        self._wake.set()

    def remove(self, job_id: str) -> None:
        """Take an ended job from the list, with its log; what it has stored stays."""
        with self._changing:
            if not self.job(job_id).state.is_active:
                shutil.rmtree(self._folder_of(job_id).path, ignore_errors=True)

    def close(self) -> None:
        """Stop looking after the jobs; a worker that runs goes on, and is found again."""
        self._is_closing = True
        self._wake.set()
        self._thread.join()
        for process in self._processes.values():
            # Python warns of a process that outlives its object; these are meant to.
            process.returncode = process.poll() or 0

    def _folder_of(self, job_id: str) -> JobFolder:
        return JobFolder(self.folder / self.job(job_id).job_id)

    def _read(self, path: Path) -> Job:
        def is_known_to_live() -> bool:
            process = self._processes.get(path.name)
            return process is not None and process.poll() is None

        return JobFolder(path).read(is_known_to_live)

    def _run(self) -> None:
        while not self._is_closing:
            self._wake.clear()
            is_busy = True
            try:
                is_busy = self._step()
            except Exception:  # noqa: BLE001 - whatever it is, the other jobs and the app go on
                _LOG.exception("the queue of jobs stumbled")
            self._wake.wait(_LOOKS_EVERY_S if is_busy else None)

    def _step(self) -> bool:
        """Do what the state of the jobs asks for; True if there is something to wait for."""
        with self._changing:
            self._processes = {i: p for i, p in self._processes.items() if p.poll() is None}
            for job in self.jobs():
                if job.state is JobState.CANCELLING:
                    self._go_on_cancelling(job)
            jobs = self.jobs()
            waiting = [job for job in jobs if job.state is JobState.QUEUED]
            # A process that lives without a job is between two of those that it was given.
            if waiting and not self._processes and not any(job.is_alive for job in jobs):
                self._start(waiting)
            self._forget_oldest(jobs)
        for job in jobs:
            if job.state is JobState.STORING and not job.is_alive:
                self._store(job)
        return any(job.state.is_active for job in jobs)

    def _start(self, waiting: Sequence[Job]) -> None:
        """Start a process for the first job, and for those of its kind that follow at once.

        An audit takes seconds to import PyTorch, and one process does it once for all of them.
        """
        first = waiting[0]
        of_kind = takewhile(lambda job: job.order.kind == first.order.kind, waiting)
        folders = [JobFolder(self.folder / job.job_id) for job in islice(of_kind, _AT_ONCE)]
        try:
            process = start_worker(folders, self._command)
            # Known before its pid is: whoever finds a pid and no process says "stopped".
            self._processes[first.job_id] = process
            folders[0].write_pid(process.pid)
        except OSError as error:
            folders[0].write_end(JobState.FAILED, in_words(error), {})

    def _go_on_cancelling(self, job: Job) -> None:
        folder = self._folder_of(job.job_id)
        pid, asked_at = folder.pid, folder.cancel_asked_at
        if not job.is_alive:
            folder.write_end(JobState.CANCELLED, "Cancelled.", {})
        elif pid is not None and asked_at is not None and time.time() - asked_at > _PATIENCE_S:
            kill(pid)

    def _store(self, job: Job) -> None:
        """Take the result of a job whose process has said its last word."""
        folder, outcome = self._folder_of(job.job_id), job.outcome
        if outcome is None or outcome.state is not JobState.FINISHED:
            state = outcome.state if outcome else JobState.FAILED
            folder.write_end(state, outcome.reason if outcome else "", {})
            return
        try:
            stored = self._kinds[job.order.kind].store(self._workspace, folder, job.order)
        except CfrError as error:
            folder.write_end(JobState.FAILED, str(error), {})
        except Exception as error:  # noqa: BLE001 - the job ends, the app goes on
            _LOG.exception("the result of job %s cannot be stored", job.job_id)
            folder.write_end(JobState.FAILED, in_words(error), {})
        else:
            for new in stored.then:
                self.submit(new)
            folder.write_end(JobState.FINISHED, stored.words, dict(stored.detail))

    def _forget_oldest(self, jobs: Sequence[Job]) -> None:
        ended = [job for job in jobs if not job.state.is_active]
        for job in ended[: max(0, len(ended) - _ENDED_KEPT)]:
            shutil.rmtree(self.folder / job.job_id, ignore_errors=True)
