"""Unpacked uploads: where they lie, and which of them nothing needs any more.

An import copies no photo, so the upload of a dataset is its photos for as long as it is there.
"""

import logging
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from cfr_core.audit.job import SPEC_FILE
from cfr_core.jobs import audits, imports
from cfr_core.jobs.records import Job, JobState
from cfr_core.workspace.files import read_json
from cfr_core.workspace.store import Workspace

_LOG = logging.getLogger(__name__)

_KEPT_S = 24 * 3600.0
"""A person may still be looking at the preview of a younger one."""


def uploads_folder(workspace_root: Path) -> Path:
    """Folder of all uploads of a workspace; each lies in a folder of its own."""
    return workspace_root / "uploads"


def unused_uploads(workspace: Workspace, jobs: Iterable[Job]) -> list[Path]:
    """Uploads older than a day that no dataset lies in and no job needs, or may need again.

    Args:
        workspace: Open workspace.
        jobs: Its jobs.
    """
    folder = uploads_folder(workspace.root)
    if not folder.is_dir():
        return []
    young = time.time() - _KEPT_S
    old = [path for path in sorted(folder.iterdir()) if path.stat().st_mtime < young]
    needed = [*_roots_of_datasets(workspace), *_roots_of_jobs(workspace, jobs)] if old else []
    return [path for path in old if not any(_overlap(path, root) for root in needed)]


def remove_uploads(uploads: Iterable[Path]) -> None:
    """Delete unpacked uploads; what cannot be deleted stays for the next time."""
    for path in uploads:
        _LOG.info("the upload %s is needed by nothing any more and is deleted", path.name)
        shutil.rmtree(path, ignore_errors=True)


def _roots_of_datasets(workspace: Workspace) -> Iterator[str]:
    for summary in workspace.datasets():
        yield workspace.card(summary.name).root


def _roots_of_jobs(workspace: Workspace, jobs: Iterable[Job]) -> Iterator[str]:
    """Folders and files that jobs read which have not ended well."""
    for job in jobs:
        spec = job.order.spec
        if job.state is JobState.FINISHED:
            continue
        if job.order.kind == imports.KIND:
            yield from filter(None, (spec["source"], spec["masks"]))
        elif job.order.kind == audits.KIND:
            # Its dataset may have been replaced since.
            header = workspace.runs_dir / spec["run_id"] / SPEC_FILE
            if header.is_file():
                yield read_json(header)["root"]


def _overlap(upload: Path, root: str) -> bool:
    one, other = Path(os.path.realpath(upload)), Path(os.path.realpath(root))
    return one.is_relative_to(other) or other.is_relative_to(one)
