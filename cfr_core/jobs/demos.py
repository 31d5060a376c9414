"""The job that adds the demo: datasets with known answers, and then their audits."""

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cfr_core.audit.spec import AuditSpec
from cfr_core.datasets.records import ImportResult
from cfr_core.jobs.audits import audit_job
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.import_files import load_import, save_import
from cfr_core.jobs.imports import store_import
from cfr_core.jobs.kind import Kind, Stored
from cfr_core.jobs.records import JobOrder, NewJob
from cfr_core.types import OnProgress, Progress, Region, SilhouetteRole
from cfr_core.workspace.store import Workspace

if TYPE_CHECKING:  # the demo imports SciPy, which takes a second that a start of the app has not
    from cfr_core.demo.presets import DemoSpec

KIND = "demo"
DEMO_ENCODER = "effnet-lite0"


def demo_job(recipes: "Iterable[DemoSpec] | None" = None) -> NewJob:
    """The demo to be queued: its datasets are drawn and stored, then an audit of each is queued.

    Args:
        recipes: Recipes of the datasets; None for the presets that ship.
    """
    from cfr_core.demo.presets import PRESETS

    recipes = PRESETS.values() if recipes is None else recipes
    spec = {"recipes": [dataclasses.asdict(recipe) for recipe in recipes]}
    return NewJob(KIND, KIND, "Demo datasets", spec)


def _recipes(order: JobOrder) -> "list[DemoSpec]":
    from cfr_core.demo.presets import DemoSpec

    return [
        DemoSpec(
            **fields
            | {
                "silhouette_role": SilhouetteRole(fields["silhouette_role"]),
                "region": Region(fields["region"]),
                "size_hw": tuple(fields["size_hw"]),
            }
        )
        for fields in order.spec["recipes"]
    ]


def _work(folder: JobFolder, order: JobOrder, on_progress: OnProgress) -> dict[str, Any]:
    from cfr_core.audit.demo import checked_demo
    from cfr_core.demo.generate import processes_for

    recipes = _recipes(order)
    with processes_for(recipes) as pool:
        for number, recipe in enumerate(recipes, start=1):
            place = f" ({recipe.name}, {number} of {len(recipes)})"

            def say(progress: Progress, place: str = place) -> None:
                on_progress(dataclasses.replace(progress, stage=progress.stage + place))

            result = checked_demo(recipe, folder.workspace_root, say, pool=pool)
            save_import(folder.result_dir / recipe.name, result)
    return {}


def _store(workspace: Workspace, folder: JobFolder, order: JobOrder) -> Stored:
    results = [load_import(folder.result_dir / recipe.name) for recipe in _recipes(order)]
    for result in results:
        _keep(workspace, result)
    names = [result.card.name for result in results]
    audits = tuple(audit_job(workspace, AuditSpec(name, DEMO_ENCODER)) for name in names)
    words = f"{len(names)} datasets; their audits follow"
    return Stored(words, {"datasets": names}, audits)


def _keep(workspace: Workspace, result: ImportResult) -> None:
    """Add a demo dataset where there is none of its name: masks may have been changed since."""
    if result.card.name not in {summary.name for summary in workspace.datasets()}:
        store_import(workspace, result, replace=False)


DEMO = Kind(_work, _store)
