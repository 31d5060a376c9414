import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cfr_core.encoders import crops
from cfr_core.encoders.encoder import Encoder
from cfr_core.encoders.engines import TorchEngine
from cfr_core.encoders.network import Network
from cfr_core.encoders.pipeline import EmbeddedBatch, FailureKind, RowFailure, embed
from cfr_core.images import crop, decode
from cfr_core.masks import rle
from cfr_core.types import CropRequest, Float32Array, Mask, MaskStatus, Progress, View, ViewSpec
from cfr_core.views import render
from tests.cfr_core.encoders.conftest import FOUR_VIEWS, GRID_SPEC, GridEngine

MakeRequest = Callable[..., CropRequest]


def collect(
    batches: Sequence[EmbeddedBatch],
) -> tuple[list[tuple[int, View]], Float32Array, list[RowFailure]]:
    keys = [
        (int(row_id), view.view)
        for batch in batches
        for row_id, view in zip(batch.row_ids, batch.views, strict=True)
    ]
    vectors = np.concatenate([batch.vectors for batch in batches])
    return keys, vectors, [failure for batch in batches for failure in batch.failures]


def run(
    requests: Sequence[CropRequest], encoder: Encoder, batch_size: int | None = None
) -> tuple[list[tuple[int, View]], Float32Array, list[RowFailure]]:
    return collect(list(embed(requests, encoder, batch_size=batch_size)))


def alone(request: CropRequest, spec: ViewSpec, encoder: Encoder) -> Float32Array:
    """A view's vector without the pipeline: read, draw, resize, embed."""
    pixels = crop(decode(Path(request.path)).pixels, request.bbox_xywh)
    mask = rle.decode(request.mask) if request.mask else None
    return encoder.embed_images([render(pixels, mask, spec)])[0]


def test_each_view_gets_the_vector_it_has_alone_in_the_order_asked(
    make_request: MakeRequest, grid_encoder: Encoder
) -> None:
    requests = [make_request(row_id) for row_id in (7, 3, 5, 1)]
    keys, vectors, failures = run(requests, grid_encoder)
    assert keys == [(request.row_id, view.view) for request in requests for view in FOUR_VIEWS]
    expected = [alone(request, view, grid_encoder) for request in requests for view in FOUR_VIEWS]
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors.dtype == np.float32
    assert len(np.unique(vectors.round(5), axis=0)) == len(vectors)
    assert not failures


def test_only_the_views_asked_are_made(make_request: MakeRequest, grid_encoder: Encoder) -> None:
    shortcut, full = FOUR_VIEWS[2], FOUR_VIEWS[0]
    requests = [
        make_request(1, views=(shortcut,)),
        make_request(2, views=(full,), mask=None),  # the full view needs no mask
        make_request(3, views=()),
        make_request(4, views=(full, shortcut)),
    ]
    keys, _, failures = run(requests, grid_encoder)
    assert keys == [
        (1, View.SHORTCUT),
        (2, View.FULL),
        (4, View.FULL),
        (4, View.SHORTCUT),
    ]
    assert not failures


def test_a_box_is_cut_before_the_views_are_drawn(
    make_request: MakeRequest, grid_encoder: Encoder
) -> None:
    pixels = np.zeros((12, 14), np.bool_)
    pixels[3:9, 4:11] = True
    mask = Mask(1, (12, 14), rle.encode(pixels), "human", MaskStatus.ACCEPTED)
    request = make_request(1, bbox_xywh=(5, 6, 14, 12), mask=mask)
    _, vectors, _ = run([request], grid_encoder)
    expected = [alone(request, view, grid_encoder) for view in FOUR_VIEWS]
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_one_decode_serves_all_views(
    make_request: MakeRequest, grid_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[Path] = []

    def counting(path: Path, **options: str | None) -> object:
        decoded.append(path)
        return decode(path, **options)

    monkeypatch.setattr(crops, "decode", counting)
    requests = [make_request(row_id) for row_id in range(9)]
    run(requests, grid_encoder)
    assert sorted(decoded) == sorted(Path(request.path) for request in requests)


def a_missing_file(request: CropRequest) -> CropRequest:
    Path(request.path).unlink()
    return request


def a_truncated_file(request: CropRequest) -> CropRequest:
    path = Path(request.path)
    path.write_bytes(path.read_bytes()[:-200])
    return request


def a_changed_file(request: CropRequest) -> CropRequest:
    return replace(request, file_sha256="0" * 64)


def a_box_past_the_edge(request: CropRequest) -> CropRequest:
    return replace(request, bbox_xywh=(30, 20, 40, 40))


def no_mask(request: CropRequest) -> CropRequest:
    return replace(request, mask=None)


def a_mask_of_another_size(request: CropRequest) -> CropRequest:
    mask = Mask(0, (5, 4), rle.encode(np.ones((5, 4), np.bool_)), "human", MaskStatus.ACCEPTED)
    return replace(request, mask=mask)


def an_empty_mask(request: CropRequest) -> CropRequest:
    size_hw = decode(Path(request.path)).pixels.shape[:2]
    counts = rle.encode(np.zeros(size_hw, np.bool_))
    return replace(request, mask=Mask(0, size_hw, counts, "human", MaskStatus.ACCEPTED))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (a_missing_file, "no such file"),
        (a_truncated_file, "damaged image"),
        (a_changed_file, "has changed since it was imported"),
        (a_box_past_the_edge, "not inside the image"),
        (no_mask, "no accepted mask"),
        (a_mask_of_another_size, "the mask is (5, 4)"),
        (an_empty_mask, "the mask is empty"),
    ],
)
def test_a_row_that_cannot_be_read_costs_itself_alone(
    spoil: Callable[[CropRequest], CropRequest],
    words: str,
    make_request: MakeRequest,
    grid_encoder: Encoder,
) -> None:
    requests = [make_request(row_id) for row_id in range(6)]
    _, expected, _ = run(requests, grid_encoder)
    requests[2] = spoil(requests[2])
    keys, vectors, failures = run(requests, grid_encoder, batch_size=24)
    assert [row_id for row_id, _ in keys] == [
        row_id for row_id in (0, 1, 3, 4, 5) for _ in range(4)
    ]
    np.testing.assert_array_equal(vectors, np.delete(expected, range(8, 12), axis=0))
    assert [(failure.row_id, failure.kind) for failure in failures] == [(2, FailureKind.UNREADABLE)]
    assert requests[2].path in failures[0].reason
    assert words in failures[0].reason


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0], ids=["nan", "inf", "zero length"])
def test_a_vector_without_direction_takes_its_row_out_of_every_view(
    value: float, make_request: MakeRequest
) -> None:
    def spoil_dark_images(vectors: Float32Array) -> Float32Array:
        vectors[vectors.mean(axis=1) < 50] = value  # the silhouette that fills its crop
        return vectors

    encoder = Encoder(GRID_SPEC, "cpu", GridEngine(spoil_dark_images))
    requests = [make_request(row_id) for row_id in range(4)]
    height, width = decode(Path(requests[1].path)).pixels.shape[:2]
    counts = rle.encode(np.ones((height, width), np.bool_))
    requests[1] = replace(
        requests[1], mask=Mask(1, (height, width), counts, "human", MaskStatus.ACCEPTED)
    )
    keys, vectors, failures = run(requests, encoder, batch_size=16)
    assert {row_id for row_id, _ in keys} == {0, 2, 3}
    assert np.isfinite(vectors).all()
    (failure,) = failures
    assert (failure.row_id, failure.kind) == (1, FailureKind.NOT_FINITE)
    assert requests[1].path in failure.reason


@settings(
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(batch_size=st.integers(1, 40), n_rows=st.integers(0, 9))
def test_batches_do_not_change_results(
    batch_size: int, n_rows: int, make_request: MakeRequest
) -> None:
    engine = GridEngine()
    encoder = Encoder(GRID_SPEC, "cpu", engine)
    requests = [make_request(row_id) for row_id in range(n_rows)]
    batches = list(embed(requests, encoder, batch_size=batch_size))
    assert max(engine.batches, default=0) <= max(batch_size, 4)  # a row is never split
    if n_rows:
        _, vectors, _ = collect(batches)
        expected = [alone(request, view, encoder) for request in requests for view in FOUR_VIEWS]
        np.testing.assert_array_equal(vectors, expected)
    else:
        assert batches == []


def test_a_network_gives_the_same_to_1e_5_in_any_batch(
    make_request: MakeRequest, tiny_network: Network
) -> None:
    spec = replace(GRID_SPEC, input_size_px=64)
    encoder = Encoder(spec, "cpu", TorchEngine(tiny_network, torch.device("cpu"), "float32"))
    requests = [make_request(row_id) for row_id in range(8)]
    _, expected, _ = run(requests, encoder, batch_size=1)
    for batch_size in (4, 12, 32):
        np.testing.assert_allclose(run(requests, encoder, batch_size)[1], expected, atol=1e-5)


def test_batches_run_at_the_same_time(make_request: MakeRequest) -> None:
    """Two forward passes wait for each other: one thread alone would never finish."""
    both = threading.Barrier(2, timeout=20)

    def wait(vectors: Float32Array) -> Float32Array:
        both.wait()
        return vectors

    encoder = Encoder(GRID_SPEC, "cpu", GridEngine(wait))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cfr_core.encoders.pipeline.n_cores", lambda: 2)
        keys, _, _ = run([make_request(row_id) for row_id in range(4)], encoder, batch_size=4)
    assert [row_id for row_id, _ in keys[::4]] == [0, 1, 2, 3]


class Taken(list):
    """Rows that count how many of them were taken."""

    def __init__(self, rows: list[CropRequest]) -> None:
        super().__init__(rows)
        self.n_taken = 0

    def __iter__(self) -> Iterator[CropRequest]:
        self.n_taken = 0
        for row in super().__iter__():
            self.n_taken += 1
            yield row


def test_no_more_work_is_begun_than_the_consumer_takes(
    make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cfr_core.encoders.pipeline.n_cores", lambda: 2)
    engine = GridEngine()
    requests = Taken([make_request(row_id) for row_id in range(30)])
    results = embed(requests, Encoder(GRID_SPEC, "cpu", engine), batch_size=4)
    next(results)
    assert requests.n_taken <= 7  # two threads, two waiting, one given, one begun
    results.close()
    assert len(engine.batches) <= 6


def test_an_error_of_the_engine_ends_the_work(make_request: MakeRequest) -> None:
    def fail(vectors: Float32Array) -> Float32Array:
        raise ZeroDivisionError(len(vectors))

    with pytest.raises(ZeroDivisionError):
        run(
            [make_request(row_id) for row_id in range(5)],
            Encoder(GRID_SPEC, "cpu", GridEngine(fail)),
        )


def test_progress_counts_images_and_failed_rows_too(
    make_request: MakeRequest, grid_encoder: Encoder
) -> None:
    requests = [make_request(row_id) for row_id in range(5)]
    requests[3] = no_mask(requests[3])
    seen: list[Progress] = []
    list(embed(requests, grid_encoder, batch_size=8, on_progress=seen.append))
    assert [progress.done for progress in seen] == [0, 8, 16, 20]
    assert {(p.stage, p.total, p.unit) for p in seen} == {("Embedding", 20, "images")}


def test_the_number_of_torch_threads_is_put_back(
    make_request: MakeRequest, grid_encoder: Encoder
) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        run([make_request(1)], grid_encoder)
        in_new_thread: list[int] = []
        thread = threading.Thread(target=lambda: in_new_thread.append(torch.get_num_threads()))
        thread.start()
        thread.join()
        assert (torch.get_num_threads(), in_new_thread) == (3, [3])
    finally:
        torch.set_num_threads(before)
