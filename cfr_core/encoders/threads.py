"""How many threads compute: each task alone on one, as many tasks as cores."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch


def n_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def compute_alone() -> None:
    """Let PyTorch, where this thread calls it, compute on this thread only."""
    torch.set_num_threads(1)


@contextmanager
def thread_count_restored() -> Iterator[None]:
    """Put PyTorch's number of threads back after the block, whichever thread has changed it."""
    before = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(before)
