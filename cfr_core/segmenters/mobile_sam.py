"""MobileSAM: SAM with TinyViT in place of its image encoder, light enough for a laptop.

Zhang et al., "Faster Segment Anything" (arXiv 2306.14289). TinyViT is timm's (Wu et al. 2022,
arXiv 2207.10666), whose names differ from those in the published file.
"""

import re
from collections.abc import Mapping
from typing import Any

from segment_anything.modeling import MaskDecoder, PromptEncoder, Sam, TwoWayTransformer
from segment_anything.modeling.common import LayerNorm2d
from timm.models.tiny_vit import TinyVit
from torch import Tensor, nn

_INPUT_PX = 1024
_PATCH_PX = 16
_PROMPT_DIM = 256
_ENCODER = "image_encoder."
_RENAMED = (
    (re.compile(r"^patch_embed\.seq\.0\."), "patch_embed.conv1."),
    (re.compile(r"^patch_embed\.seq\.2\."), "patch_embed.conv2."),
    (re.compile(r"\.c\."), ".conv."),
)
_DOWNSAMPLE = re.compile(r"^layers\.(\d)\.downsample\.")
_BLOCKS = re.compile(r"^layers\.(\d)\.blocks\.")
_UNUSED = ("norm_head.", "head.")
"""The classifier that the encoder was trained with, which SAM does not use."""


class TinyVitEncoder(nn.Module):
    """(N, 3, 1024, 1024) normalised RGB to (N, 256, 64, 64)."""

    def __init__(self) -> None:
        super().__init__()
        trunk: Any = TinyVit(
            embed_dims=(64, 128, 160, 320),
            depths=(2, 2, 6, 2),
            num_heads=(2, 4, 5, 10),
            window_sizes=(7, 7, 14, 7),
            drop_path_rate=0.0,
        )
        # MobileSAM keeps 64 x 64 places to the end: its last stage does not halve them.
        trunk.stages[3].downsample.conv2.conv.stride = (1, 1)
        self.img_size = _INPUT_PX
        self.patch_embed: nn.Module = trunk.patch_embed
        self.stages: nn.Module = trunk.stages
        self.neck = nn.Sequential(
            nn.Conv2d(320, _PROMPT_DIM, kernel_size=1, bias=False),
            LayerNorm2d(_PROMPT_DIM),
            nn.Conv2d(_PROMPT_DIM, _PROMPT_DIM, kernel_size=3, padding=1, bias=False),
            LayerNorm2d(_PROMPT_DIM),
        )

    def forward(self, images: Tensor) -> Tensor:
        """Features for SAM's mask decoder."""
        features: Tensor = self.neck(self.stages(self.patch_embed(images)))
        return features


def build_mobile_sam() -> Sam:
    """MobileSAM with random weights; prompt encoder and mask decoder are those of every SAM."""
    side = _INPUT_PX // _PATCH_PX
    return Sam(
        image_encoder=TinyVitEncoder(),
        prompt_encoder=PromptEncoder(
            embed_dim=_PROMPT_DIM,
            image_embedding_size=(side, side),
            input_image_size=(_INPUT_PX, _INPUT_PX),
            mask_in_chans=16,
        ),
        mask_decoder=MaskDecoder(
            num_multimask_outputs=3,
            transformer=TwoWayTransformer(
                depth=2, embedding_dim=_PROMPT_DIM, mlp_dim=2048, num_heads=8
            ),
            transformer_dim=_PROMPT_DIM,
            iou_head_depth=3,
            iou_head_hidden_dim=256,
        ),
    )


def with_timm_names(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights of the published file under the names of this module, less the unused classifier."""
    renamed = {}
    for key, value in state.items():
        name = key.removeprefix(_ENCODER)
        if name == key:
            renamed[key] = value
        elif not name.startswith(_UNUSED):
            renamed[_ENCODER + _timm_name(name)] = value
    return renamed


def _timm_name(name: str) -> str:
    for pattern, ours in _RENAMED:
        name = pattern.sub(ours, name)
    # A stage halves the picture before its blocks here, after them in the published file.
    name = _DOWNSAMPLE.sub(lambda match: f"stages.{int(match[1]) + 1}.downsample.", name)
    return _BLOCKS.sub(r"stages.\1.blocks.", name)
