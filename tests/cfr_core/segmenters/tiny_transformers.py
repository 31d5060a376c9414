"""SAM 2 and SAM 3 of a few thousand weights, in files as their publisher names them."""

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn
from transformers import (
    CLIPTokenizer,
    PreTrainedModel,
    Sam2Config,
    Sam2Model,
    Sam2VideoConfig,
    Sam2VideoModel,
    Sam3VideoConfig,
    Sam3VideoModel,
)

_WIDTH = 32
SAM2_PX = 64
SAM3_PX = 56
_DECODER = {
    "hidden_size": _WIDTH,
    "mlp_dim": 32,
    "num_attention_heads": 2,
    "iou_head_hidden_dim": 32,
}
_MEMORY = {
    "memory_attention_hidden_size": _WIDTH,
    "memory_attention_num_layers": 1,
    "memory_attention_rope_feat_sizes": [4, 4],
    "memory_attention_feed_forward_hidden_size": 32,
    "memory_encoder_hidden_size": _WIDTH,
    "memory_encoder_output_channels": 16,
    "memory_fuser_embed_dim": _WIDTH,
    "memory_fuser_intermediate_dim": 32,
    "mask_downsampler_embed_dim": _WIDTH,
}
_SAM2 = {
    "vision_config": {
        "backbone_config": {
            "model_type": "sam2_hiera_det_model",
            "hidden_size": 8,
            "image_size": [SAM2_PX, SAM2_PX],
            "window_positional_embedding_background_size": [2, 2],
            "blocks_per_stage": [1, 1, 2, 1],
            "embed_dim_per_stage": [8, 16, 32, 64],
            "num_attention_heads_per_stage": [1, 1, 2, 4],
            "window_size_per_stage": [4, 4, 4, 2],
            "global_attention_blocks": [3],
        },
        "backbone_channel_list": [64, 32, 16, 8],
        "backbone_feature_sizes": [[16, 16], [8, 8], [4, 4]],
        "fpn_hidden_size": _WIDTH,
    },
    "prompt_encoder_config": {
        "hidden_size": _WIDTH,
        "image_size": SAM2_PX,
        "patch_size": 16,
        "mask_input_channels": 4,
    },
    "mask_decoder_config": _DECODER,
}
_SAM3_VISION = {
    "model_type": "sam3_vision_model",
    "backbone_config": {
        "model_type": "sam3_vit_model",
        "hidden_size": _WIDTH,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": SAM3_PX,
        "patch_size": 14,
        "window_size": 2,
        "global_attn_indexes": [1],
        "pretrain_image_size": 28,
    },
    "fpn_hidden_size": _WIDTH,
    "backbone_feature_sizes": [[16, 16], [8, 8], [4, 4]],
}
_LAYERS = {
    "hidden_size": _WIDTH,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "num_layers": 1,
}
_WORDS = ["zebra</w>", "horse</w>", "a</w>", "<|startoftext|>", "<|endoftext|>"]


def tiny_sam2() -> Sam2Model:
    return spread(Sam2Model(Sam2Config(**_SAM2)))


def tiny_sam2_video() -> Sam2VideoModel:
    """What is published: the model for films, of which pictures need a part."""
    return spread(Sam2VideoModel(Sam2VideoConfig(**_SAM2, **_MEMORY, image_size=SAM2_PX)))


def tiny_sam3() -> Sam3VideoModel:
    detector = {
        "model_type": "sam3",
        "vision_config": _SAM3_VISION,
        "text_config": {
            "model_type": "clip_text_model",
            "vocab_size": len(_vocabulary()),
            "hidden_size": _WIDTH,
            "intermediate_size": 32,
            "projection_dim": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "max_position_embeddings": 32,
            "bos_token_id": _vocabulary()["<|startoftext|>"],
            "eos_token_id": _vocabulary()["<|endoftext|>"],
        },
        "geometry_encoder_config": _LAYERS,
        "detr_encoder_config": _LAYERS,
        "detr_decoder_config": {**_LAYERS, "num_queries": 6},
        "mask_decoder_config": {"hidden_size": _WIDTH, "num_attention_heads": 2},
    }
    tracker = {
        "model_type": "sam3_tracker_video",
        "vision_config": _SAM3_VISION,
        "prompt_encoder_config": {
            "hidden_size": _WIDTH,
            "image_size": SAM3_PX,
            "patch_size": 14,
            "mask_input_channels": 4,
        },
        "mask_decoder_config": _DECODER,
        "image_size": SAM3_PX,
        **_MEMORY,
    }
    config = Sam3VideoConfig(detector_config=detector, tracker_config=tracker, low_res_mask_size=16)
    return spread(Sam3VideoModel(config))


def tiny_tokenizer() -> CLIPTokenizer:
    return CLIPTokenizer(vocab=_vocabulary(), merges=_merges())


def save_model(model: PreTrainedModel, folder: Path) -> None:
    """Files with the names of the model's own parts, as published; save_pretrained changes some."""
    folder.mkdir(parents=True, exist_ok=True)
    model.config.save_pretrained(folder)
    state = {key: value.contiguous().clone() for key, value in model.state_dict().items()}
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})


def spread(model: nn.Module, seed: int = 7) -> Any:
    """Weights large enough that picture and prompts move the masks; transformers' are tiny."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        if parameter.ndim > 1:
            parameter.data = noise * (2.0 / max(parameter[0].numel(), 1)) ** 0.5
        elif not name.endswith("weight"):
            parameter.data = noise * 0.1
    return model.eval().requires_grad_(False)


def _vocabulary() -> dict[str, int]:
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = ["ze", "br", "zebr", "ho", "rs", "hors"]
    tokens = [*letters, *(f"{letter}</w>" for letter in letters if letter != "a"), *pieces, *_WORDS]
    return {token: number for number, token in enumerate(tokens)}


def _merges() -> list[tuple[str, str]]:
    return [
        ("z", "e"), ("b", "r"), ("ze", "br"), ("zebr", "a</w>"),
        ("h", "o"), ("r", "s"), ("ho", "rs"), ("hors", "e</w>"),
    ]  # fmt: skip
