"""What the machine can compute on, and how it is told."""

from pathlib import Path

import pytest

from cfr_core.errors import DeviceError
from cfr_core.jobs.machine import Machine, probe_machine

FAULTS = {"cuda": "this PyTorch is built without CUDA"}


def test_this_machine_can_be_asked() -> None:
    found = probe_machine()
    assert found.auto in found.names
    assert "cores" in found.names["cpu"]
    assert found.resolved("auto") == found.auto
    assert found.resolved("cpu") == "cpu"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        # A GPU is used: nothing to say.
        (Machine("cuda", {"cpu": "Xeon", "cuda": "H200"}, {}, "an NVIDIA GPU"), ""),
        # None is there: nobody expects one.
        (Machine("cpu", {"cpu": "Xeon"}, FAULTS), ""),
        (
            Machine("cpu", {"cpu": "Xeon"}, FAULTS, "an NVIDIA GPU"),
            "There is an NVIDIA GPU in this machine, but it cannot be used: "
            "this PyTorch is built without CUDA.",
        ),
    ],
)
def test_a_gpu_that_stands_idle_is_told(found: Machine, words: str) -> None:
    assert found.unused_gpu == words


def test_devices_have_names() -> None:
    found = Machine("cuda", {"cpu": "Xeon, 8 cores", "cuda": "NVIDIA H200"})
    assert found.name("cuda") == "GPU (NVIDIA H200)"
    assert found.name("cpu") == "CPU (Xeon, 8 cores)"
    assert found.name("mps") == "Apple GPU"


def test_a_broken_pytorch_is_told_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libcudart is missing')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    # The library goes first on the path, and has no module of that name.
    with pytest.raises(DeviceError, match="libcudart is missing"):
        probe_machine()
