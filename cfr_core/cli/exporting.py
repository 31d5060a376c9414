"""A dataset of the workspace written to a folder, as `cfr export` and `cfr masks export` do."""

import dataclasses
from pathlib import Path
from typing import Any

from cfr_core.cli.progress import Bars
from cfr_core.datasets.export import ExportSummary, export_dataset
from cfr_core.workspace.store import Workspace


def export_from_workspace(
    root: Path, name: str, out: Path, *, copy_images: bool = False
) -> ExportSummary:
    """Write a dataset with its accepted masks, with a bar; see `export_dataset`.

    Args:
        root: Folder of the workspace.
        name: Dataset in it.
        out: New folder to write to.
        copy_images: Copy the photos too.
    """
    with Workspace(root) as workspace, Bars() as bars:
        return export_dataset(
            workspace.card(name),
            workspace.annotations(name),
            workspace.masks(name).values(),
            out,
            copy_images=copy_images,
            on_progress=bars,
        )


def summary_json(summary: ExportSummary) -> dict[str, Any]:
    """What was written, for --json."""
    return dataclasses.asdict(summary) | {"folder": str(summary.folder)}
