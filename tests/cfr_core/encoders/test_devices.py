import logging

import pytest
import torch

from cfr_core.encoders import devices
from cfr_core.encoders.devices import resolve_device
from cfr_core.errors import DeviceError


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.fixture
def broken_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that PyTorch sees, and that fails at the first computation."""

    def fail(*shape: int, device: str) -> torch.Tensor:
        raise RuntimeError(f"CUDA error: no kernel image for {device}\nmore lines {shape}")

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(devices.torch, "zeros", fail)


@pytest.mark.usefixtures("no_gpu")
def test_without_a_gpu_auto_is_the_cpu() -> None:
    assert resolve_device("auto") == torch.device("cpu")
    assert resolve_device("cpu") == torch.device("cpu")


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("choice", ["cuda", "mps"])
def test_a_gpu_that_is_not_there_is_an_error(choice: str) -> None:
    with pytest.raises(DeviceError, match=f"'{choice}' cannot be used: .*choose 'cpu' or 'auto'"):
        resolve_device(choice)


@pytest.mark.usefixtures("broken_gpu")
def test_a_gpu_that_does_not_work_is_an_error_with_its_reason() -> None:
    with pytest.raises(DeviceError, match="cannot be used: CUDA error: no kernel image for cuda;"):
        resolve_device("cuda")


@pytest.mark.usefixtures("broken_gpu")
def test_auto_passes_over_a_gpu_that_does_not_work_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert resolve_device("auto") == torch.device("cpu")
    assert "cuda is there but is not used: CUDA error" in caplog.text
