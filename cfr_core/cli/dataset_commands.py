"""Commands about datasets: demo, import, datasets, export."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cfr_core.cli.app import JsonOption, Settings, app, emit_json, say
from cfr_core.cli.progress import Bars
from cfr_core.datasets.records import UNKNOWN_IDENTITIES, ImportResult, SourceTable
from cfr_core.errors import InputError
from cfr_core.types import SilhouetteRole
from cfr_core.workspace.store import Workspace

_FINDINGS_SHOWN = 20


@app.command(
    epilog="Example: cfr demo --preset leaky --out leaky-zebras",
)
def demo(
    context: typer.Context,
    preset: Annotated[
        str, typer.Option(help="honest, leaky, shortcut, weak or outline.")
    ] = "leaky",
    out: Annotated[
        Path | None, typer.Option(help="New folder to write to [default: the preset's name].")
    ] = None,
    coat: Annotated[
        float | None, typer.Option(min=0, max=1, help="How much of the identity the coat carries.")
    ] = None,
    scene: Annotated[
        float | None, typer.Option(min=0, max=1, help="How much the scene carries.")
    ] = None,
    outline: Annotated[
        float | None, typer.Option(min=0, max=1, help="How much the body outline carries.")
    ] = None,
    identities: Annotated[int | None, typer.Option(min=2, help="Individuals.")] = None,
    photos: Annotated[int | None, typer.Option(min=1, help="Photos of each.")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed gives other animals.")] = None,
    audit: Annotated[
        bool,
        typer.Option("--audit", help="Instead: put all presets into the workspace and audit them."),
    ] = False,
    json_target: JsonOption = None,
) -> None:
    """Write a synthetic dataset with a known answer: images/, masks/ and metadata.csv."""
    if audit:
        _audit_demo(context, json_target)
        return
    from cfr_core.demo.generate import generate
    from cfr_core.demo.presets import preset as recipe

    asked: dict[str, Any] = {
        "coat": coat,
        "scene": scene,
        "outline": outline,
        "n_identities": identities,
        "n_photos": photos,
        "seed": seed,
    }
    changes = {name: value for name, value in asked.items() if value is not None}
    spec = dataclasses.replace(recipe(preset), **changes)
    with Bars() as bars:
        result = generate(spec, out or Path(preset), bars)
    say(
        f"{result.n_photos} photos of {result.n_identities} individuals in {result.root}",
        json_target,
    )
    say(f"  {spec.title}. Role of the silhouette: {spec.silhouette_role.value}.", json_target)
    if json_target is not None:
        emit_json(dataclasses.asdict(result) | {"root": str(result.root)}, json_target)


@app.command(
    name="import",
    epilog="Example: cfr import photos/zebras --name zebras --role shortcut",
)
def import_(
    context: typer.Context,
    source: Annotated[
        Path,
        typer.Argument(
            help="Folder with a table, folder of folders named as the animals, CSV, TSV, Parquet "
            "or COCO JSON file."
        ),
    ],
    name: Annotated[str, typer.Option(help="Name in the workspace.")],
    role: Annotated[
        SilhouetteRole | None,
        typer.Option(
            help="Whether the body outline is a shortcut or identity evidence "
            "[default: the published role, else ambiguous]."
        ),
    ] = None,
    unknown: Annotated[
        list[str] | None,
        typer.Option(
            help="An identity that means 'nobody knows'; may be repeated "
            f"[default: {', '.join(UNKNOWN_IDENTITIES)}]."
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="What a column means, as ROLE=COLUMN (identity=Name); may be repeated."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="Which table of the folder to read, if there are several.")
    ] = None,
    masks: Annotated[
        Path | None,
        typer.Option(help="Folder of mask files, or a table with a run-length column."),
    ] = None,
    wildlife: Annotated[
        str | None,
        typer.Option(help="Class of the wildlife-datasets package that reads SOURCE."),
    ] = None,
    replace: Annotated[bool, typer.Option(help="Replace a dataset of the same name.")] = False,
    all_findings: Annotated[
        bool, typer.Option("--all", help=f"Write out all findings, not {_FINDINGS_SHOWN} a reason.")
    ] = False,
    json_target: JsonOption = None,
) -> None:
    """Check every photo, box and mask, store what can be used, and report the rest."""
    from cfr_core.datasets.check import check
    from cfr_core.datasets.report import report_json, report_lines

    settings: Settings = context.obj
    with Workspace(settings.workspace) as workspace, Bars() as bars:
        workspace.check_room(name, replace=replace)
        result = check(
            _read(source, table=table, masks=masks, wildlife=wildlife, columns=column or []),
            name=name,
            role=role,
            unknown_identities=tuple(unknown) if unknown else UNKNOWN_IDENTITIES,
            on_progress=bars,
        )
        if result.report.n_used:
            workspace.add_dataset(result, replace=replace)
    for line in report_lines(
        result.report, max_per_reason=None if all_findings else _FINDINGS_SHOWN
    ):
        say(line, json_target)
    if json_target is not None:
        emit_json({**_card_json(result), "report": report_json(result.report)}, json_target)
    if not result.report.n_used:
        raise InputError(f"{source}: no row can be used, so nothing was stored")


@app.command(epilog="Example: cfr datasets --json -")
def datasets(context: typer.Context, json_target: JsonOption = None) -> None:
    """List the datasets of the workspace."""
    settings: Settings = context.obj
    with Workspace(settings.workspace) as workspace:
        summaries = workspace.datasets()
    say(f"{len(summaries)} datasets in {settings.workspace}", json_target)
    for summary in summaries:
        say(
            f"  {summary.name:<24} {summary.n_rows:>7,} rows  {summary.n_identities:>6,} "
            f"individuals  {summary.n_unknown:>6,} unknown  {summary.n_accepted_masks:>7,} masks  "
            f"silhouette: {summary.silhouette_role.value}",
            json_target,
        )
    if json_target is not None:
        emit_json([dataclasses.asdict(summary) for summary in summaries], json_target)


@app.command(epilog="Example: cfr export zebras --out zebras-coco --images")
def export(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Dataset of the workspace.")],
    out: Annotated[Path, typer.Option(help="New folder to write to.")],
    images: Annotated[bool, typer.Option("--images", help="Copy the photos too.")] = False,
    json_target: JsonOption = None,
) -> None:
    """Write a dataset as COCO JSON (compressed run lengths), mask PNG files and a table."""
    from cfr_core.cli.exporting import export_from_workspace, summary_json

    settings: Settings = context.obj
    summary = export_from_workspace(settings.workspace, name, out, copy_images=images)
    say(
        f"{summary.n_rows:,} rows and {summary.n_masks:,} masks in {summary.folder} "
        f"({summary.n_images_copied:,} photos copied; {summary.n_masks_left_out:,} masks that are "
        "not accepted stayed out)",
        json_target,
    )
    if json_target is not None:
        emit_json(summary_json(summary), json_target)


def _audit_demo(context: typer.Context, json_target: Path | None) -> None:
    from cfr_core.cli.auditing import audit_demo, overview_lines
    from cfr_core.cli.show import profile_lines

    settings: Settings = context.obj
    profiles = audit_demo(settings.workspace)
    for profile in profiles:
        for line in (*profile_lines(profile), ""):
            say(line, json_target)
    for line in overview_lines(profiles):
        say(line, json_target)
    if json_target is not None:
        emit_json([profile.to_json() for profile in profiles], json_target)


def _read(
    source: Path,
    *,
    table: str | None,
    masks: Path | None,
    wildlife: str | None,
    columns: Sequence[str],
) -> SourceTable:
    from cfr_core.datasets.sources import read_source
    from cfr_core.datasets.wildlife import read_wildlife

    roles = dict(_role_and_column(text) for text in columns)
    if wildlife is not None:
        return read_wildlife(wildlife, source, roles)
    is_folder = masks is not None and masks.is_dir()
    return read_source(
        source,
        table=table,
        columns=roles,
        mask_dir=masks if is_folder else None,
        mask_table=None if is_folder else masks,
    )


def _role_and_column(text: str) -> tuple[str, str]:
    role, equals, column = text.partition("=")
    if not equals:
        raise InputError(f"--column {text}: write it as ROLE=COLUMN, such as identity=Name")
    return role.strip(), column.strip()


def _card_json(result: ImportResult) -> dict[str, object]:
    card = dataclasses.asdict(result.card)
    return card | {"silhouette_role": result.card.silhouette_role.value}
