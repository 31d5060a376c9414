"""SAM models of a few thousand weights, as files in the folders where the real ones belong."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from segment_anything.modeling import (
    ImageEncoderViT,
    MaskDecoder,
    PromptEncoder,
    Sam,
    TwoWayTransformer,
)

from cfr_core.encoders.cards import UrlWeights
from cfr_core.fingerprint import file_sha256
from cfr_core.segmenters import sam
from cfr_core.segmenters.cards import SEGMENTERS, ModelFile
from cfr_core.types import BoolArray, ImageArray
from tests.cfr_core.encoders.conftest import lively

TINY_PX = 64


def tiny_sam() -> Sam:
    return Sam(
        image_encoder=ImageEncoderViT(
            img_size=TINY_PX,
            embed_dim=16,
            depth=2,
            num_heads=2,
            out_chans=32,
            use_rel_pos=True,
            window_size=2,
            global_attn_indexes=(1,),
        ),
        prompt_encoder=PromptEncoder(32, (4, 4), (TINY_PX, TINY_PX), mask_in_chans=4),
        mask_decoder=MaskDecoder(
            transformer_dim=32,
            transformer=TwoWayTransformer(depth=2, embedding_dim=32, num_heads=2, mlp_dim=32),
        ),
    )


def published(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a file the published one of an engine."""
    weights = UrlWeights(f"https://unused.invalid/{path.name}", file_sha256(path), 1)
    card = replace(SEGMENTERS[name], weights=(ModelFile(name, weights),))
    monkeypatch.setitem(SEGMENTERS, name, card)


def place_tiny_sam(checkpoints_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Sam:
    """A tiny model in place of sam-vit-b; returns the model that was saved."""
    model = lively(tiny_sam(), seed=3)
    path = checkpoints_dir / "sam-vit-b" / "sam_vit_b_01ec64.pth"
    path.parent.mkdir(parents=True)
    torch.save(model.state_dict(), path)
    monkeypatch.setitem(sam.BUILDERS, "vit_b", tiny_sam)
    published("sam-vit-b", path, monkeypatch)
    return model


def photo(height: int, width: int, seed: int = 0) -> ImageArray:
    """Soft blobs of colour: neighbouring pixels are alike, as in a photo."""
    rng = np.random.default_rng(seed)
    coarse = torch.from_numpy(rng.uniform(0, 255, (1, 3, 5, 6)))
    fine = torch.nn.functional.interpolate(coarse, (height, width), mode="bicubic")
    return fine[0].permute(1, 2, 0).clamp(0, 255).numpy().astype(np.uint8)


def disc(height: int, width: int) -> BoolArray:
    """An ellipse that leaves the middle."""
    y, x = np.mgrid[:height, :width]
    return ((y / height - 0.4) / 0.3) ** 2 + ((x / width - 0.6) / 0.25) ** 2 < 1


SIZES_HW = [(48, 100), (100, 48), (37, 53), (131, 200), (64, 64)]
"""Landscape, portrait, odd, larger than the model's input in both ways, and just that."""
