"""The demo datasets in a workspace: generated, imported, ready to audit."""

import shutil
from concurrent.futures import Executor
from pathlib import Path

from cfr_core.datasets.check import check
from cfr_core.datasets.records import ImportResult
from cfr_core.datasets.sources import read_source
from cfr_core.demo.generate import generate, processes_for
from cfr_core.demo.presets import PRESETS, DemoSpec
from cfr_core.types import OnProgress, no_progress
from cfr_core.workspace.store import Workspace


def demo_dataset_name(preset: str) -> str:
    """Name under which a preset stands in a workspace."""
    return f"demo-{preset}"


def add_demo(workspace: Workspace, *, on_progress: OnProgress = no_progress) -> list[str]:
    """Put the demo datasets that are missing into a workspace.

    Args:
        workspace: Open workspace; the photos go to its folder `demo/`.
        on_progress: Told of each stage.

    Returns:
        Names of all demo datasets, in the order of the presets.
    """
    there = {summary.name for summary in workspace.datasets()}
    missing = [spec for preset, spec in PRESETS.items() if demo_dataset_name(preset) not in there]
    with processes_for(missing) as pool:
        for spec in missing:
            workspace.add_dataset(checked_demo(spec, workspace.root, on_progress, pool=pool))
    return [demo_dataset_name(preset) for preset in PRESETS]


def checked_demo(
    spec: DemoSpec, root: Path, on_progress: OnProgress, *, pool: Executor | None = None
) -> ImportResult:
    """One demo dataset, ready to be stored; its photos are drawn if they are not there.

    Args:
        spec: The recipe.
        root: The workspace; the photos go to its folder `demo/`.
        on_progress: Told of each stage.
        pool: Draws; None: processes of this dataset's own, where it is large.
    """
    source = read_source(_photos(spec, root / "demo", on_progress, pool))
    name = demo_dataset_name(spec.name)
    return check(source, name=name, role=spec.silhouette_role, on_progress=on_progress)


def _photos(spec: DemoSpec, parent: Path, on_progress: OnProgress, pool: Executor | None) -> Path:
    """The folder of a preset's photos; it exists only when it is complete."""
    folder = parent / spec.name
    if not folder.exists():
        unfinished = parent / f".{spec.name}"
        shutil.rmtree(unfinished, ignore_errors=True)
        generate(spec, unfinished, on_progress, pool=pool)
        unfinished.rename(folder)
    return folder
