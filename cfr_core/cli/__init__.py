"""The console command `cfr`."""

from cfr_core.cli.entry import main

__all__ = ["main"]
