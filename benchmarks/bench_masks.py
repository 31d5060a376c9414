"""Masks of a large dataset: measured for faults, and read as a queue to review."""

import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from benchmarks.large_workspace import DATASET, large_dataset
from benchmarks.table import Row
from cfr_core.masks.measures import measure_mask
from cfr_core.types import BoolArray
from cfr_core.workspace.store import Workspace

N_ROWS, N_MASKS, SIZE_HW = 100_000, 60, (480, 854)
_ROUNDS = 5
_QUEUE_LIMIT_S = 0.3
_MASKS_A_MINUTE = 2000


def rows() -> Iterable[Row]:
    """Measure a mask's faults, and the queue of many rows; the middle round counts."""
    masks = [_animal(np.random.default_rng(seed)) for seed in range(N_MASKS)]
    start = time.perf_counter()
    for mask in masks:
        measure_mask(mask)
    per_minute = 60 * N_MASKS / (time.perf_counter() - start)
    yield Row(
        f"faults of masks of {SIZE_HW[1]} x {SIZE_HW[0]} px, one thread",
        f"{per_minute:,.0f} a minute",
        f"asked for: {_MASKS_A_MINUTE:,}",
        per_minute / _MASKS_A_MINUTE,
        "at least",
        1.0,
    )
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder)) as workspace:
        workspace.add_dataset(large_dataset(Path(folder), N_ROWS))
        workspace.mask_checks.update(DATASET)
        read_s = float(np.median([_seconds_to_read(workspace) for _ in range(_ROUNDS)]))
    yield Row(
        f"review queue of {N_ROWS:,} rows read, with scores and flags",
        f"{read_s:.2f} s",
        f"asked for: {_QUEUE_LIMIT_S:.1f} s",
        read_s / _QUEUE_LIMIT_S,
        "at most",
        1.0,
    )


def _seconds_to_read(workspace: Workspace) -> float:
    start = time.perf_counter()
    workspace.review_queue(DATASET)
    return time.perf_counter() - start


def _animal(rng: np.random.Generator) -> BoolArray:
    """A large blob with an uneven edge, holes and loose parts, as engines make them."""
    noise = rng.normal(size=SIZE_HW).astype(np.float32)
    uneven = 12 * cv2.GaussianBlur(noise, (0, 0), 12) + 3 * cv2.GaussianBlur(noise, (0, 0), 3)
    yy, xx = np.mgrid[: SIZE_HW[0], : SIZE_HW[1]]
    distance = np.hypot((yy - SIZE_HW[0] / 2) / 160, (xx - SIZE_HW[1] / 2) / 260)
    return np.asarray(distance + 0.4 * uneven < 1)
