"""Versions of the libraries that decide the numbers of an audit."""

import importlib.metadata

_LIBRARIES = ("cfr-auditor", "numpy", "onnxruntime", "pillow", "timm", "torch", "torchvision")


def library_versions() -> dict[str, str]:
    """Version of each library by its name, "not installed" where there is none."""
    return {name: _version(name) for name in _LIBRARIES}


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
