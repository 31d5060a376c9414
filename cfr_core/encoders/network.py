"""Builds the network of an encoder from its weights file; every key must fit."""

from pathlib import Path
from typing import Any

import timm
import torch
from torch import Tensor, nn

from cfr_core.encoders import miewid
from cfr_core.encoders.cards import MIEWID, EncoderCard, PackageWeights
from cfr_core.encoders.state import read_state
from cfr_core.encoders.weights import WeightsFile
from cfr_core.errors import WeightsError

_OLDER_CLASSIFIER = "head"


class Network(nn.Module):
    """An encoder's network with its normalisation: pixels in, embeddings out."""

    mean: Tensor
    std: Tensor

    def __init__(self, backbone: nn.Module, card: EncoderCard) -> None:
        super().__init__()
        self.backbone = backbone
        for name, values in (("mean", card.mean), ("std", card.std)):
            buffer = torch.tensor(values, dtype=torch.float32).mul(255).view(1, 3, 1, 1)
            self.register_buffer(name, buffer)

    def forward(self, pixels: Tensor) -> Tensor:
        """(N, S, S, 3) uint8 RGB to (N, dim) float, not normalised in length."""
        images = (pixels.permute(0, 3, 1, 2).float() - self.mean) / self.std
        embeddings: Tensor = self.backbone(images)
        return embeddings


def build_network(card: EncoderCard, weights: WeightsFile) -> Network:
    """The network in evaluation mode, on the CPU, in float32.

    Raises:
        WeightsError: if the file is damaged or belongs to another architecture; some of the keys
            that do not fit are in the message.
    """
    state = read_state(weights.path)
    try:
        if card.architecture == MIEWID:
            backbone: nn.Module = miewid.MiewId()
            backbone.load_state_dict(miewid.without_head(state), strict=True)
        elif isinstance(card.weights, PackageWeights):
            backbone = _load_in_order(card.architecture, state)
        else:
            backbone = _load_timm(card.architecture, state)
    except RuntimeError as error:
        raise WeightsError(_mismatch(card, weights.path, error)) from error
    return Network(backbone, card).eval().requires_grad_(False)


def _load_timm(architecture: str, state: dict[str, Tensor]) -> nn.Module:
    """Load through timm, which renames the keys of older files, with its strict check on.

    timm drops the strict check when the number of classes differs from the file's, so the model
    is built with the file's own number and its classifier removed afterwards.
    """
    n_classes = _n_classes(architecture, state)
    network: Any = timm.create_model(
        architecture,
        pretrained=True,
        num_classes=n_classes,
        pretrained_cfg_overlay={"state_dict": state, "num_classes": n_classes, "label_offset": 0},
    )
    network.pretrained_cfg.pop("state_dict", None)
    if n_classes:
        network.reset_classifier(0)
    module: nn.Module = network
    return module


def _n_classes(architecture: str, state: dict[str, Tensor]) -> int:
    """Number of classes that a file has a classifier for; 0 if it has none."""
    config = timm.get_pretrained_cfg(architecture)
    names = (config.classifier if config else None) or ()
    for name in (*([names] if isinstance(names, str) else names), _OLDER_CLASSIFIER):
        if f"{name}.weight" in state:
            return len(state[f"{name}.weight"])
    return 0


def _load_in_order(architecture: str, state: dict[str, Tensor]) -> nn.Module:
    """Load a file that names its tensors otherwise, and holds the same ones in the same order."""
    network: Any = timm.create_model(architecture, pretrained=False)
    own = network.state_dict()
    if len(own) != len(state):
        raise RuntimeError(f"{len(state)} tensors in the file, {len(own)} in the network")
    network.load_state_dict(dict(zip(own, state.values(), strict=True)), strict=True)
    network.reset_classifier(0)
    module: nn.Module = network
    return module


def _mismatch(card: EncoderCard, path: Path, error: RuntimeError) -> str:
    details = "; ".join(line.strip() for line in str(error).splitlines()[1:] or [str(error)])
    return f"{path}: not weights of {card.architecture}: {details[:400]}"
