"""Embedding four views: against four passes that decode each time, and against the bare network.

The photos are the zebras beside the checkout where they are, else generated ones of the same size;
each gets an ellipse as its mask.
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from benchmarks.table import Row
from cfr_core.encoders.cards import find_card
from cfr_core.encoders.crops import views_of
from cfr_core.encoders.encoder import Encoder, load_encoder
from cfr_core.encoders.network import Network, build_network
from cfr_core.encoders.pipeline import embed
from cfr_core.encoders.preprocess import to_inputs
from cfr_core.encoders.threads import compute_alone, n_cores, thread_count_restored
from cfr_core.encoders.weights import get_weights
from cfr_core.images import decode
from cfr_core.masks import rle
from cfr_core.types import CropRequest, ImageArray, Mask, MaskStatus, View, ViewSpec
from cfr_core.views import render

ENCODER = "effnet-lite0"
VIEWS = tuple(ViewSpec(view) for view in View)
_ZEBRAS = Path(__file__).parents[2] / "shared" / "data" / "zebra_stripespotter" / "images"
_N_PHOTOS = 48
_N_PHOTOS_SLOW = 16
_GENERATED_WH = (1320, 960)
_PASS_BATCH = 32
_ROUNDS = 5


def rows() -> Iterable[Row]:
    """Measure both ratios, the sides in turn, best of a few rounds."""
    with tempfile.TemporaryDirectory() as folder:
        paths = sorted(_ZEBRAS.rglob("*.jpg"))[:_N_PHOTOS] or _generated_photos(Path(folder))
        requests = [_request(number, path) for number, path in enumerate(paths)]
        encoder = load_encoder(
            ENCODER, Path(folder), cache_dir=Path(folder), device="cpu", calibration=requests
        )
        yield _against_separate_passes(requests[:_N_PHOTOS_SLOW], encoder)
        yield _against_bare_network(requests, encoder)


def _against_separate_passes(requests: Sequence[CropRequest], encoder: Encoder) -> Row:
    card = find_card(ENCODER)
    network = build_network(card, get_weights(card, Path()))
    ours_s, other_s = _best_in_turn(
        lambda: _run_pipeline(requests, encoder), lambda: _separate_passes(requests, network)
    )
    n_images = len(requests) * len(VIEWS)
    return Row(
        what=f"embed four views of {_photos_in_words(requests)}, {ENCODER}",
        ours=f"{n_images / ours_s:.0f} images/s ({encoder.engine})",
        other=f"a pass with decoding for each view, PyTorch's defaults {n_images / other_s:.0f}/s",
        ratio=other_s / ours_s,
        bound="at least",
        target=3.0,
    )


def _against_bare_network(requests: Sequence[CropRequest], encoder: Encoder) -> Row:
    inputs = np.concatenate([to_inputs(views_of(request), encoder.spec) for request in requests])
    batches = [
        inputs[start : start + encoder.batch_size]
        for start in range(0, len(inputs), encoder.batch_size)
    ]
    ours_s, bare_s = _best_in_turn(
        lambda: _run_pipeline(requests, encoder), lambda: _run_network(batches, encoder)
    )
    return Row(
        what=f"files to vectors, four views of {_photos_in_words(requests)}, {ENCODER}",
        ours=f"{len(inputs) / ours_s:.0f} images/s",
        other=f"{encoder.engine} alone, inputs in memory {len(inputs) / bare_s:.0f} images/s",
        ratio=bare_s / ours_s,
        bound="at least",
        target=0.7,
    )


def _best_in_turn(ours: Callable[[], None], other: Callable[[], None]) -> tuple[float, float]:
    """Shortest time of each side in seconds, taken in turn after a warm-up."""
    ours()
    other()
    durations_s = [(_seconds(ours), _seconds(other)) for _ in range(_ROUNDS)]
    ours_s, other_s = np.min(durations_s, axis=0)
    return float(ours_s), float(other_s)


def _seconds(task: Callable[[], None]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def _run_pipeline(requests: Sequence[CropRequest], encoder: Encoder) -> None:
    for batch in embed(requests, encoder):
        if batch.failures:
            raise RuntimeError(batch.failures[0].reason)


def _run_network(batches: Sequence[ImageArray], encoder: Encoder) -> None:
    """The same engine on the same threads, with nothing left to do but the forward pass."""
    with thread_count_restored(), ThreadPoolExecutor(n_cores(), initializer=compute_alone) as pool:
        for _ in pool.map(encoder.embed_inputs, batches):
            pass


def _separate_passes(requests: Sequence[CropRequest], network: Network) -> None:
    """Each view by itself, from the file on: the way of a script that knows one view."""
    size = (find_card(ENCODER).input_size_px,) * 2
    for view in VIEWS:
        for start in range(0, len(requests), _PASS_BATCH):
            inputs = []
            for request in requests[start : start + _PASS_BATCH]:
                if request.mask is None:
                    raise ValueError(f"{request.path} has no mask")
                photo = decode(Path(request.path)).pixels
                drawn = Image.fromarray(render(photo, rle.decode(request.mask), view))
                resized = np.asarray(drawn.resize(size, Image.Resampling.BICUBIC))
                inputs.append(torch.from_numpy(resized.copy()).permute(2, 0, 1))
            pixels = torch.stack(inputs).contiguous()
            with torch.inference_mode():
                network.backbone((pixels.float() - network.mean) / network.std)


def _request(number: int, path: Path) -> CropRequest:
    height, width = decode(path).pixels.shape[:2]
    y, x = np.ogrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    ellipse = (x / 0.8) ** 2 + (y / 0.7) ** 2 < 1
    mask = Mask(number, (height, width), rle.encode(ellipse), "dataset", MaskStatus.ACCEPTED)
    return CropRequest(number, str(path), None, mask, VIEWS)


def _photos_in_words(requests: Sequence[CropRequest]) -> str:
    sizes = [np.prod(request.mask.size_hw) for request in requests if request.mask]
    return f"{len(requests)} photos of {np.mean(sizes) / 1e6:.2f} MP"


def _generated_photos(folder: Path) -> list[Path]:
    """Photo-like JPEG files: smooth colours with fine noise."""
    rng = np.random.default_rng(0)
    paths = [folder / f"{number:02d}.jpg" for number in range(_N_PHOTOS)]
    for path in paths:
        coarse = Image.fromarray(rng.integers(0, 256, (12, 16, 3), dtype=np.uint8))
        smooth = np.asarray(coarse.resize(_GENERATED_WH, Image.Resampling.BICUBIC), np.int16)
        noisy = smooth + rng.integers(-12, 13, smooth.shape, dtype=np.int16)
        Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(path, quality=88)
    return paths
