"""A finished run brought to a new state: all of its files, or none.

The new files are written below the run first, the profile last. Then they take the places of the
old ones, one after another; if the program ends in between, that goes on when the run is next
updated or looked at.
"""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cfr_core.audit.evaluate import Evaluation
from cfr_core.audit.job import AuditJob
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.results import PROFILE_FILE, save_results
from cfr_core.audit.stored import read_profile
from cfr_core.types import Neighbours, View
from cfr_core.workspace.files import write_json

_NEXT = "next"
_BEFORE = "before"


def write_state(
    planned: AuditJob,
    job: AuditJob,
    profile: EvidenceProfile,
    neighbours: Mapping[View, Neighbours],
    evaluation: Evaluation,
) -> None:
    """Put a new state of a finished run in the place of the old one, whose profile is kept.

    Args:
        planned: The audit as it was asked, in the folder of the run.
        job: The same without the rows that could not be embedded.
        profile: Its result.
        neighbours: Neighbours in each view, for the same queries.
        evaluation: Holds the table of queries.
    """
    folder = job.folder
    finish_state(folder)
    parts = folder / _NEXT
    before = read_profile(folder)
    write_json(parts / _BEFORE / PROFILE_FILE, before.to_json())
    replace(planned, folder=parts).write()
    save_results(replace(job, folder=parts), profile, neighbours, evaluation)
    finish_state(folder)


def finish_state(folder: Path) -> None:
    """Finish what an update of a run has begun, if the program ended in its midst.

    Args:
        folder: `runs/<run_id>` of a workspace.
    """
    parts = folder / _NEXT
    if not parts.is_dir():
        return
    if (parts / PROFILE_FILE).is_file():  # the last one: all are there, or have moved already
        (folder / _BEFORE).mkdir(exist_ok=True)
        files = [path for path in parts.rglob("*") if path.is_file()]
        for path in sorted(files, key=lambda path: path == parts / PROFILE_FILE):
            path.replace(folder / path.relative_to(parts))
    shutil.rmtree(parts)


def read_before(folder: Path) -> EvidenceProfile | None:
    """The profile of a run before its last update; None if it was never updated.

    Args:
        folder: `runs/<run_id>` of a workspace.

    Raises:
        InputError: if it is there but cannot be read.
    """
    before = folder / _BEFORE
    return read_profile(before) if before.is_dir() else None
