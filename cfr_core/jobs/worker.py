"""The process that does a job: `python -m cfr_core.jobs.worker FOLDER`.

It reads the folder, works, and writes files; the database belongs to another process.
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
    """Do the job of a folder.

    Args:
        arguments: The folder.
        kinds: What jobs can do, by name; None for `cfr_core.jobs.kinds.KINDS`.

    Returns:
        0 if the outcome is written, whatever it is; 3 if another process does the job.
    """
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr
    )
    folder = JobFolder(Path(arguments[0]).resolve())
    try:
        with folder.held():
            folder.write_pid(os.getpid())
            if hasattr(os, "nice"):
                os.nice(_NICENESS)
            _do(folder, kinds)
    except Timeout:
        _LOG.error("another process does this job")
        return 3
    return 0


def _all_kinds() -> Mapping[str, Kind]:
    # Imported here, so that the lock is held and the process known before seconds of imports.
    from cfr_core.jobs.kinds import KINDS

    return KINDS


def _do(folder: JobFolder, kinds: Mapping[str, Kind] | None) -> None:
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
    else:
        _LOG.info("done")
        folder.write_outcome(JobState.FINISHED, "", dict(detail))


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
