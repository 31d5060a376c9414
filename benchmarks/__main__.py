"""Prints every benchmark as one Markdown table: `python -m benchmarks [NAME...]`."""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterable

import torch

from benchmarks import (
    bench_app,
    bench_editor,
    bench_embedding,
    bench_live,
    bench_masks,
    bench_neighbours,
)
from benchmarks.table import HEADER, Row

BENCHMARKS: dict[str, Callable[[], Iterable[Row]]] = {
    "neighbours": bench_neighbours.rows,
    "embedding": bench_embedding.rows,
    "app": bench_app.rows,
    "live": bench_live.rows,
    "masks": bench_masks.rows,
    "editor": bench_editor.rows,
}


def machine() -> str:
    """The machine in words, for the line above the table."""
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, torch {torch.__version__}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return 1 if a ratio misses its target."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BENCHMARKS)}; default: all")
    names = parser.parse_args(arguments).names or list(BENCHMARKS)
    if unknown := [name for name in names if name not in BENCHMARKS]:
        parser.error(f"no benchmark named {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")

    print(machine(), HEADER, sep="\n\n", flush=True)
    all_hold = True
    for name in names:
        for row in BENCHMARKS[name]():
            print(row, flush=True)
            all_hold &= row.holds
    return 0 if all_hold else 1


if __name__ == "__main__":
    sys.exit(main())
