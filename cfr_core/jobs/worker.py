"""The process that does jobs: `python -m cfr_core.jobs.worker FOLDER...`.

It reads a folder, works, and writes files; the database belongs to another process.
"""

import errno
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from filelock import Timeout

from cfr_core.errors import CfrError
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.kind import Kind
from cfr_core.jobs.progress import JobCancelledError, ProgressFile
from cfr_core.jobs.records import JobState

_LOG = logging.getLogger(__name__)

_NICENESS = 5
"""The screens of the app come before the work."""


def main(arguments: list[str], kinds: Mapping[str, Kind] | None = None) -> int:
    """Do the jobs of some folders, one after another.

    After the first, a job is left to another process if it waits no longer, if the app is gone
    (the next one starts what is left), or if a mistake in the program came before it.

    Args:
        arguments: The folders.
        kinds: What jobs can do, by name; None for `cfr_core.jobs.kinds.KINDS`.

    Returns:
        0 if the outcomes are written, whatever they are; 3 if another process does one of the jobs.
    """
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr
    )
    app = os.getppid()
    first, *others = (JobFolder(Path(argument).resolve()) for argument in arguments)
    try:
        is_sound = _take(first, kinds)
        for folder in others:
            if not is_sound or os.getppid() != app:
                break
            if folder.is_waiting:
                _log_to(folder)
                is_sound = _take(folder, kinds)
    except Timeout:
        _LOG.error("another process does this job")
        return 3
    return 0


def _take(folder: JobFolder, kinds: Mapping[str, Kind] | None) -> bool:
    """Do a job that nobody has done; False after a mistake in the program."""
    with folder.held():
        if folder.outcome is not None:
            return True
        folder.write_pid(os.getpid())
        if hasattr(os, "nice"):
            os.nice(max(0, _NICENESS - os.nice(0)))
        return _do(folder, kinds)


def _log_to(folder: JobFolder) -> None:
    """From now on, what is printed goes to the log of this job."""
    with folder.log_path.open("ab") as log:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(log.fileno(), stream.fileno())


def _all_kinds() -> Mapping[str, Kind]:
    # Imported here, so that the lock is held and the process known before seconds of imports.
    from cfr_core.jobs.kinds import KINDS

    return KINDS


def _do(folder: JobFolder, kinds: Mapping[str, Kind] | None) -> bool:
    order = folder.order()
    _LOG.info("%s (process %d)", order.label, os.getpid())
    try:
        kind = (kinds or _all_kinds())[order.kind]
        detail = kind.work(folder, order, ProgressFile(folder))
    except JobCancelledError:
        _LOG.info("cancelled")
        folder.write_outcome(JobState.CANCELLED, "Cancelled.", {})
    except CfrError as error:
        _LOG.error("%s", error)
        folder.write_outcome(JobState.FAILED, str(error), {})
    except Exception as error:  # noqa: BLE001 - the app learns of any, and the log has all of it
        _LOG.exception("the job failed")
        folder.write_outcome(JobState.FAILED, in_words(error), {})
        return False
    else:
        _LOG.info("done")
        folder.write_outcome(JobState.FINISHED, "", dict(detail))
    return True


def in_words(error: Exception) -> str:
    """One line for people about an error that the product does not expect."""
    if isinstance(error, MemoryError):
        return "The memory of this machine is full. Close other programs, or use another machine."
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "The disk is full. Make room, then resume: what is stored already stays."
    if isinstance(error, OSError):
        return f"A file could not be read or written: {error}"
    return f"An error in the program ({type(error).__name__}: {error}). The log has the details."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
