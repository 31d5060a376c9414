"""Commands about audits: audit, runs, models."""

import dataclasses
from typing import Annotated

import typer

from cfr_core.audit.spec import DEFAULT_KS, AuditSpec
from cfr_core.cli.app import JsonOption, Settings, app, emit_json, say
from cfr_core.cli.show import profile_lines
from cfr_core.errors import InputError
from cfr_core.types import BLACK_RGB, IMAGENET_MEAN_RGB, RGB, DeviceChoice
from cfr_core.workspace.store import Workspace


@app.command(
    epilog="Example: cfr audit zebras -m effnet-lite0 -k 1 -k 5 --exclude date --json z.json"
)
def audit(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Dataset of the workspace.")],
    model: Annotated[
        list[str],
        typer.Option("-m", "--model", help="Encoder; may be repeated. `cfr models` lists them."),
    ],
    k: Annotated[
        list[int] | None,
        typer.Option(
            "-k", help=f"Rank; may be repeated [default: {', '.join(map(str, DEFAULT_KS))}]."
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            help="Leave out of a query's gallery what shares its file, date, encounter, camera or "
            "any other column; may be repeated."
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            help="Only rows with this value; the same column again adds a value, another column "
            "narrows.",
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="QUERY:GALLERY",
            help="Labels of the split column [default: every photo queries all others].",
        ),
    ] = None,
    device: Annotated[DeviceChoice, typer.Option(help="auto takes a GPU that works.")] = "auto",
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Pictures in one forward pass [default: by device].")
    ] = None,
    fill: Annotated[
        str, typer.Option(metavar="R,G,B", help="Colour in place of what a view removes.")
    ] = ",".join(map(str, IMAGENET_MEAN_RGB)),
    silhouette: Annotated[
        str, typer.Option(metavar="R,G,B", help="Colour of the silhouette.")
    ] = ",".join(map(str, BLACK_RGB)),
    json_target: JsonOption = None,
) -> None:
    """Retrieve in the four views and print the evidence profile.

    The JSON of one model is an object, that of several a list. A run that was stopped goes on
    where it was when the same command is given again.
    """
    from cfr_core.cli.auditing import audit_in_workspace

    settings: Settings = context.obj
    specs = [
        AuditSpec(
            dataset=name,
            encoder=encoder,
            ks=tuple(k or DEFAULT_KS),
            exclude=tuple(exclude or ()),
            split=_split_labels(split),
            where=tuple(_column_and_value(text) for text in where or ()),
            fill_rgb=_rgb("--fill", fill),
            silhouette_rgb=_rgb("--silhouette", silhouette),
        )
        for encoder in dict.fromkeys(model)
    ]
    profiles = []
    for spec in specs:
        profile = audit_in_workspace(settings.workspace, spec, device=device, batch_size=batch_size)
        for line in profile_lines(profile):
            say(line, json_target)
        say("", json_target)
        profiles.append(profile.to_json())
    if json_target is not None:
        emit_json(profiles[0] if len(profiles) == 1 else profiles, json_target)


@app.command(epilog="Example: cfr runs")
def runs(context: typer.Context, json_target: JsonOption = None) -> None:
    """List the finished audits of the workspace."""
    settings: Settings = context.obj
    with Workspace(settings.workspace) as workspace:
        records = workspace.runs()
    say(f"{len(records)} finished runs in {settings.workspace / 'runs'}", json_target)
    for record in records:
        say(
            f"  {record.finished_at}  {record.dataset:<20} {record.encoder:<24} {record.run_id}",
            json_target,
        )
    if json_target is not None:
        emit_json([dataclasses.asdict(record) for record in records], json_target)


@app.command(epilog="Example: cfr models")
def models(context: typer.Context, json_target: JsonOption = None) -> None:
    """List the encoders: licence, input size, whether their weights are here, how to get them."""
    from cfr_core.encoders.status import available_encoders

    settings: Settings = context.obj
    statuses = available_encoders(settings.workspace / "checkpoints")
    for status in statuses:
        here = "weights here" if status.is_present else "weights to get"
        say(
            f"  {status.name:<22} {status.input_size_px} px  {status.dim:>5} numbers  {here:<15} "
            f"{status.licence}",
            json_target,
        )
        if not status.is_present:
            say(f"  {'':<22} {status.needs}", json_target)
    if json_target is not None:
        emit_json([dataclasses.asdict(status) for status in statuses], json_target)


def _split_labels(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    query, colon, gallery = text.partition(":")
    if not (query and colon and gallery):
        raise InputError(f"--split {text}: write it as QUERY:GALLERY, such as query:database")
    return query, gallery


def _column_and_value(text: str) -> tuple[str, str]:
    column, equals, value = text.partition("=")
    if not (column and equals):
        raise InputError(f"--where {text}: write it as COLUMN=VALUE, such as side=left")
    return column, value


def _rgb(option: str, text: str) -> RGB:
    channels = [channel.strip() for channel in text.split(",")]
    if len(channels) != 3 or not all(c.isascii() and c.isdigit() for c in channels):
        raise InputError(f"{option} {text}: write three numbers from 0 to 255, such as 124,116,104")
    red, green, blue = map(int, channels)
    return red, green, blue
