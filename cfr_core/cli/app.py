"""The command line as a whole: its options, and how results are written."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from cfr_core.errors import InputError
from cfr_core.workspace.location import VARIABLE, default_root

app = typer.Typer(
    name="cfr",
    help="Audit what a re-identification dataset lets a model match on: "
    "the animal, or what is around it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass(frozen=True)
class Settings:
    """What holds for every command."""

    workspace: Path


JsonOption = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Also write the result as JSON; '-' prints it."),
]


@app.callback()
def settings(
    context: typer.Context,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "-w",
            "--workspace",
            envvar=VARIABLE,
            help="Folder of datasets, masks, embeddings and runs "
            "[default: the user's data folder].",
        ),
    ] = None,
) -> None:
    """Options before the command."""
    context.obj = Settings(workspace=workspace or default_root())


def emit_json(value: dict[str, Any] | list[Any], target: Path) -> None:
    """Write JSON to a file, or to standard output for "-".

    Raises:
        InputError: if the file cannot be written.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    if str(target) == "-":
        typer.echo(text)
        return
    try:
        target.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"--json {target}: cannot be written ({error})") from error


def say(text: str, json_target: Path | None = None) -> None:
    """A line for people; on standard error where standard output carries JSON."""
    typer.echo(text, err=json_target is not None and str(json_target) == "-")
