"""Chooses where networks run; a device that was asked for is used or refused, never replaced."""

import logging
import platform
from pathlib import Path

import torch

from cfr_core.errors import DeviceError
from cfr_core.types import DeviceChoice

_LOG = logging.getLogger(__name__)


def resolve_device(choice: DeviceChoice) -> torch.device:
    """The device to run on.

    Args:
        choice: "auto" takes the first of cuda, mps, cpu that is there and works.

    Raises:
        DeviceError: if a device named outright cannot be used.
    """
    if choice != "auto":
        fault = device_fault(choice)
        if fault:
            raise DeviceError(
                f"the device {choice!r} cannot be used: {fault}; choose 'cpu' or 'auto'"
            )
        return torch.device(choice)
    for name, is_there in (
        ("cuda", torch.cuda.is_available()),
        ("mps", torch.backends.mps.is_available()),
    ):
        fault = device_fault(name) if is_there else None
        if fault:
            _LOG.warning("%s is there but is not used: %s", name, fault)
        elif is_there:
            return torch.device(name)
    return torch.device("cpu")


def processor_name() -> str:
    """What the processor calls itself; empty if the system does not say."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.is_file():
        return platform.processor()
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if "model name" in line), "")


def device_fault(name: str) -> str | None:
    """Why a device cannot be used, or None if a computation on it works."""
    if name == "cuda" and not torch.cuda.is_available():
        built = torch.version.cuda is not None
        return "no NVIDIA GPU or driver is found" if built else "this PyTorch is built without CUDA"
    if name == "mps" and not torch.backends.mps.is_available():
        return "no Apple GPU is found, or this PyTorch is built without it"
    try:
        torch.zeros(1, device=name).add_(1).cpu()
    except RuntimeError as error:
        return str(error).splitlines()[0]
    return None
