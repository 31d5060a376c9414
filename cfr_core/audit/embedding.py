"""The vectors of an audit: only those that are not stored yet are computed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cfr_core.audit.job import AuditJob
from cfr_core.audit.selection import LeftOut
from cfr_core.encoders.encoder import Encoder
from cfr_core.encoders.pipeline import EmbeddedBatch, FailureKind, embed
from cfr_core.types import CropRequest, IntArray, OnProgress, View, ViewSpec
from cfr_core.workspace.vectors import VectorStore, vector_key

_ROWS_KEPT_BACK = 256
"""Vectors are stored after so many rows: what a killed run loses at most."""

_CALIBRATION_ROWS = 16

_REASONS = {
    FailureKind.UNREADABLE: LeftOut.UNREADABLE,
    FailureKind.NOT_FINITE: LeftOut.NOT_FINITE,
}


@dataclass(frozen=True)
class StoredVectors:
    """Where the vectors of an audit are.

    Attributes:
        rows: (M,) int64, rows of the job that are in all views, ascending.
        keys: For each view the M fingerprints.
        failures: Row of the job -> why it is in no view.
        n_computed: Vectors that were not stored before.
    """

    rows: IntArray
    keys: dict[View, list[str]]
    failures: dict[int, LeftOut]
    n_computed: int


def calibration_requests(job: AuditJob) -> tuple[CropRequest, ...]:
    """A few rows, spread over the dataset, on which engines are compared."""
    n_rows = len(job.table)
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _CALIBRATION_ROWS)).astype(int))
    return tuple(job.crops[row] for row in rows)


def embed_missing(
    job: AuditJob,
    encoder: Encoder,
    store: VectorStore,
    *,
    batch_size: int | None,
    on_progress: OnProgress,
) -> StoredVectors:
    """Compute and store what is missing; a killed run goes on where it was.

    Args:
        job: The audit.
        encoder: The encoder, loaded.
        store: Vectors of that encoder and engine.
        batch_size: Images in one forward pass, or None for what suits the device.
        on_progress: Told the images done.
    """
    keys = {spec.view: _keys(job, spec) for spec in job.spec.views}
    is_stored = {view: store.contains(view_keys) for view, view_keys in keys.items()}
    requests, rows = [], []
    for row, crop in enumerate(job.crops):
        missing = tuple(spec for spec in crop.views if not is_stored[spec.view][row])
        if missing:
            requests.append(replace(crop, views=missing))
            rows.append(row)
    row_of_id = dict(zip((request.row_id for request in requests), rows, strict=True))
    failures: dict[int, LeftOut] = {}
    waiting: list[EmbeddedBatch] = []
    n_waiting = n_computed = 0

    def keep() -> None:
        nonlocal n_waiting
        _store(store, waiting, keys, row_of_id)
        waiting.clear()
        n_waiting = 0

    for batch in embed(requests, encoder, batch_size=batch_size, on_progress=on_progress):
        failures |= {row_of_id[f.row_id]: _REASONS[f.kind] for f in batch.failures}
        waiting.append(batch)
        n_waiting += len(batch.row_ids)
        n_computed += len(batch.row_ids)
        if n_waiting >= _ROWS_KEPT_BACK * len(View):
            keep()
    keep()
    kept = np.array([row for row in range(len(job.table)) if row not in failures], np.int64)
    return StoredVectors(
        rows=kept,
        keys={view: [view_keys[row] for row in kept] for view, view_keys in keys.items()},
        failures=failures,
        n_computed=n_computed,
    )


def _keys(job: AuditJob, view: ViewSpec) -> list[str]:
    return [vector_key(crop, view) for crop in job.crops]


def _store(
    store: VectorStore,
    batches: Sequence[EmbeddedBatch],
    keys: dict[View, list[str]],
    row_of_id: dict[int, int],
) -> None:
    if not batches:
        return
    store.append(
        [
            keys[view.view][row_of_id[int(row_id)]]
            for batch in batches
            for row_id, view in zip(batch.row_ids, batch.views, strict=True)
        ],
        np.concatenate([batch.vectors for batch in batches]),
    )
