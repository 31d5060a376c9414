"""Segment Anything 2 by transformers, and how SAM 3 answers clicks with the same decoder.

Ravi et al., "SAM 2: Segment Anything in Images and Videos" (arXiv 2408.00714).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import Sam2Model, Sam3TrackerModel
from transformers.models.sam2.image_processing_sam2 import Sam2ImageProcessor

from cfr_core.encoders.weights import WeightsFile
from cfr_core.fingerprint import fingerprint
from cfr_core.segmenters.cards import SegmenterCard
from cfr_core.segmenters.on_torch import (
    TorchSegmenter,
    candidates,
    is_ambiguous,
    prior_logits,
    stop_between,
    to_model_px,
)
from cfr_core.segmenters.pretrained import load_pretrained
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts
from cfr_core.types import ImageArray

ClickModel: TypeAlias = Sam2Model | Sam3TrackerModel
"""A model that answers clicks, boxes and masks to start from."""
_KINDS = ("sam2", "sam2_video")


def load_sam2(
    card: SegmenterCard, files: Sequence[WeightsFile], device: torch.device
) -> "Sam2Segmenter":
    """An engine with its weights.

    Args:
        card: The engine.
        files: Its files, all in one folder.
        device: Where it runs.

    Raises:
        WeightsError: if a file is damaged or belongs to another model.
    """
    model = load_pretrained(Sam2Model, files[0].path.parent, expected=_KINDS)
    nn.Module.to(model, device)
    stop_between(model.vision_encoder.backbone.blocks)
    side = input_side(model)
    digest = fingerprint(weights=[file.sha256 for file in files], input_size_px=side)
    return Sam2Segmenter(card.name, digest, device, model)


@dataclass(frozen=True)
class Sam2Segmenter(TorchSegmenter):
    """A SAM 2 model, loaded; see `Segmenter`."""

    _model: Sam2Model = field(repr=False)

    @property
    def reads_text(self) -> bool:
        """Always False."""
        return False

    def _propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        """One mask, or three where all that is known is one click."""
        levels = [torch.from_numpy(level)[None].to(self._device) for level in _levels(image)]
        return decode(self._model, levels, prompts, image.size_hw)

    def _encode(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        side = input_side(self._model)
        pixels = to_square(Sam2ImageProcessor, images, side).to(self._device)
        levels = [level.cpu().numpy() for level in self._model.get_image_embeddings(pixels)]
        return [
            EncodedImage(
                image,
                {f"level_{n}": level[row] for n, level in enumerate(levels)},
                self.fingerprint,
            )
            for row, image in enumerate(images)
        ]


def input_side(model: ClickModel) -> int:
    """Side of a model's square input in pixels."""
    return cast("int", model.prompt_encoder.input_image_size)


def to_square(processor: type, images: Sequence[ImageArray], side: int) -> Tensor:
    """Crops as a model was trained on them: stretched to a square, and normalised.

    Args:
        processor: Class of transformers that knows the model's filter, mean and std.
        images: (H, W, 3) uint8 RGB each.
        side: Side of the square in pixels.

    Returns:
        (N, 3, side, side) float32.
    """
    prepare = processor(size={"height": side, "width": side})
    inputs = prepare(images=list(images), input_data_format="channels_last", return_tensors="pt")
    pixels: Tensor = inputs["pixel_values"]
    return pixels


def decode(
    model: ClickModel, levels: list[Tensor], prompts: Prompts, size_hw: tuple[int, int]
) -> Candidates:
    """Masks from features and prompts.

    Args:
        model: A Sam2Model or Sam3TrackerModel.
        levels: Its image embeddings, (1, C, S, S) each, finest first.
        prompts: What was asked; its text is not read.
        size_hw: Size of the crop.
    """
    given = _model_prompts(model, prompts, size_hw, levels[0].device)
    outputs = model(image_embeddings=levels, multimask_output=is_ambiguous(prompts), **given)
    logits = functional.interpolate(
        outputs.pred_masks[0].float(), size_hw, mode="bilinear", align_corners=False
    )
    return candidates(logits[0], outputs.iou_scores[0, 0])


def _levels(image: EncodedImage) -> list[np.ndarray]:
    return [image.arrays[f"level_{n}"] for n in range(len(image.arrays))]


def _model_prompts(
    model: ClickModel, prompts: Prompts, size_hw: tuple[int, int], device: torch.device
) -> dict[str, Tensor]:
    side = input_side(model)
    scale_xy = (side / size_hw[1], side / size_hw[0])
    given = {}
    if len(prompts.points_xy):
        given["input_points"] = to_model_px(prompts.points_xy, scale_xy)[None, None]
        given["input_labels"] = torch.from_numpy(prompts.is_animal.astype(np.int64))[None, None]
    if prompts.box_xyxy is not None:
        corners = np.asarray(prompts.box_xyxy, np.float32)
        given["input_boxes"] = to_model_px(corners, scale_xy).reshape(1, 1, 4)
    if prompts.prior is not None:
        low_res = model.prompt_encoder.mask_input_size[0]
        given["input_masks"] = prior_logits(prompts.prior, (side, side), side, low_res)
    return {name: tensor.to(device) for name, tensor in given.items()}
