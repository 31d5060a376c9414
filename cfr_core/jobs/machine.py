"""What this machine can compute on, asked of PyTorch in a process of its own.

The app does without PyTorch, which takes seconds and hundreds of megabytes to import.
"""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cfr_core.errors import DeviceError
from cfr_core.jobs.process import worker_environment
from cfr_core.types import DeviceChoice


@dataclass(frozen=True)
class Machine:
    """Devices of this machine.

    Attributes:
        auto: What "auto" takes: "cuda", "mps" or "cpu".
        names: What the devices that can be used call themselves.
        faults: Why a device cannot be used, by device.
        gpu_seen: What says that there is a GPU, though PyTorch may not be able to use it; empty if
            nothing does.
    """

    auto: str
    names: Mapping[str, str]
    faults: Mapping[str, str] = field(default_factory=dict)
    gpu_seen: str = ""

    def resolved(self, choice: DeviceChoice) -> str:
        """The device that a choice stands for."""
        return self.auto if choice == "auto" else choice

    def name(self, device: str) -> str:
        """A device with its name, such as "GPU (NVIDIA H200)"."""
        kind = {"cuda": "GPU", "mps": "Apple GPU", "cpu": "CPU"}.get(device, device)
        own_name = self.names.get(device)
        return f"{kind} ({own_name})" if own_name else kind

    @property
    def unused_gpu(self) -> str:
        """Why a run goes to the CPU although there is a GPU; empty if it does not."""
        if self.auto != "cpu" or not self.gpu_seen:
            return ""
        reasons = "; ".join(self.faults.values())
        return f"There is {self.gpu_seen} in this machine, but it cannot be used: {reasons}."


def probe_machine() -> Machine:
    """Ask; takes seconds.

    Raises:
        DeviceError: if PyTorch cannot be asked; the message has its last words.
    """
    done = subprocess.run(
        [sys.executable, "-m", "cfr_core.jobs.machine"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        stdin=subprocess.DEVNULL,
        env=worker_environment(),
    )
    if done.returncode:
        last = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        raise DeviceError(f"PyTorch cannot be asked what it can compute on: {last}")
    return Machine(**json.loads(done.stdout))


def _look() -> Machine:
    from cfr_core.encoders.devices import device_fault, processor_name, resolve_device
    from cfr_core.encoders.threads import n_cores

    names = {"cpu": f"{processor_name() or 'unnamed'}, {n_cores()} cores"}
    faults: dict[str, str] = {}
    for device in ("cuda", "mps"):
        fault = device_fault(device)
        if fault is None:
            names[device] = _gpu_name(device)
        else:
            faults[device] = fault
    seen = _gpu_seen()
    # The other maker's device is no news.
    faults.pop("cuda" if sys.platform == "darwin" else "mps", None)
    return Machine(resolve_device("auto").type, names, faults, seen)


def _gpu_name(device: str) -> str:
    import torch

    return torch.cuda.get_device_name() if device == "cuda" else "Metal"


def _gpu_seen() -> str:
    """Signs of a GPU that do not depend on PyTorch."""
    if shutil.which("nvidia-smi") or Path("/dev/nvidia0").exists():
        return "an NVIDIA GPU"
    if Path("/dev/kfd").exists():
        return "an AMD GPU"
    if sys.platform == "darwin" and os.uname().machine == "arm64":
        return "an Apple GPU"
    return ""


if __name__ == "__main__":
    sys.stdout.write(json.dumps(dataclasses.asdict(_look())))
