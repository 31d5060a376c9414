"""Engines: what runs a network's forward pass. All take the same pixels and agree on the vectors.

An engine may be called from several threads. On the CPU a call computes on its own thread alone:
the pipeline keeps every core busy with a call each, which is faster than to share one call among
cores, and leaves no thread spinning where another decodes.
"""

import logging
import secrets
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import numpy as np
import onnxruntime
import torch

from cfr_core.encoders.network import Network
from cfr_core.errors import DeviceError
from cfr_core.types import Float32Array, ImageArray

_LOG = logging.getLogger(__name__)

Precision: TypeAlias = Literal["float32", "bfloat16", "float16"]
_HALF = {"bfloat16": torch.bfloat16, "float16": torch.float16}
_ONNX_OPSET = 17
_ONNX_INPUT = "pixels"
ONNX_IMAGES = 2
"""Images in each run of an exported network, a fixed number: ONNX Runtime then knows every shape,
folds TensorFlow's padding into the convolutions, and keeps activations in a core's cache. That is
1.5 times faster for EfficientNets than batches of any size, and not slower for others."""
_ONNX_MAX_BYTES = 1_900_000_000
"""An ONNX file is a protocol buffer, which ends at 2 GB."""
_ONNX_SEVERITY_ERROR = 3


class EngineUnavailableError(Exception):
    """An engine cannot run this network on this machine; another one can."""


class Engine(Protocol):
    """A forward pass: (N, S, S, 3) uint8 pixels to (N, dim) float32, not normalised in length."""

    name: str

    def __call__(self, pixels: ImageArray) -> Float32Array:
        """Run the network on a batch of N >= 1."""
        ...


class TorchEngine:
    """PyTorch on any device, channels last (which is how pixels come), half precision if asked."""

    def __init__(self, network: Network, device: torch.device, precision: Precision) -> None:
        self.name = f"torch-{precision}-{device.type}"
        self._network = network.to(device).to(memory_format=torch.channels_last)
        self._device = device
        self._half = _HALF.get(precision)
        # A GPU runs one batch at a time: two would only need twice the memory.
        self._turn = nullcontext() if device.type == "cpu" else threading.Lock()
        self._max_images = 1 << 30

    def __call__(self, pixels: ImageArray) -> Float32Array:
        """Run the network; when memory runs out, halve the batch and go on.

        Raises:
            DeviceError: if not even one image fits.
        """
        vectors: list[Float32Array] = []
        start = 0
        with self._turn:
            while start < len(pixels):
                piece = pixels[start : start + self._max_images]
                try:
                    vectors.append(self._forward(piece))
                    start += len(piece)
                except torch.OutOfMemoryError as error:
                    self._shrink(len(piece), error)
        return np.concatenate(vectors)

    def _shrink(self, n_images: int, error: torch.OutOfMemoryError) -> None:
        if n_images == 1:
            raise DeviceError(
                f"the memory of {self._device} does not hold one image of this encoder; free "
                "some, or choose the device 'cpu'"
            ) from error
        self._max_images = n_images // 2
        _LOG.warning("%s is out of memory: going on with %d images", self._device, n_images // 2)

    def _forward(self, pixels: ImageArray) -> Float32Array:
        # Made anew for each call: one autocast object is not safe in several threads.
        autocast = torch.autocast(self._device.type, self._half) if self._half else nullcontext()
        with torch.inference_mode(), autocast:
            vectors = self._network(torch.from_numpy(pixels).to(self._device))
            array: Float32Array = vectors.float().cpu().numpy()
            return array


class OnnxEngine:
    """ONNX Runtime on the CPU."""

    name = "onnxruntime-float32-cpu"

    def __init__(self, path: Path) -> None:
        """Open an exported network.

        Raises:
            EngineUnavailableError: if ONNX Runtime does not take the file.
        """
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = _ONNX_SEVERITY_ERROR
        try:
            self._session = onnxruntime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its exceptions share no base but this
            raise EngineUnavailableError(f"ONNX Runtime cannot open it: {error}") from error

    def __call__(self, pixels: ImageArray) -> Float32Array:
        """Run the network.

        Raises:
            EngineUnavailableError: if ONNX Runtime fails on it.
        """
        n_images = len(pixels)
        if n_images % ONNX_IMAGES:
            filling = np.repeat(pixels[-1:], -n_images % ONNX_IMAGES, axis=0)
            pixels = np.concatenate([pixels, filling])
        starts = range(0, n_images, ONNX_IMAGES)
        try:
            vectors = [
                self._session.run(None, {_ONNX_INPUT: pixels[start : start + ONNX_IMAGES]})[0]
                for start in starts
            ]
        except Exception as error:  # its exceptions share no base but this
            raise EngineUnavailableError(f"ONNX Runtime cannot run it: {error}") from error
        return np.concatenate(vectors)[:n_images]


def export_onnx(network: Network, path: Path, *, input_size_px: int) -> None:
    """Write a network as an ONNX file that takes ONNX_IMAGES at a time, in silence.

    Args:
        network: On the CPU, in float32.
        path: Final path; its folder is made.
        input_size_px: Side of the input.

    Raises:
        EngineUnavailableError: if the network is too large or has a part that ONNX has not.
    """
    n_bytes = sum(weights.nbytes for weights in network.state_dict().values())
    if n_bytes > _ONNX_MAX_BYTES:
        raise EngineUnavailableError(f"{n_bytes / 1e9:.1f} GB of weights do not fit one ONNX file")
    example = torch.zeros((ONNX_IMAGES, input_size_px, input_size_px, 3), dtype=torch.uint8)
    temporary = path.with_name(f".{secrets.token_hex(6)}.{path.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with warnings.catch_warnings(action="ignore"), _no_export_log():
            torch.onnx.export(
                network,
                (example,),
                temporary,
                # The exporter by tracing: ten times faster than the newer one, and less to install.
                dynamo=False,
                opset_version=_ONNX_OPSET,
                input_names=[_ONNX_INPUT],
                output_names=["embeddings"],
            )
        temporary.replace(path)
    except Exception as error:  # an operator it lacks can raise any kind
        raise EngineUnavailableError(f"no ONNX export: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _no_export_log() -> Iterator[None]:
    """Keep the exporter from printing the whole network to standard output when it fails."""
    # Its own switch does not work: setup_onnx_logging tests the function that reads it, unasked.
    before = torch._C._jit_onnx_log
    torch._C._jit_onnx_log = lambda *_: None
    try:
        yield
    finally:
        torch._C._jit_onnx_log = before
