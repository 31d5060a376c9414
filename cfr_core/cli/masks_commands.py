"""Commands about masks: auto, import, export, measure, engines."""

import dataclasses
from collections.abc import Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from cfr_core.cli.app import JsonOption, Settings, app, emit_json, say
from cfr_core.cli.progress import Bars
from cfr_core.errors import InputError
from cfr_core.types import CropRequest, DeviceChoice, Float32Array, MaskStatus
from cfr_core.workspace.store import Workspace

masks = typer.Typer(
    help="Find, bring in, write out and measure the masks of animals.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(masks, name="masks")

_CLICKS_SHOWN = (0, 1, 3, 5)

Name = Annotated[str, typer.Argument(help="Dataset of the workspace.")]
Engine = Annotated[
    str | None,
    typer.Option(
        "-e",
        "--engine",
        help="Mask engine; `cfr masks engines` lists them [default: the best that is here].",
    ),
]
Device = Annotated[DeviceChoice, typer.Option(help="auto takes a GPU that works.")]


@masks.command(epilog="Example: cfr masks auto zebras --engine sam3 --prompt zebra")
def auto(
    context: typer.Context,
    name: Name,
    engine: Engine = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            help="Name of the animal for an engine that reads text; may be repeated, and is tried "
            "in this order [default: the published names of this dataset]."
        ),
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Use the masks at once, without a person's review.")
    ] = False,
    device: Device = "auto",
    json_target: JsonOption = None,
) -> None:
    """Find a mask for every row that has none from a person or the dataset.

    Where the rows are cut along boxes, the candidate whose box fits best is taken, and rejected
    below an IoU of 0.5; elsewhere the one of the best score. A run that was stopped goes on where
    it was when the same command is given again.
    """
    from cfr_core.jobs.masks import find_masks, mask_run, masks_job, store_masks

    settings: Settings = context.obj
    with Workspace(settings.workspace) as workspace:
        chosen = engine or _default_engine(workspace)
        job = masks_job(workspace, name, chosen, prompts=prompt or (), device=device, accept=accept)
    # The database is let go while the engine works, so that other commands work.
    run = mask_run(settings.workspace.expanduser().resolve(), job)
    with Bars() as bars:
        find_masks(run, bars)
    with Workspace(settings.workspace) as workspace:
        stored = store_masks(workspace, run)
    say(f"{name} with {chosen}: {stored.words}", json_target)
    for row_id, why in stored.detail["skipped_rows"].items():
        say(f"  row {row_id}: {why}", json_target)
    if json_target is not None:
        emit_json(dict(stored.detail), json_target)


@masks.command(name="import", epilog="Example: cfr masks import zebras labels/instances.json")
def import_(
    context: typer.Context,
    name: Name,
    source: Annotated[
        Path,
        typer.Argument(
            help="COCO JSON file, folder that `cfr masks export` wrote, table with a run-length "
            "column, or folder of PNG files named as the images."
        ),
    ],
    author: Annotated[str, typer.Option(help="Who drew them, for the record.")] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Also where a row has a mask; the old one is kept.")
    ] = False,
    json_target: JsonOption = None,
) -> None:
    """Bring masks from files to the rows of a dataset, by photo and box."""
    from cfr_core.datasets.mask_import import masks_for
    from cfr_core.workspace.imported_masks import add_imported

    settings: Settings = context.obj
    with Workspace(settings.workspace) as workspace, Bars() as bars:
        found = masks_for(workspace.card(name), workspace.annotations(name), source, bars)
        counts = add_imported(
            workspace, found.masks, source=source.name, author=author, replace=replace
        )
    say(
        f"{counts.n_added:,} masks added to {name}; {counts.n_unchanged:,} were there already; "
        f"{counts.n_kept:,} rows kept the mask that they have",
        json_target,
    )
    for finding in found.problems:
        say(f"  {finding}", json_target)
    if json_target is not None:
        emit_json(dataclasses.asdict(counts) | {"problems": list(found.problems)}, json_target)


@masks.command(epilog="Example: cfr masks export zebras --out zebra-masks")
def export(
    context: typer.Context,
    name: Name,
    out: Annotated[Path, typer.Option(help="New folder to write to.")],
    json_target: JsonOption = None,
) -> None:
    """Write the accepted masks as COCO JSON (compressed run lengths) and as PNG files."""
    from cfr_core.cli.exporting import export_from_workspace, summary_json

    settings: Settings = context.obj
    summary = export_from_workspace(settings.workspace, name, out)
    say(
        f"{summary.n_masks:,} masks of {summary.n_rows:,} rows in {summary.folder} "
        f"({summary.n_masks_left_out:,} that are not accepted stayed out)",
        json_target,
    )
    if json_target is not None:
        emit_json(summary_json(summary), json_target)


@masks.command(epilog="Example: cfr masks measure zebras -e grabcut -e sam-vit-b --sample 50")
def measure(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            help="Dataset of the workspace whose accepted masks are the truth, or a folder or "
            "table with masks, as `cfr import` reads it."
        ),
    ],
    engine: Annotated[
        list[str] | None,
        typer.Option("-e", "--engine", help="Mask engine; may be repeated [default: as for auto]."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Rows, evenly spread [default: all with a mask].")
    ] = None,
    device: Device = "auto",
    json_target: JsonOption = None,
) -> None:
    """Rank engines: IoU with known masks after a box, and after simulated clicks on its errors."""
    from cfr_core.segmenters.load import load_segmenter
    from cfr_core.segmenters.measure import measure_rows

    settings: Settings = context.obj
    with Workspace(settings.workspace) as workspace, Bars() as bars:
        rows = _rows_with_masks(workspace, source, bars)
        engines = engine or [_default_engine(workspace)]
        checkpoints_dir = workspace.checkpoints_dir
    if sample is not None and sample < len(rows):
        rows = [rows[at] for at in np.linspace(0, len(rows) - 1, sample).astype(int)]
    say(_table_line("engine", ["a box", *(f"{n} clicks" for n in _CLICKS_SHOWN[1:])]), json_target)
    results: dict[str, Any] = {}
    for each in engines:
        with Bars() as bars:
            segmenter = load_segmenter(each, checkpoints_dir, device, bars)
            ious = measure_rows(segmenter, rows, on_progress=bars)
        for words, values in (("median", np.median(ious, axis=0)), ("mean", ious.mean(axis=0))):
            numbers = [f"{values[n]:.3f}" for n in _CLICKS_SHOWN]
            say(_table_line(f"{each}, {words}", numbers), json_target)
        results[each] = _as_json(ious)
    say(f"  IoU over {len(rows):,} animals, each click at the largest error", json_target)
    if json_target is not None:
        emit_json({"n": len(rows), "engines": results}, json_target)


@masks.command(epilog="Example: cfr masks engines")
def engines(context: typer.Context, json_target: JsonOption = None) -> None:
    """List the mask engines: licence, whether their weights are here, how to get them."""
    from cfr_core.segmenters.cards import available_segmenters

    settings: Settings = context.obj
    statuses = available_segmenters(settings.workspace / "checkpoints")
    for status in statuses:
        here = "ready" if status.is_present else "weights to get"
        text = "reads names" if status.card.reads_text else ""
        say(f"  {status.card.name:<16} {here:<15} {text:<12} {status.card.licence}", json_target)
        if status.needs:
            say(f"  {'':<16} {status.needs}", json_target)
    if json_target is not None:
        emit_json([dataclasses.asdict(status) for status in statuses], json_target)


def _default_engine(workspace: Workspace) -> str:
    from cfr_core.segmenters.cards import default_segmenter

    return default_segmenter(workspace.checkpoints_dir)


def _rows_with_masks(workspace: Workspace, source: str, bars: Bars) -> list[CropRequest]:
    """Rows with an accepted mask, of a dataset of the workspace or of a folder."""
    from cfr_core.datasets.check import check
    from cfr_core.datasets.crop_requests import crop_requests
    from cfr_core.datasets.sources import read_source

    if source in {summary.name for summary in workspace.datasets()}:
        card, annotations = workspace.card(source), workspace.annotations(source)
        masks_by_row = workspace.masks(source)
    elif Path(source).exists():
        result = check(read_source(Path(source)), name="measured", on_progress=bars)
        card, annotations = result.card, result.annotations
        masks_by_row = {mask.row_id: mask for mask in result.masks}
    else:
        raise InputError(f"{source} is neither a dataset of the workspace nor a file or folder")
    accepted = {i: m for i, m in masks_by_row.items() if m.status is MaskStatus.ACCEPTED}
    rows = [changed(row, mask=accepted.get(row.row_id)) for row in crop_requests(card, annotations)]
    measured = [row for row in rows if row.mask is not None]
    if not measured:
        raise InputError(f"{source}: no row has an accepted mask to measure with")
    return measured


def _table_line(title: str, cells: Sequence[str]) -> str:
    return f"  {title:<22} " + "".join(f"{cell:>10}" for cell in cells)


def _as_json(ious: Float32Array) -> dict[str, list[float]]:
    return {
        "median": np.median(ious, axis=0).round(4).tolist(),
        "mean": ious.mean(axis=0).round(4).tolist(),
    }
