import itertools
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import timm
import torch

from cfr_core.encoders import engine_choice
from cfr_core.encoders.engine_choice import Measurement, choose_engine, fastest, measure_engines
from cfr_core.encoders.engines import Engine, EngineUnavailableError
from cfr_core.encoders.network import Network
from cfr_core.types import ImageArray, Progress, no_progress
from tests.cfr_core.encoders.conftest import GRID_SPEC, GridEngine
from tests.cfr_core.encoders.test_engines import photos

SPEC = replace(GRID_SPEC, input_size_px=64)
CPU = torch.device("cpu")


def choose(
    network: Network, cache_dir: Path, calibration: Callable[[], ImageArray] = lambda: photos(4)
) -> Engine:
    return choose_engine(
        lambda: network,
        SPEC,
        CPU,
        cache_dir=cache_dir,
        calibration=calibration,
        on_progress=no_progress,
    )


def never() -> ImageArray:
    raise AssertionError("photos are asked for only where nothing is remembered")


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"fast": Measurement(200, 1.0)}, "fast"),
        ({"fast": Measurement(200, 0.99989)}, "plain"),  # does not agree
        ({"fast": Measurement(200, 0.9999)}, "fast"),  # just agrees
        ({"fast": Measurement(105, 1.0)}, "plain"),  # faster, but not worth the change
        ({"fast": Measurement(0, 0, "no such operator")}, "plain"),
        ({"fast": Measurement(150, 1.0), "faster": Measurement(180, 1.0)}, "faster"),
        ({"fast": Measurement(150, 1.0), "wrong": Measurement(900, 0.5)}, "fast"),
        ({}, "plain"),
    ],
)
def test_the_fastest_engine_that_agrees_is_taken(
    others: dict[str, Measurement], expected: str
) -> None:
    assert fastest({"plain": Measurement(100, 1.0), **others}) == expected


def test_agreement_is_that_of_the_worst_image() -> None:
    def tilt_one(vectors: np.ndarray) -> np.ndarray:
        vectors[2] = np.roll(vectors[2], 1)
        return vectors

    def lose_one(vectors: np.ndarray) -> np.ndarray:
        vectors[1, 0] = np.nan
        return vectors

    def lack_an_operator(_: np.ndarray) -> np.ndarray:
        raise RuntimeError("not implemented for 'Half'")

    def raise_unavailable() -> Engine:
        raise EngineUnavailableError("not on this machine")

    reference = GridEngine()(photos(4))
    seen: list[Progress] = []
    measurements = measure_engines(
        {
            "same": GridEngine,
            "longer": lambda: GridEngine(lambda vectors: vectors * 7),
            "tilted": lambda: GridEngine(tilt_one),
            "lossy": lambda: GridEngine(lose_one),
            "absent": raise_unavailable,
            "failing": lambda: GridEngine(lack_an_operator),
        },
        photos(4),
        reference,
        clock=time.perf_counter,
        on_progress=seen.append,
    )
    rolled = np.roll(reference[2], 1)
    cosine = reference[2] @ rolled / (reference[2] @ reference[2])
    assert measurements["same"].min_cosine == pytest.approx(1)
    assert measurements["longer"].min_cosine == pytest.approx(1)
    assert measurements["tilted"].min_cosine == pytest.approx(cosine)
    assert measurements["lossy"].min_cosine == 0
    assert measurements["absent"] == Measurement(0, 0, "not on this machine")
    assert measurements["failing"] == Measurement(0, 0, "not implemented for 'Half'")
    assert measurements["same"].images_per_s > 0
    assert (seen[-1].done, seen[-1].total, seen[-1].unit) == (6, 6, "engines")


def test_without_a_reference_the_first_engine_is_it() -> None:
    builders = {"plain": GridEngine, "off": lambda: GridEngine(lambda v: v + np.arange(v.shape[1]))}
    measurements = measure_engines(
        builders, photos(3), None, clock=time.perf_counter, on_progress=no_progress
    )
    a = GridEngine()(photos(3)).astype(float)
    b = a + np.arange(a.shape[1])
    cosines = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert measurements["plain"].min_cosine == pytest.approx(1)
    assert measurements["off"].min_cosine == pytest.approx(cosines.min())


def test_a_failure_of_plain_torch_is_not_hidden() -> None:
    def fail(_: np.ndarray) -> np.ndarray:
        raise RuntimeError("the GPU fell off the bus")

    builders = {"plain": lambda: GridEngine(fail), "other": GridEngine}
    with pytest.raises(RuntimeError, match="fell off"):
        measure_engines(
            builders,
            photos(2),
            np.ones((2, 48)),
            clock=time.perf_counter,
            on_progress=no_progress,
        )


def test_speed_is_images_by_the_clock() -> None:
    ticks = itertools.count(0.0, 0.5)
    (measurement,) = measure_engines(
        {"plain": GridEngine},
        photos(4),
        GridEngine()(photos(4)),
        clock=lambda: next(ticks),
        on_progress=no_progress,
    ).values()
    assert measurement.images_per_s == 8


def test_the_choice_is_remembered_with_its_measurements(
    tiny_network: Network, tmp_path: Path
) -> None:
    first = choose(tiny_network, tmp_path)
    (memory,) = (tmp_path / "engines").glob("*.json")
    record = json.loads(memory.read_text())
    assert record["engine"] == first.name
    assert set(record["engines"]) >= {"torch-float32-cpu", "onnxruntime-float32-cpu"}
    assert all(engine["min_cosine"] > 0.9999 for engine in record["engines"].values())
    assert record["setting"]["encoder"] == SPEC.fingerprint
    again = choose(tiny_network, tmp_path, never)
    assert again.name == first.name
    np.testing.assert_array_equal(again(photos(2)), first(photos(2)))


def test_no_network_is_built_for_an_export_that_is_remembered(
    tiny_network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build() -> Network:
        raise AssertionError("the network is not needed")

    monkeypatch.setattr(engine_choice, "fastest", lambda _: "onnxruntime-float32-cpu")
    first = choose(tiny_network, tmp_path)
    again = choose_engine(
        build, SPEC, CPU, cache_dir=tmp_path, calibration=never, on_progress=no_progress
    )
    np.testing.assert_array_equal(again(photos(2)), first(photos(2)))


@pytest.mark.parametrize("name", ["torch-float32-cpu", "onnxruntime-float32-cpu"])
def test_what_is_remembered_is_used(name: str, tiny_network: Network, tmp_path: Path) -> None:
    choose(tiny_network, tmp_path)
    remember(tmp_path, json.dumps({"engine": name}))
    for exported in tmp_path.rglob("*.onnx"):
        exported.unlink()  # the cache may be cleared; the network is exported again
    assert choose(tiny_network, tmp_path, never).name == name


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"engine": "steam"}', '{"engine": 3}'])
def test_a_damaged_memory_is_measured_anew(
    text: str, tiny_network: Network, tmp_path: Path
) -> None:
    choose(tiny_network, tmp_path)
    remember(tmp_path, text)
    choose(tiny_network, tmp_path)
    (memory,) = (tmp_path / "engines").glob("*.json")
    assert "setting" in json.loads(memory.read_text())


def test_a_damaged_export_is_made_anew(tiny_network: Network, tmp_path: Path) -> None:
    choose(tiny_network, tmp_path)
    (memory,) = (tmp_path / "engines").glob("*.json")
    remember(tmp_path, '{"engine": "onnxruntime-float32-cpu"}')
    memory.with_suffix(".onnx").write_bytes(b"half")
    choose(tiny_network, tmp_path)
    engines = json.loads(memory.read_text())["engines"]
    assert engines["onnxruntime-float32-cpu"]["fault"] == ""


def test_new_versions_are_measured_anew(
    tiny_network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(tiny_network, tmp_path)
    monkeypatch.setattr(timm, "__version__", "99")
    choose(tiny_network, tmp_path)
    assert len(list((tmp_path / "engines").glob("*.json"))) == 2


def test_without_photos_plain_torch_runs_and_nothing_is_remembered(
    tiny_network: Network, tmp_path: Path
) -> None:
    engine = choose(tiny_network, tmp_path, lambda: np.empty((0, 64, 64, 3), np.uint8))
    assert engine.name == "torch-float32-cpu"
    assert not list(tmp_path.iterdir())


def test_an_export_that_is_not_used_is_not_kept(
    tiny_network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_choice, "WORTHWHILE", 1e9)
    assert choose(tiny_network, tmp_path).name == "torch-float32-cpu"
    assert not list(tmp_path.rglob("*.onnx"))


def test_a_network_without_onnx_export_runs_on_torch(
    tiny_network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise EngineUnavailableError("no ONNX export: an operator is missing")

    monkeypatch.setattr(engine_choice, "export_onnx", fail)
    assert choose(tiny_network, tmp_path).name.startswith("torch-")  # of either precision
    (memory,) = (tmp_path / "engines").glob("*.json")
    engines = json.loads(memory.read_text())["engines"]
    assert "an operator is missing" in engines["onnxruntime-float32-cpu"]["fault"]


def remember(cache_dir: Path, text: str) -> None:
    (memory,) = (cache_dir / "engines").glob("*.json")
    memory.write_text(text)
