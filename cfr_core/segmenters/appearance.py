"""What a crop looks like, place by place, to the small network that comes with the product.

EfficientNet-Lite0 learned to name the 1,000 kinds of ImageNet. What its early layers see sets an
animal's coat apart from grass of the same colour, and its last layer says where in the picture it
sees one of the animals among its kinds: nothing here has learned from masks.
"""

from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cfr_core.encoders.cards import CARDS
from cfr_core.encoders.network import Network, build_network
from cfr_core.encoders.weights import get_weights
from cfr_core.fingerprint import fingerprint
from cfr_core.segmenters.stopping import stop_if_unwanted
from cfr_core.types import Float32Array, ImageArray

ANIMAL = "animal"
"""Name of the map of log odds that a place shows an animal."""
LAYERS = {1: 10, 2: 20}
"""Blocks of the network that are looked at, and how many principal components of each are kept."""

_CARD = CARDS["effnet-lite0"]
_SIDE_PX = 640
"""Longest side that the network sees; its finest layer here has a value for 2 px of that."""
_STEP_PX = 32
"""The network's coarsest layer has a value for this many pixels."""
_N_ANIMALS = 398
"""The kinds of ImageNet are in a fixed order, the animals first."""
_VERSION = 2


def appearance(image: ImageArray) -> dict[str, npt.NDArray[Any]]:
    """Maps of what a crop looks like; all of them cover the whole crop.

    Args:
        image: (H, W, 3) uint8 RGB.

    Returns:
        "layer0", "layer1", ...: (h, w, C) float32, principal components of a layer, scaled so that
        their variances add up to 4. `ANIMAL`: (h, w) float32 log odds.
    """
    layers, animal = _look(_resized(image))
    maps = {f"layer{block}": _components(layers[block], n) for block, n in LAYERS.items()}
    return {**maps, ANIMAL: animal}


@cache
def appearance_fingerprint() -> str:
    """Digest of everything that changes a map."""
    weights = get_weights(_CARD, Path())
    layers = {str(block): n for block, n in LAYERS.items()}
    return fingerprint(version=_VERSION, weights=weights.sha256, side_px=_SIDE_PX, layers=layers)


@cache
def _network() -> tuple[Network, Tensor, Tensor]:
    """The network, and weights and biases of the classifier that it is built without."""
    weights = get_weights(_CARD, Path())
    network = build_network(_CARD, weights).to(memory_format=torch.channels_last)
    state: dict[str, Tensor] = torch.load(weights.path, map_location="cpu", weights_only=True)
    *_, weight, bias = state.values()
    return network, weight, bias


@torch.inference_mode()
def _look(image: ImageArray) -> tuple[dict[int, Float32Array], Float32Array]:
    network, weight, bias = _network()
    body: Any = network.backbone
    pixels = torch.from_numpy(image)[None].permute(0, 3, 1, 2).float()
    values = body.bn1(body.conv_stem((pixels - network.mean) / network.std))
    layers = {}
    for number, block in enumerate(body.blocks):
        stop_if_unwanted()
        values = block(values)
        if number in LAYERS:
            layers[number] = _without_mirrored(values[0].numpy(), len(image))
    values = body.bn2(body.conv_head(values))[0]
    scores = torch.einsum("kc,chw->khw", weight, values) + bias[:, None, None]
    animals, others = scores[:_N_ANIMALS], scores[_N_ANIMALS:]
    odds = (animals.logsumexp(dim=0) - others.logsumexp(dim=0)).numpy()
    return layers, _without_mirrored(odds[None], len(image))[0]


def _components(layer: Float32Array, n_kept: int) -> Float32Array:
    """(h, w, n_kept) of (C, h, w): the directions in which this picture varies most."""
    n_channels, height, width = layer.shape
    flat = layer.reshape(n_channels, -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    variances, directions = np.linalg.eigh(flat @ flat.T / flat.shape[1])
    kept = directions[:, ::-1][:, :n_kept]
    scale = 2 / np.sqrt(variances[::-1][:n_kept].sum() + 1e-9)
    return np.ascontiguousarray((flat.T @ kept * scale).reshape(height, width, -1), np.float32)


def _resized(image: ImageArray) -> ImageArray:
    """The picture in whole steps of the network, mirrored beyond its edges.

    The network tells the edge of its input from the inside, which here would be taken for looks.
    """
    height, width = image.shape[:2]
    scale = _SIDE_PX / max(height, width)
    across, down = (_STEP_PX * max(1, round(side * scale / _STEP_PX)) for side in (width, height))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    resized = cv2.resize(np.ascontiguousarray(image), (across, down), interpolation=way)
    mirrored = cv2.copyMakeBorder(resized, *(_STEP_PX,) * 4, cv2.BORDER_REFLECT)
    return np.asarray(mirrored, np.uint8)


def _without_mirrored(layer: Float32Array, input_height: int) -> Float32Array:
    """(C, h, w) of a layer without what it saw beyond the edges of the picture."""
    rim = _STEP_PX * layer.shape[1] // input_height
    return layer[:, rim:-rim, rim:-rim]
