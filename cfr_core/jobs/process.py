"""Starts and ends worker processes, each in a group of its own, on every operating system."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import cfr_core
from cfr_core.jobs.folder import JobFolder

WORKER: tuple[str, ...] = (sys.executable, "-m", "cfr_core.jobs.worker")
"""Command of a worker; the folders of its jobs follow."""

_LIBRARY = Path(cfr_core.__file__).parents[1]


def start_worker(folders: Sequence[JobFolder], command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a process that outlives this one.

    Args:
        folders: Jobs that it does one after another, at least one; it logs to the first.
        command: Starts a worker; the folders are added.

    Raises:
        OSError: if the program cannot be started, or the log cannot be opened.
    """
    with folders[0].log_path.open("ab") as log:
        return subprocess.Popen(
            [*command, *(str(folder.path) for folder in folders)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=worker_environment(),
            # A group of its own: what interrupts the app (Ctrl-C) does not reach the work.
            start_new_session=os.name == "posix",
            creationflags=_creation_flags(),
        )


def worker_environment() -> dict[str, str]:
    """Environment in which a Python process finds this library, wherever it was started."""
    path = os.pathsep.join(filter(None, (str(_LIBRARY), os.environ.get("PYTHONPATH"))))
    return os.environ | {"PYTHONPATH": path, "PYTHONUTF8": "1"}


def kill(pid: int) -> None:
    """End a worker, and on POSIX whatever it has started, at once."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)  # ends it at once on Windows


def _creation_flags() -> int:
    flags = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW", "BELOW_NORMAL_PRIORITY_CLASS")
    return sum(getattr(subprocess, flag, 0) for flag in flags)
