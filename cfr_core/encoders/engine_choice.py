"""Chooses the engine of an encoder by measurement on real photos, once per encoder and machine.

Which engine is fastest depends on the architecture and the processor, by up to a factor of five.
Only those count whose vectors agree with PyTorch's in float32 on the CPU.
"""

import json
import logging
import os
import platform
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnxruntime
import timm
import torch

from cfr_core.encoders.devices import processor_name
from cfr_core.encoders.engines import (
    ONNX_IMAGES,
    Engine,
    EngineUnavailableError,
    OnnxEngine,
    Precision,
    TorchEngine,
    export_onnx,
)
from cfr_core.encoders.network import Network
from cfr_core.encoders.threads import compute_alone, thread_count_restored
from cfr_core.fingerprint import fingerprint
from cfr_core.types import EncoderSpec, Float32Array, ImageArray, OnProgress, Progress

_LOG = logging.getLogger(__name__)

MIN_COSINE = 0.9999
"""Least cosine similarity to PyTorch's vectors that an engine must keep on every image."""
WORTHWHILE = 1.1
"""How much faster than plain PyTorch an engine must be to take its place."""
_MAX_RUNS = 3
_ENOUGH_S = 1.0

Builders: TypeAlias = Mapping[str, Callable[[], Engine]]


@dataclass(frozen=True)
class Measurement:
    """An engine on the calibration images.

    Attributes:
        images_per_s: Speed, on the CPU that of one core; 0 if it does not run.
        min_cosine: Least cosine similarity to PyTorch's vectors in float32; 0 if it does not run.
        fault: Why it does not run, or "".
    """

    images_per_s: float
    min_cosine: float
    fault: str = ""


def choose_engine(
    network: Callable[[], Network],
    spec: EncoderSpec,
    device: torch.device,
    *,
    cache_dir: Path,
    calibration: Callable[[], ImageArray],
    on_progress: OnProgress,
) -> Engine:
    """The fastest engine that agrees, as remembered from an earlier call or measured now.

    Args:
        network: Gives the network, the same at each call, on the CPU and in float32; it is moved to
            the device. Not asked where ONNX Runtime is remembered, with its export.
        spec: The encoder.
        device: Where to run.
        cache_dir: Folder of what may be deleted at any time; the choice is kept below it.
        calibration: Gives (N, S, S, 3) uint8 photos in the encoder's input size; asked only if
            nothing is remembered. Without photos the answer is PyTorch in float32, not remembered.
        on_progress: Told how many engines are measured.
    """
    setting = _setting(spec, device)
    stem = cache_dir / "engines" / fingerprint(**setting)[:32]
    memory, onnx_path = stem.with_suffix(".json"), stem.with_suffix(".onnx")
    builders = _builders(network, device, onnx_path, spec.input_size_px)
    remembered = _remembered(memory)
    if remembered in builders:
        try:
            return builders[remembered]()
        except EngineUnavailableError as error:
            _LOG.warning("%s, chosen earlier, is measured anew: %s", remembered, error)
    pixels = calibration()
    if not len(pixels):
        return next(iter(builders.values()))()
    clock, reference = _yardstick(network, device, pixels)
    measurements = measure_engines(
        builders, pixels, reference, clock=clock, on_progress=on_progress
    )
    chosen = fastest(measurements)
    _remember(memory, chosen, measurements, setting)
    engine = builders[chosen]()
    if not isinstance(engine, OnnxEngine):
        onnx_path.unlink(missing_ok=True)
    return engine


def measure_engines(
    builders: Builders,
    pixels: ImageArray,
    reference: Float32Array | None,
    *,
    clock: Callable[[], float],
    on_progress: OnProgress,
) -> dict[str, Measurement]:
    """Speed and agreement of each engine; one that fails is measured as such.

    Args:
        builders: Engines by name, plain PyTorch first.
        pixels: (N, S, S, 3) uint8 photos.
        reference: (N, dim) vectors that they must agree with; None for those of the first engine.
        clock: Tells seconds.
        on_progress: Told how many engines are measured.
    """
    measurements: dict[str, Measurement] = {}
    for done, (name, build) in enumerate(builders.items()):
        on_progress(Progress("Choosing the fastest engine", done, len(builders), "engines"))
        try:
            with thread_count_restored():
                compute_alone()
                engine = build()
                vectors = engine(pixels)  # the first run also plans memory and compiles kernels
                reference = vectors if reference is None else reference
                min_cosine = _min_cosine(vectors, reference)
                measurements[name] = _measure(engine, pixels, min_cosine, clock)
        except (EngineUnavailableError, RuntimeError) as error:
            if not measurements:
                raise  # plain PyTorch, which nothing stands in for
            _LOG.info("%s does not run this encoder: %s", name, error)
            measurements[name] = Measurement(0.0, 0.0, str(error)[:200])
    on_progress(Progress("Choosing the fastest engine", len(builders), len(builders), "engines"))
    return measurements


def fastest(measurements: Mapping[str, Measurement]) -> str:
    """Name of the fastest engine that agrees; the first one, unless another is worth the change."""
    plain, *others = measurements
    agreeing = [name for name in others if measurements[name].min_cosine >= MIN_COSINE]
    best = max(agreeing, key=lambda name: measurements[name].images_per_s, default=plain)
    gain = measurements[best].images_per_s / measurements[plain].images_per_s
    return best if gain >= WORTHWHILE else plain


def _yardstick(
    network: Callable[[], Network], device: torch.device, pixels: ImageArray
) -> tuple[Callable[[], float], Float32Array | None]:
    """The clock and the reference for `measure_engines`."""
    if device.type == "cpu":
        # An engine computes on the calling thread, whose own time other programs do not lengthen;
        # the first of them is PyTorch in float32.
        return time.thread_time, None
    return time.perf_counter, TorchEngine(network(), torch.device("cpu"), "float32")(pixels)


def _measure(
    engine: Engine, pixels: ImageArray, min_cosine: float, clock: Callable[[], float]
) -> Measurement:
    max_runs = _MAX_RUNS if min_cosine >= MIN_COSINE else 1  # it will not be taken
    durations_s: list[float] = []
    while len(durations_s) < max_runs and sum(durations_s) < _ENOUGH_S:
        start = clock()
        engine(pixels)
        durations_s.append(clock() - start)
    return Measurement(len(pixels) / min(durations_s), min_cosine)


def _min_cosine(vectors: Float32Array, reference: Float32Array) -> float:
    a, b = vectors.astype(np.float64), reference.astype(np.float64)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    cosines = np.divide((a * b).sum(axis=1), lengths, out=np.zeros(len(a)), where=lengths > 0)
    # A vector that is not finite agrees with nothing.
    return float(np.nan_to_num(cosines, nan=0.0).min())


def _builders(
    network: Callable[[], Network], device: torch.device, onnx_path: Path, size_px: int
) -> Builders:
    """Engines that may suit a device, plain PyTorch first."""
    builders: dict[str, Callable[[], Engine]] = {}

    def add_torch(precision: Precision) -> None:
        name = f"torch-{precision}-{device.type}"
        builders[name] = lambda: TorchEngine(network(), device, precision)

    add_torch("float32")
    if device.type != "cpu":
        add_torch("float16")
        return builders
    if "AVX512" in torch.backends.cpu.get_cpu_capability():
        add_torch("bfloat16")  # emulated elsewhere, and then five times slower than float32
    builders[OnnxEngine.name] = lambda: _onnx_engine(network, onnx_path, size_px)
    return builders


def _onnx_engine(network: Callable[[], Network], path: Path, size_px: int) -> Engine:
    if not path.is_file():
        export_onnx(network(), path, input_size_px=size_px)
    try:
        return OnnxEngine(path)
    except EngineUnavailableError:
        path.unlink()  # damaged, or not for this machine: the next call exports it again
        raise


def _setting(spec: EncoderSpec, device: torch.device) -> dict[str, Any]:
    """What the choice depends on."""
    gpu = torch.cuda.get_device_name(device) if device.type == "cuda" else ""
    return {
        "encoder": spec.fingerprint,
        "device": device.type,
        "processor": [processor_name(), platform.machine(), os.cpu_count(), gpu],
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "versions": [torch.__version__, timm.__version__, onnxruntime.__version__],
        "onnx_images": ONNX_IMAGES,
    }


def _remembered(memory: Path) -> str:
    try:
        return str(json.loads(memory.read_text(encoding="utf-8"))["engine"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""  # never measured, or the cache was damaged: either way it is measured


def _remember(
    memory: Path, chosen: str, measurements: Mapping[str, Measurement], setting: dict[str, Any]
) -> None:
    engines = {name: asdict(measurement) for name, measurement in measurements.items()}
    text = json.dumps({"engine": chosen, "engines": engines, "setting": setting}, indent=2)
    memory.parent.mkdir(parents=True, exist_ok=True)
    temporary = memory.with_name(f".{secrets.token_hex(6)}.{memory.name}")
    temporary.write_text(text + "\n", encoding="utf-8")
    temporary.replace(memory)
