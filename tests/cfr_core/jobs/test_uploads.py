"""Which uploads are deleted: old ones that no dataset lies in and no job may need again."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cfr_core.audit.spec import AuditSpec
from cfr_core.jobs.audits import audit_job
from cfr_core.jobs.imports import ImportSpec
from cfr_core.jobs.records import Job, JobOrder, JobState
from cfr_core.jobs.uploads import remove_uploads, unused_uploads, uploads_folder
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

DAY_S = 24 * 3600


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        yield opened


def upload(workspace: Workspace, name: str, *, age_s: float = 2 * DAY_S) -> Path:
    """An upload with the dataset in a folder of its own, as most zips have it."""
    folder = uploads_folder(workspace.root) / name
    (folder / "herd").mkdir(parents=True)
    (folder / "herd" / "metadata.csv").write_text("path,identity\n")
    os.utime(folder, (time.time() - age_s,) * 2)
    return folder


def job(kind: str, spec: dict, state: JobState) -> Job:
    order = JobOrder(kind, "key", "label", spec, "", 0.0)
    return Job("id", order, state, False, None, None, None)


def import_of(folder: Path, state: JobState, *, masks: Path | None = None) -> Job:
    spec = ImportSpec(str(folder), "herd", masks=None if masks is None else str(masks))
    return job("import", spec.to_json(), state)


def test_nothing_is_there_without_uploads(workspace: Workspace) -> None:
    assert unused_uploads(workspace, []) == []


def test_old_ones_that_nothing_needs_are_deleted(workspace: Workspace) -> None:
    old, young = upload(workspace, "old"), upload(workspace, "young", age_s=DAY_S / 2)
    half_unpacked = upload(workspace, ".0a1b2c.zebras")
    done = import_of(old / "herd", JobState.FINISHED)  # its dataset was replaced since
    unused = unused_uploads(workspace, [done])
    assert unused == [half_unpacked, old]
    remove_uploads(unused)
    assert list(uploads_folder(workspace.root).iterdir()) == [young]


def test_the_photos_of_a_dataset_stay(workspace: Workspace) -> None:
    folder = upload(workspace, "zebras")
    workspace.add_dataset(made_dataset(folder / "herd"))
    os.utime(folder, (0, 0))
    assert unused_uploads(workspace, []) == []


@pytest.mark.parametrize("state", [state for state in JobState if state is not JobState.FINISHED])
def test_what_an_import_may_need_again_stays(workspace: Workspace, state: JobState) -> None:
    source, masks = upload(workspace, "zebras"), upload(workspace, "masks")
    waiting = import_of(source / "herd", state, masks=masks)
    assert unused_uploads(workspace, [waiting]) == []


def test_what_an_audit_may_need_again_stays(workspace: Workspace, tmp_path: Path) -> None:
    folder = upload(workspace, "zebras")
    workspace.add_dataset(made_dataset(folder / "herd"))
    new = audit_job(workspace, AuditSpec("discs", "effnet-lite0"))
    workspace.add_dataset(made_dataset(tmp_path / "elsewhere"), replace=True)
    os.utime(folder, (0, 0))
    stopped = job(new.kind, dict(new.spec), JobState.STOPPED)
    assert unused_uploads(workspace, [stopped]) == []
    assert unused_uploads(workspace, [replace(stopped, state=JobState.FINISHED)]) == [folder]
