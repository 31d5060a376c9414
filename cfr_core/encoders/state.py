"""Reads the tensors of a weights file; no code in it is run."""

import pickle
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from cfr_core.errors import WeightsError

_CONTAINERS = ("state_dict", "model")
_PARALLEL_PREFIX = "module."


def read_state(path: Path) -> dict[str, Tensor]:
    """Tensors by key from a .safetensors file, or from a PyTorch file without running code.

    Raises:
        WeightsError: if the file is damaged, or holds anything but tensors by name.
    """
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (SafetensorError, pickle.UnpicklingError, RuntimeError, EOFError, OSError) as error:
        raise WeightsError(
            f"{path}: damaged or truncated weights file ({str(error)[:200]}); delete it and get it "
            "again"
        ) from error
    return _unwrap(content, path)


def _unwrap(content: object, path: Path) -> dict[str, Tensor]:
    """The tensors of a checkpoint, which training code keeps beside its optimiser's state."""
    for name in _CONTAINERS:
        if isinstance(content, dict) and isinstance(content.get(name), dict):
            content = content[name]
    if not isinstance(content, dict) or not content:
        raise WeightsError(f"{path}: holds no tensors by name; save model.state_dict()")
    if not all(isinstance(value, Tensor) for value in content.values()):
        raise WeightsError(f"{path}: holds more than tensors; save model.state_dict() alone")
    return {str(key).removeprefix(_PARALLEL_PREFIX): value for key, value in content.items()}
