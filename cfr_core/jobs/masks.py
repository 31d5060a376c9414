"""Jobs that find the masks of a dataset with an engine."""

import dataclasses
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cfr_core.datasets.crop_requests import crop_requests
from cfr_core.errors import InputError
from cfr_core.fingerprint import fingerprint
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.kind import Kind, Stored
from cfr_core.jobs.mask_run import MaskRun, MaskRunSpec
from cfr_core.jobs.records import JobOrder, NewJob
from cfr_core.segmenters.cards import find_segmenter
from cfr_core.types import CropRequest, DeviceChoice, Mask, OnProgress, no_progress
from cfr_core.workspace.store import Workspace

KIND = "masks"
RUNS = "mask_runs"
_BY_PEOPLE = ("human", "dataset")


def masks_job(
    workspace: Workspace,
    dataset: str,
    engine: str,
    *,
    prompts: Sequence[str] = (),
    device: DeviceChoice = "auto",
    accept: bool = False,
) -> NewJob:
    """A bulk run to be queued; its rows are those without a mask of a person at this moment.

    Args:
        workspace: Open workspace.
        dataset: Name of the dataset.
        engine: Name of the engine.
        prompts: Names of the animal in order of preference, for an engine that reads text; none
            for those that the published table has for this dataset.
        device: Where to compute.
        accept: Take chosen masks as accepted; else a person reviews them.

    Raises:
        InputError: if the dataset or the engine is not known, or no row lacks a mask.
    """
    card = workspace.card(dataset)
    is_read = find_segmenter(engine).reads_text
    words = (tuple(prompts) or card.prompts) if is_read else ()
    spec = MaskRunSpec(dataset, engine, words, device, accept)
    rows, n_human = _rows(workspace, dataset)
    if not rows:
        raise InputError(f"every row of {dataset} has a mask that a person or the dataset gave")
    run = MaskRun(workspace.root / RUNS / _run_id(spec, rows))
    if run.is_stored:
        shutil.rmtree(run.folder)
    run.write(spec, rows, n_human)
    return NewJob(
        kind=KIND,
        key=f"{KIND} {run.folder.name}",
        label=f"Masks of {dataset} with {engine}",
        spec={"run_id": run.folder.name},
    )


def find_masks(run: MaskRun, on_progress: OnProgress = no_progress) -> None:
    """Do the work of a bulk run, in any process; what is done already stays.

    Raises:
        WeightsError, DeviceError: if the engine cannot be had or used.
    """
    from cfr_core.segmenters.load import load_segmenter  # engines import PyTorch

    spec = run.spec
    checkpoints_dir = run.folder.parents[1] / "checkpoints"
    run.work(load_segmenter(spec.engine, checkpoints_dir, spec.device, on_progress), on_progress)


def store_masks(workspace: Workspace, run: MaskRun) -> Stored:
    """Take what a bulk run has found; masks that people gave stay as they are.

    Raises:
        UnknownRowError, MaskError: if the rows are not those of the run any more.
    """
    result = run.result()
    counts = workspace.mask_history.add_proposals(result.masks, result.candidates)
    run.mark_stored()
    detail = {
        "dataset": run.spec.dataset,
        "engine": run.spec.engine,
        "proposed": counts.n_proposed,
        "accepted": counts.n_accepted,
        "rejected": counts.n_rejected,
        "unchanged": counts.n_unchanged,
        "kept": counts.n_kept + result.n_human,
        "skipped": len(result.skipped),
    }
    return Stored(_in_words(detail), detail | {"skipped_rows": dict(result.skipped)})


def mask_run(workspace_root: Path, job: NewJob) -> MaskRun:
    """The files of a job of this kind."""
    return MaskRun(workspace_root / RUNS / job.spec["run_id"])


def _rows(workspace: Workspace, dataset: str) -> tuple[list[CropRequest], int]:
    """Rows to be asked for, and how many have a mask of a person or the dataset."""
    rows = crop_requests(workspace.card(dataset), workspace.annotations(dataset))
    masks = workspace.masks(dataset)
    asked = [row for row in rows if not _is_by_people(masks.get(row.row_id))]
    return asked, len(rows) - len(asked)


def _is_by_people(mask: Mask | None) -> bool:
    return mask is not None and mask.source in _BY_PEOPLE


def _run_id(spec: MaskRunSpec, rows: Sequence[CropRequest]) -> str:
    places = [(row.row_id, row.file_sha256, row.bbox_xywh) for row in rows]
    digest = fingerprint(spec=dataclasses.asdict(spec), rows=places)
    return f"{spec.dataset}-{spec.engine}-{digest[:10]}"


def _in_words(counts: Mapping[str, Any]) -> str:
    """One line for people: what came out."""
    parts = [f"{counts['proposed']:,} proposed", f"{counts['accepted']:,} accepted"]
    parts.append(f"{counts['rejected']:,} rejected")
    if counts["unchanged"]:
        parts.append(f"{counts['unchanged']:,} as they were")
    parts.append(f"{counts['kept']:,} rows left alone, whose mask a person or the dataset gave")
    if counts["skipped"]:
        parts.append(f"{counts['skipped']:,} rows without a mask")
    return "; ".join(parts)


def _work(folder: JobFolder, order: JobOrder, on_progress: OnProgress) -> dict[str, Any]:
    find_masks(mask_run(folder.workspace_root, order), on_progress)
    return dict(order.spec)


def _store(workspace: Workspace, _: JobFolder, order: JobOrder) -> Stored:
    return store_masks(workspace, mask_run(workspace.root, order))


MASKS = Kind(_work, _store)
