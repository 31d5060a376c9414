"""Encoders ready to use: weights, network, device and engine put together."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import torch

from cfr_core.encoders.cards import EncoderCard, find_card
from cfr_core.encoders.crops import views_of
from cfr_core.encoders.devices import resolve_device
from cfr_core.encoders.engine_choice import choose_engine
from cfr_core.encoders.engines import Engine
from cfr_core.encoders.network import Network, build_network
from cfr_core.encoders.preprocess import to_inputs
from cfr_core.encoders.weights import get_weights
from cfr_core.errors import ImageError, MaskError, MissingMaskError
from cfr_core.types import (
    CropRequest,
    DeviceChoice,
    EncoderSpec,
    Float32Array,
    ImageArray,
    OnProgress,
    no_progress,
)

_LOG = logging.getLogger(__name__)
_CPU_BATCH = 8
_GPU_BATCH = 64
_CALIBRATION_IMAGES = 8


@dataclass(frozen=True)
class Encoder:
    """A network that turns crops into vectors; safe to use from several threads.

    Attributes:
        spec: Everything that changes a vector, but for the engine.
        device: "cpu", "cuda" or "mps".
    """

    spec: EncoderSpec
    device: str
    _engine: Engine

    @property
    def engine(self) -> str:
        """What runs the network, such as "onnxruntime-float32-cpu"."""
        return self._engine.name

    @property
    def batch_size(self) -> int:
        """Images for one forward pass: few on a CPU, where they then stay in its cache."""
        return _CPU_BATCH if self.device == "cpu" else _GPU_BATCH

    def embed_images(self, images: Sequence[ImageArray]) -> Float32Array:
        """Vectors of crops.

        Args:
            images: (H, W, 3) uint8 RGB each, of any size.

        Returns:
            (N, dim) float32 unit rows; a row that is not finite marks an image without a vector.
        """
        return self.embed_inputs(to_inputs(images, self.spec))

    def embed_inputs(self, inputs: ImageArray) -> Float32Array:
        """Vectors of crops that are resized already.

        Args:
            inputs: (N, S, S, 3) uint8 in the encoder's input size.

        Returns:
            (N, dim) float32 unit rows; NaN where the network gives no direction.
        """
        if not len(inputs):
            return np.empty((0, self.spec.dim), np.float32)
        vectors = self._engine(inputs).astype(np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        has_direction = np.isfinite(lengths) & (lengths > 0)
        unit = np.full(vectors.shape, np.nan)
        np.divide(vectors, lengths, out=unit, where=has_direction)
        return unit.astype(np.float32)


def load_encoder(
    name: str,
    checkpoints_dir: Path,
    *,
    cache_dir: Path,
    device: DeviceChoice = "auto",
    on_progress: OnProgress = no_progress,
    calibration: Sequence[CropRequest] = (),
) -> Encoder:
    """An encoder by name, on the fastest engine that agrees with PyTorch.

    Args:
        name: Name in the registry, "timm:NAME" or "file:ARCH:PATH".
        checkpoints_dir: Folder of weights, which can be filled by hand.
        cache_dir: Folder of what may be deleted at any time; the choice of engine is kept there.
        device: Where to run; "auto" takes a GPU that works, else the CPU.
        on_progress: Told of a download, and of the measurement of engines.
        calibration: Rows of the dataset to measure engines on, where none is remembered. Without
            any, PyTorch in float32 runs.

    Raises:
        InputError: if the name is not known.
        WeightsError: if the weights are not here and cannot be had, or do not fit.
        DeviceError: if the device cannot be used.
    """
    card = find_card(name)
    target = resolve_device(device)
    weights = get_weights(card, checkpoints_dir, on_progress=on_progress)
    network = cache(partial(build_network, card, weights))
    spec = _spec(card, weights.sha256, network)
    engine = choose_engine(
        network,
        spec,
        target,
        cache_dir=cache_dir,
        calibration=partial(_calibration_inputs, calibration, spec),
        on_progress=on_progress,
    )
    return Encoder(spec, target.type, engine)


def _spec(card: EncoderCard, weights_sha256: str, network: Callable[[], Network]) -> EncoderSpec:
    return EncoderSpec(
        name=card.name,
        architecture=card.architecture,
        weights_sha256=weights_sha256,
        input_size_px=card.input_size_px,
        mean=card.mean,
        std=card.std,
        interpolation=card.interpolation,
        dim=card.dim or _dim(network(), card.input_size_px),
        licence=card.licence,
    )


def _dim(network: Network, size_px: int) -> int:
    with torch.inference_mode():
        blank = torch.zeros((1, size_px, size_px, 3), dtype=torch.uint8)
        return int(network(blank).shape[1])


def _calibration_inputs(requests: Sequence[CropRequest], spec: EncoderSpec) -> ImageArray:
    """One view of each of a few rows, all views in turn, over the whole dataset."""
    step = max(1, len(requests) // _CALIBRATION_IMAGES)
    chosen = [request for request in requests[::step] if request.views][:_CALIBRATION_IMAGES]
    images: list[ImageArray] = []
    for number, request in enumerate(chosen):
        view = request.views[number % len(request.views)]
        try:
            images += views_of(replace(request, views=(view,)))
        except (ImageError, MaskError, MissingMaskError) as error:
            _LOG.info("not used to measure engines: %s", error)
    return to_inputs(images, spec)
