"""From rows to vectors: one decode a row serves all its views, and no core waits for another.

The rows are cut into small batches in their order. As many threads as cores each take a batch
through all steps (decode, draw views, resize, forward pass), so that one core decodes while
another runs the network; a GPU takes one batch at a time while all threads decode. Results come
in the order of the rows, whichever thread is first.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from cfr_core.encoders.crops import views_of
from cfr_core.encoders.encoder import Encoder
from cfr_core.encoders.preprocess import to_inputs
from cfr_core.encoders.threads import compute_alone, n_cores, thread_count_restored
from cfr_core.errors import ImageError, MaskError, MissingMaskError
from cfr_core.types import (
    CropRequest,
    Float32Array,
    ImageArray,
    IntArray,
    OnProgress,
    Progress,
    ViewSpec,
    no_progress,
)

_BATCHES_WAITING = 2
"""Batches in hand beyond one a thread, so that none waits for the consumer of the results."""


class FailureKind(StrEnum):
    """Why a row has no vectors."""

    UNREADABLE = "unreadable"
    NOT_FINITE = "embedding not finite"


@dataclass(frozen=True)
class RowFailure:
    """A row that has no vectors, in any view.

    Attributes:
        row_id: The row.
        kind: What went wrong.
        reason: In words, with the file.
    """

    row_id: int
    kind: FailureKind
    reason: str


@dataclass(frozen=True)
class EmbeddedBatch:
    """Vectors of some rows, the views of a row next to each other, rows in the order asked.

    Attributes:
        row_ids: (B,) int64.
        views: B views.
        vectors: (B, dim) float32 unit rows, all finite.
        failures: Rows of this batch that have no vectors.
    """

    row_ids: IntArray
    views: tuple[ViewSpec, ...]
    vectors: Float32Array
    failures: tuple[RowFailure, ...]


def embed(
    requests: Sequence[CropRequest],
    encoder: Encoder,
    *,
    batch_size: int | None = None,
    on_progress: OnProgress = no_progress,
) -> Iterator[EmbeddedBatch]:
    """Embed the views that rows ask for.

    A row that cannot be read, or has a view without a finite vector, costs itself alone: it is
    in `failures` and in none of the views.

    Args:
        requests: The rows, with the views that are missing.
        encoder: From `load_encoder`.
        batch_size: Images in one forward pass, None for what suits the device. Vectors do not
            depend on it beyond 1e-5, in float32.
        on_progress: Told the images done and in total.

    Yields:
        Batches, in the order of the rows. Closing the iterator ends the work.

    Raises:
        DeviceError: if not even one image fits the memory of a GPU.
    """
    batches = _batches(requests, batch_size or encoder.batch_size)
    total = sum(len(request.views) for request in requests)
    done = 0
    on_progress(Progress("Embedding", done, total))
    for batch, n_images in _in_threads(batches, encoder):
        done += n_images
        on_progress(Progress("Embedding", done, total))
        yield batch


def _batches(requests: Sequence[CropRequest], max_images: int) -> Iterator[list[CropRequest]]:
    """Rows in their order, cut so that a batch holds at most so many images, or one row."""
    batch: list[CropRequest] = []
    n_images = 0
    for request in requests:
        if batch and n_images + len(request.views) > max_images:
            yield batch
            batch, n_images = [], 0
        batch.append(request)
        n_images += len(request.views)
    if batch:
        yield batch


def _in_threads(
    batches: Iterator[list[CropRequest]], encoder: Encoder
) -> Iterator[tuple[EmbeddedBatch, int]]:
    n_threads = n_cores()
    pending: deque[Future[tuple[EmbeddedBatch, int]]] = deque()
    with (
        thread_count_restored(),
        ThreadPoolExecutor(n_threads, "embed", initializer=compute_alone) as pool,
    ):
        try:
            for batch in batches:
                pending.append(pool.submit(_embed_batch, batch, encoder))
                if len(pending) > n_threads + _BATCHES_WAITING:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def _embed_batch(requests: list[CropRequest], encoder: Encoder) -> tuple[EmbeddedBatch, int]:
    readable: list[CropRequest] = []
    inputs = [_no_inputs(encoder)]
    failures: list[RowFailure] = []
    for request in requests:
        try:
            inputs.append(to_inputs(views_of(request), encoder.spec))
            readable.append(request)
        except (ImageError, MaskError, MissingMaskError) as error:
            failures.append(_failure(request, FailureKind.UNREADABLE, str(error)))
    vectors = encoder.embed_inputs(np.concatenate(inputs))
    batch = _finite_rows(readable, vectors, failures)
    return batch, sum(len(request.views) for request in requests)


def _finite_rows(
    requests: list[CropRequest], vectors: Float32Array, failures: list[RowFailure]
) -> EmbeddedBatch:
    """The rows whose vectors are finite in every view; the others join the failures."""
    n_views = np.array([len(request.views) for request in requests], np.int64)
    row_ids = np.repeat(np.array([request.row_id for request in requests], np.int64), n_views)
    views = [view for request in requests for view in request.views]
    is_finite = np.isfinite(vectors).all(axis=1)
    lost_rows = set(row_ids[~is_finite].tolist())
    kept = np.array([row_id not in lost_rows for row_id in row_ids.tolist()], np.bool_)
    lost = [
        _failure(request, FailureKind.NOT_FINITE, "the network gives no finite vector")
        for request in requests
        if request.row_id in lost_rows
    ]
    return EmbeddedBatch(
        row_ids=row_ids[kept],
        views=tuple(view for view, is_kept in zip(views, kept, strict=True) if is_kept),
        vectors=vectors[kept],
        failures=(*failures, *lost),
    )


def _failure(request: CropRequest, kind: FailureKind, reason: str) -> RowFailure:
    named = reason if request.path in reason else f"{request.path}: {reason}"
    return RowFailure(request.row_id, kind, named)


def _no_inputs(encoder: Encoder) -> ImageArray:
    size = encoder.spec.input_size_px
    return np.empty((0, size, size, 3), np.uint8)
