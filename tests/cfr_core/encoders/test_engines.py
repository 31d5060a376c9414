import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

from cfr_core.encoders.engines import (
    EngineUnavailableError,
    OnnxEngine,
    TorchEngine,
    export_onnx,
)
from cfr_core.encoders.network import Network
from cfr_core.errors import DeviceError
from cfr_core.types import ImageArray
from tests.cfr_core.encoders.conftest import lively, tiny_card

CPU = torch.device("cpu")


def photos(n: int, size_px: int = 64) -> ImageArray:
    """Smooth pictures, no two alike."""
    y, x = np.mgrid[:size_px, :size_px] / size_px
    waves = [
        np.sin(6 * (x * (1 + k) + y * k))[..., None] + np.array([0, 0.3, k / n]) for k in range(n)
    ]
    return (np.stack(waves) * 60 + 120).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(("name", "size_px"), [("test_efficientnet", 64), ("test_vit", 160)])
def test_onnx_runtime_agrees_with_torch_for_any_batch(
    name: str, size_px: int, tmp_path: Path
) -> None:
    backbone = lively(timm.create_model(name, num_classes=0))
    network = Network(backbone, tiny_card(name, size_px)).eval().requires_grad_(False)
    path = tmp_path / "new" / "network.onnx"
    export_onnx(network, path, input_size_px=size_px)
    assert [file.name for file in path.parent.iterdir()] == ["network.onnx"]
    onnx, plain = OnnxEngine(path), TorchEngine(network, CPU, "float32")
    for n in (1, 2, 5):
        pixels = photos(n, size_px)
        expected = plain(pixels)
        assert expected.dtype == onnx(pixels).dtype == np.float32
        np.testing.assert_allclose(onnx(pixels), expected, atol=1e-4, rtol=1e-4)
    assert np.abs(expected[0] - expected[4]).max() > 0.01


def test_nothing_is_printed_or_warned_during_the_export(
    tiny_network: Network, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    export_onnx(tiny_network, tmp_path / "network.onnx", input_size_px=64)
    OnnxEngine(tmp_path / "network.onnx")(photos(2))
    assert capfd.readouterr() == ("", "")


def test_engines_give_the_same_in_many_threads(tiny_network: Network, tmp_path: Path) -> None:
    export_onnx(tiny_network, tmp_path / "network.onnx", input_size_px=64)
    for engine in (
        OnnxEngine(tmp_path / "network.onnx"),
        TorchEngine(tiny_network, CPU, "float32"),
        TorchEngine(tiny_network, CPU, "bfloat16"),
    ):
        alone = engine(photos(4))
        with ThreadPoolExecutor(4) as pool:
            for together in pool.map(engine, [photos(4)] * 12):
                np.testing.assert_array_equal(together, alone)


def test_half_precision_is_near_and_not_the_same(tiny_network: Network) -> None:
    exact = TorchEngine(tiny_network, CPU, "float32")(photos(3))
    half = TorchEngine(tiny_network, CPU, "bfloat16")(photos(3))
    assert half.dtype == np.float32
    assert 0 < np.abs(half - exact).max() < 0.1 * np.abs(exact).max()


def test_a_damaged_file_is_no_engine(tmp_path: Path) -> None:
    (tmp_path / "network.onnx").write_bytes(b"half a netw")
    with pytest.raises(EngineUnavailableError, match="cannot open it"):
        OnnxEngine(tmp_path / "network.onnx")


class Eigenvalues(nn.Module):
    """A network with a part that ONNX has not."""

    def forward(self, images: Tensor) -> Tensor:
        return torch.linalg.eigvals(images[:, 0]).real


def test_a_network_that_onnx_cannot_hold_is_said_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    network = Network(Eigenvalues(), tiny_card(size_px=8))
    with pytest.raises(EngineUnavailableError, match="no ONNX export"):
        export_onnx(network, tmp_path / "network.onnx", input_size_px=8)
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


class FixedBatch(nn.Module):
    """A network whose export holds the size of the batch that it was traced with."""

    def forward(self, images: Tensor) -> Tensor:
        return images.reshape(int(images.shape[0]), 3, -1).mean(2)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_an_export_that_holds_a_batch_size_takes_any_number(n: int, tmp_path: Path) -> None:
    network = Network(FixedBatch(), tiny_card(size_px=8))
    export_onnx(network, tmp_path / "network.onnx", input_size_px=8)
    pixels = photos(n, 8)
    # The normalisation of `tiny_card`, and then the mean of each channel.
    expected = (pixels.mean(axis=(1, 2)) / 255 - [0.5, 0.4, 0.3]) / [0.2, 0.3, 0.4]
    np.testing.assert_allclose(OnnxEngine(tmp_path / "network.onnx")(pixels), expected, atol=1e-5)


def test_pixels_of_another_size_are_refused(tiny_network: Network, tmp_path: Path) -> None:
    export_onnx(tiny_network, tmp_path / "network.onnx", input_size_px=64)
    with pytest.raises(EngineUnavailableError, match="cannot run it"):
        OnnxEngine(tmp_path / "network.onnx")(photos(2, 63))


class Small(nn.Module):
    """A network on a device whose memory holds a few images."""

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity
        self.batches: list[int] = []

    def forward(self, images: Tensor) -> Tensor:
        self.batches.append(len(images))
        if len(images) > self.capacity:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return images.mean((2, 3))


def test_out_of_memory_halves_the_batch_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    backbone = Small(capacity=3)
    engine = TorchEngine(Network(backbone, tiny_card()), CPU, "float32")
    with caplog.at_level(logging.WARNING):
        vectors = engine(photos(10))
    roomy = TorchEngine(Network(Small(capacity=10), tiny_card()), CPU, "float32")
    np.testing.assert_array_equal(vectors, roomy(photos(10)))
    assert backbone.batches == [10, 5, 2, 2, 2, 2, 2]
    assert "out of memory" in caplog.text

    backbone.batches.clear()
    engine(photos(4))  # the size that fits is remembered
    assert backbone.batches == [2, 2]


def test_a_device_that_holds_no_image_is_an_error() -> None:
    engine = TorchEngine(Network(Small(capacity=0), tiny_card()), CPU, "float32")
    with pytest.raises(DeviceError, match="does not hold one image"):
        engine(photos(3))
