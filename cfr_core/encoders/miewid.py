"""MiewID, built natively: an EfficientNetV2 backbone, generalised-mean pooling, batch norm.

Otarashvili et al., "Multispecies Animal Re-ID Using a Large Community-Curated Dataset" (arXiv
2412.05602); module names are those of the published safetensors file, so no remote code is run.
"""

from typing import Any

import timm
import torch
from torch import Tensor, nn

_BACKBONE = "efficientnetv2_rw_m"
_HEAD_PREFIX = "final."
"""The classifier of the training, which no embedding uses."""


class GeM(nn.Module):
    """Generalised-mean pooling: the p-norm mean over all places (Radenovic et al. 2019, eq. 1)."""

    def __init__(self, p: float = 3.0, eps: float = 1e-6) -> None:
        super().__init__()
        self.p = nn.Parameter(torch.full((1,), p))
        self.eps = eps

    def forward(self, features: Tensor) -> Tensor:
        """(N, C, H, W) to (N, C); values below eps count as eps."""
        return features.clamp(min=self.eps).pow(self.p).mean((2, 3)).pow(1.0 / self.p)


class MiewId(nn.Module):
    """MiewID without its classifier: (N, 3, H, W) normalised RGB to (N, 2152)."""

    def __init__(self) -> None:
        super().__init__()
        backbone: Any = timm.create_model(_BACKBONE, pretrained=False, num_classes=0)
        backbone.global_pool = GeM()
        self.backbone: nn.Module = backbone
        self.bn = nn.BatchNorm1d(backbone.num_features)

    def forward(self, images: Tensor) -> Tensor:
        """Embeddings, not normalised."""
        embeddings: Tensor = self.bn(self.backbone(images))
        return embeddings


def without_head(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The published weights less the classifier of the training."""
    return {key: value for key, value in state.items() if not key.startswith(_HEAD_PREFIX)}
