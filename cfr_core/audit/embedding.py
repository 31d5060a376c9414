"""The vectors of an audit: only those that are not stored yet are computed."""

import time
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from cfr_core.audit.job import AuditJob
from cfr_core.audit.selection import LeftOut
from cfr_core.encoders.encoder import Encoder
from cfr_core.encoders.pipeline import EmbeddedBatch, FailureKind, embed
from cfr_core.types import CropRequest, IntArray, OnProgress, View, ViewSpec
from cfr_core.workspace.vectors import VectorStore, vector_key

_ROWS_KEPT_BACK = 256
_SECONDS_KEPT_BACK = 5.0
"""Vectors are stored after so many rows or seconds: what a killed run loses at most."""

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
    n_computed = 0
    # However the work ends, what is computed by then is stored.
    with _Waiting(store, keys, row_of_id) as waiting:
        for batch in embed(requests, encoder, batch_size=batch_size, on_progress=on_progress):
            failures |= {row_of_id[f.row_id]: _REASONS[f.kind] for f in batch.failures}
            n_computed += len(batch.row_ids)
            waiting.add(batch)
    kept = np.array([row for row in range(len(job.table)) if row not in failures], np.int64)
    return StoredVectors(
        rows=kept,
        keys={view: [view_keys[row] for row in kept] for view, view_keys in keys.items()},
        failures=failures,
        n_computed=n_computed,
    )


def _keys(job: AuditJob, view: ViewSpec) -> list[str]:
    return [vector_key(crop, view) for crop in job.crops]


class _Waiting:
    """Vectors that wait until there are enough of them for a block of the store."""

    def __init__(
        self, store: VectorStore, keys: dict[View, list[str]], row_of_id: dict[int, int]
    ) -> None:
        self._store = store
        self._keys = keys
        self._row_of_id = row_of_id
        self._batches: list[EmbeddedBatch] = []
        self._kept_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._keep()

    def add(self, batch: EmbeddedBatch) -> None:
        self._batches.append(batch)
        n_vectors = sum(len(waiting.row_ids) for waiting in self._batches)
        is_late = time.monotonic() - self._kept_at > _SECONDS_KEPT_BACK
        if n_vectors >= _ROWS_KEPT_BACK * len(View) or is_late:
            self._keep()

    def _keep(self) -> None:
        batches, self._batches = self._batches, []
        self._kept_at = time.monotonic()
        if not batches:
            return
        self._store.append(
            [
                self._keys[view.view][self._row_of_id[int(row_id)]]
                for batch in batches
                for row_id, view in zip(batch.row_ids, batch.views, strict=True)
            ],
            np.concatenate([batch.vectors for batch in batches]),
        )
