"""The demo as a job: datasets drawn by the worker, stored by the app, audits to follow."""

from dataclasses import replace
from pathlib import Path

from cfr_core.demo.presets import PRESETS
from cfr_core.jobs.demos import DEMO, demo_job
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.records import JobOrder
from cfr_core.types import Progress
from cfr_core.workspace.store import Workspace

SMALL = [
    replace(PRESETS[name], n_identities=2, n_photos=2, n_encounters=1, size_hw=(64, 80))
    for name in ("leaky", "outline")
]


def test_the_datasets_are_stored_and_their_audits_follow(tmp_path: Path) -> None:
    said: list[Progress] = []
    with Workspace(tmp_path) as workspace:
        order = JobOrder(**vars(demo_job(SMALL)), created_at="", queued_at=0.0)
        folder = JobFolder(tmp_path / "jobs" / "one")
        folder.write_order(order)
        DEMO.work(folder, folder.order(), said.append)
        stored = DEMO.store(workspace, folder, folder.order())
        again = DEMO.store(workspace, folder, folder.order())
        roles = {d.name: (d.silhouette_role.value, d.n_rows) for d in workspace.datasets()}
    assert roles == {"demo-leaky": ("shortcut", 4), "demo-outline": ("identity", 4)}
    assert stored == again
    assert [new.label for new in stored.then] == [
        "demo-leaky with effnet-lite0",
        "demo-outline with effnet-lite0",
    ]
    assert any("(outline, 2 of 2)" in progress.stage for progress in said)


def test_all_presets_are_asked_for() -> None:
    assert [recipe["name"] for recipe in demo_job().spec["recipes"]] == list(PRESETS)
