"""Entry point: runs the command line and turns errors into one line and an exit status."""

import logging
import os
import sys

import typer

from cfr_core.cli import (  # noqa: F401 - they register on `app`
    audit_commands,
    dataset_commands,
    masks_commands,
)
from cfr_core.cli.app import app
from cfr_core.errors import CfrError, InputError


def main() -> None:
    """Run `cfr`: exit status 0 done, 2 bad input, 1 anything else."""
    logging.basicConfig(
        level=os.environ.get("CFR_LOG", "WARNING").upper(), format="%(levelname)s %(message)s"
    )
    try:
        app()
    except InputError as error:
        typer.echo(f"cfr: {error}", err=True)
        sys.exit(2)
    except CfrError as error:
        typer.echo(f"cfr: {error}", err=True)
        sys.exit(1)
