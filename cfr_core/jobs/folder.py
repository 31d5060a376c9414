"""The folder of a job: what the app and the worker tell each other, as files.

job.json says what is to be done; pid that a process was started, and which; lock is held by that
process as long as it lives, whatever becomes of it; progress.json is written while it works, and
outcome.json is its last word. cancel asks it to stop. end.json comes from the app, when the
workspace has taken the result; told is there once a person was told of the end. log.txt is what
the process printed.
"""

import json
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from cfr_core.jobs.records import (
    FoundFiles,
    Job,
    JobEnd,
    JobOrder,
    JobProgress,
    JobState,
    job_state,
)
from cfr_core.workspace.files import read_json, write_atomically, write_json

T = TypeVar("T")

_LOG_SHOWN_BYTES = 64 * 1024
_WAIT_FOR_LOCK_S = 10
"""Whoever looks whether a job lives holds its lock for a moment."""


@dataclass(frozen=True)
class JobFolder:
    """Reads and writes the files of one job.

    Attributes:
        path: `jobs/<job_id>` of a workspace.
    """

    path: Path

    @property
    def workspace_root(self) -> Path:
        """The workspace that the job belongs to."""
        return self.path.parents[1]

    @property
    def result_dir(self) -> Path:
        """Where the worker leaves what the workspace is to take."""
        return self.path / "result"

    @property
    def log_path(self) -> Path:
        """What the process printed."""
        return self.path / "log.txt"

    @property
    def pid(self) -> int | None:
        """Process that was started last, or None."""
        text = _read(self.path / "pid", lambda path: path.read_text(encoding="ascii"))
        return int(text) if text and text.strip().isdigit() else None

    @property
    def cancel_asked_at(self) -> float | None:
        """When somebody asked to cancel, in seconds since 1970, or None."""
        return _read(self.path / "cancel", lambda path: path.stat().st_mtime)

    @property
    def outcome(self) -> JobEnd | None:
        """The last word of the process since the job was queued last, or None."""
        return _read(self.path / "outcome.json", lambda path: JobEnd.from_json(read_json(path)))

    @property
    def is_waiting(self) -> bool:
        """True if nobody has begun the job, ended it, asked to cancel it, or taken it away."""
        files = ("pid", "cancel", "outcome.json", "end.json")
        is_there = (self.path / "job.json").exists()
        return is_there and not any((self.path / name).exists() for name in files)

    def order(self) -> JobOrder:
        """What is to be done.

        Raises:
            OSError, ValueError, TypeError: if job.json is absent or damaged.
        """
        return JobOrder.from_json(read_json(self.path / "job.json"))

    def write_order(self, order: JobOrder) -> None:
        """Queue the job, or queue it again: what is left of an earlier try goes first."""
        write_json(self.path / "job.json", order.to_json())
        shutil.rmtree(self.result_dir, ignore_errors=True)
        # The end goes last: until then the job is as it was.
        for name in ("told", "cancel", "pid", "progress.json", "outcome.json", "end.json"):
            (self.path / name).unlink(missing_ok=True)

    def write_pid(self, pid: int) -> None:
        """Say which process works on the job."""
        write_atomically(self.path / "pid", lambda path: path.write_text(str(pid), "ascii"))

    def ask_to_cancel(self) -> None:
        """Ask the process to stop; it also holds if there is none yet."""
        (self.path / "cancel").touch(exist_ok=True)

    def take_untold(self) -> bool:
        """True the first time that it is asked since the job was queued last."""
        try:
            (self.path / "told").touch(exist_ok=False)
        except OSError:
            return False
        return True

    def write_progress(self, progress: JobProgress) -> None:
        """Say how far the work is."""
        write_json(self.path / "progress.json", vars(progress))

    def write_outcome(self, state: JobState, reason: str, detail: dict[str, Any]) -> None:
        """The last word of the process."""
        end = JobEnd(state, reason, detail, now())
        write_json(self.path / "outcome.json", end.to_json())

    def write_end(self, state: JobState, reason: str, detail: dict[str, Any]) -> None:
        """The end of the job."""
        write_json(self.path / "end.json", JobEnd(state, reason, detail, now()).to_json())

    def held(self) -> FileLock:
        """The lock that a worker holds while it lives; a context manager.

        Entering raises `filelock.Timeout` if another process works on the job.
        """
        return FileLock(self.path / "lock", timeout=_WAIT_FOR_LOCK_S)

    def is_held(self) -> bool:
        """True while a process that works on the job lives."""
        if not (self.path / "lock").exists():
            return False
        try:
            with FileLock(self.path / "lock", timeout=0):
                return False
        except Timeout:
            return True

    def read(self, is_known_to_live: Callable[[], bool] = lambda: False) -> Job:
        """The job as its files show it now.

        Args:
            is_known_to_live: Whether the caller knows that the process lives, though it may not
                hold the lock yet. Asked once the pid is read, so that a process which was started
                in between is not taken for one that is gone.

        Raises:
            OSError, ValueError, TypeError: if job.json is absent or damaged.
        """
        order = self.order()
        end = _read(self.path / "end.json", lambda path: JobEnd.from_json(read_json(path)))
        has_started = self.pid is not None
        is_known = end is None and has_started and is_known_to_live()
        is_held = end is None and has_started and self.is_held()
        # Read after the lock: a process that is gone by then has said all that it had to say.
        outcome = self.outcome
        # After its last word on this job, a process may live on with the next one.
        is_alive = is_held or (is_known and outcome is None)
        found = FoundFiles(
            has_started=has_started,
            is_alive=is_alive,
            is_cancel_asked=self.cancel_asked_at is not None,
            outcome=outcome,
            end=end,
        )
        progress = _read(self.path / "progress.json", lambda path: JobProgress(**read_json(path)))
        return Job(self.path.name, order, job_state(found), is_alive, progress, outcome, end)

    def log(self) -> str:
        """What the process printed, the last part of it if it is long."""
        if not self.log_path.is_file():
            return ""
        with self.log_path.open("rb") as stream:
            stream.seek(max(0, self.log_path.stat().st_size - _LOG_SHOWN_BYTES))
            return stream.read().decode("utf-8", errors="replace")


def now() -> str:
    """This second as ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_job_id() -> str:
    """Name of a new folder; names sort by time."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


def _read(path: Path, read: Callable[[Path], T]) -> T | None:
    """What a file says, or None if it is not there, or not whole."""
    try:
        return read(path)
    except (OSError, json.JSONDecodeError, TypeError, KeyError):
        # On Windows a file cannot be read in the moment in which it is replaced.
        return None
