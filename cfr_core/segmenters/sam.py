"""Segment Anything by the segment-anything package, and MobileSAM, which is built of its parts.

Kirillov et al., "Segment Anything" (arXiv 2304.02643); Zhang et al., "Faster Segment Anything"
(arXiv 2306.14289).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from segment_anything import sam_model_registry
from segment_anything.modeling import Sam
from segment_anything.utils.transforms import ResizeLongestSide
from torch import Tensor

from cfr_core.encoders.state import read_state
from cfr_core.encoders.weights import WeightsFile
from cfr_core.errors import WeightsError
from cfr_core.fingerprint import fingerprint
from cfr_core.segmenters.cards import SegmenterCard
from cfr_core.segmenters.mobile_sam import build_mobile_sam, with_timm_names
from cfr_core.segmenters.on_torch import (
    TorchSegmenter,
    candidates,
    is_ambiguous,
    prior_logits,
    stop_between,
    to_model_px,
)
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts
from cfr_core.types import ImageArray

_MOBILE = "vit_t"
BUILDERS: dict[str, Callable[[], Sam]] = {
    "vit_b": sam_model_registry["vit_b"],
    "vit_l": sam_model_registry["vit_l"],
    "vit_h": sam_model_registry["vit_h"],
    _MOBILE: build_mobile_sam,
}
"""Networks by `SegmenterCard.architecture`, with random weights."""
_FEATURES = "embedding"


def load_sam(card: SegmenterCard, weights: WeightsFile, device: torch.device) -> "SamSegmenter":
    """An engine with its weights.

    Raises:
        WeightsError: if the file is damaged or belongs to another model.
    """
    state = read_state(weights.path)
    model = BUILDERS[card.architecture]()
    try:
        model.load_state_dict(with_timm_names(state) if card.architecture == _MOBILE else state)
    except RuntimeError as error:
        details = "; ".join(line.strip() for line in str(error).splitlines()[1:])
        raise WeightsError(
            f"{weights.path}: not weights of {card.name}: {details[:400]}"
        ) from error
    model.to(device).eval().requires_grad_(False)
    size_px = model.image_encoder.img_size
    digest = fingerprint(
        architecture=card.architecture, weights=weights.sha256, input_size_px=size_px
    )
    stop_between(_layers(model))
    return SamSegmenter(card.name, digest, device, model)


def _layers(model: Sam) -> list[torch.nn.Module]:
    encoder = model.image_encoder
    stages = encoder.blocks if hasattr(encoder, "blocks") else encoder.stages
    return list(stages)


@dataclass(frozen=True)
class SamSegmenter(TorchSegmenter):
    """A Segment Anything model, loaded; see `Segmenter`."""

    _model: Sam = field(repr=False)

    @property
    def reads_text(self) -> bool:
        """Always False."""
        return False

    def _propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        """One mask, or three where all that is known is one click."""
        low_res, scores = self._decode(image, prompts)
        input_hw = self._input_hw(image.size_hw)
        logits = self._model.postprocess_masks(low_res, input_hw, image.size_hw)
        return candidates(logits[0], scores[0])

    def _encode(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        resize = ResizeLongestSide(self._model.image_encoder.img_size)
        resized = [torch.from_numpy(resize.apply_image(image)) for image in images]
        inputs = [
            self._model.preprocess(pixels.permute(2, 0, 1).contiguous().to(self._device))
            for pixels in resized
        ]
        features = self._model.image_encoder(torch.stack(inputs)).cpu().numpy()
        return [
            EncodedImage(image, {_FEATURES: row}, self.fingerprint)
            for image, row in zip(images, features, strict=True)
        ]

    def _decode(self, image: EncodedImage, prompts: Prompts) -> tuple[Tensor, Tensor]:
        """(1, C, S, S) logits on the padded input and (1, C) scores."""
        points, box, prior = self._model_prompts(prompts, image.size_hw)
        encoder = self._model.prompt_encoder
        sparse, dense = encoder(points=points, boxes=box, masks=prior)
        features = torch.from_numpy(image.arrays[_FEATURES]).to(self._device)
        low_res, scores = self._model.mask_decoder(
            image_embeddings=features[None],
            image_pe=encoder.get_dense_pe(),
            sparse_prompt_embeddings=sparse,
            dense_prompt_embeddings=dense,
            multimask_output=is_ambiguous(prompts),
        )
        return low_res, scores

    def _model_prompts(
        self, prompts: Prompts, size_hw: tuple[int, int]
    ) -> tuple[tuple[Tensor, Tensor] | None, Tensor | None, Tensor | None]:
        input_hw = self._input_hw(size_hw)
        scale_xy = (input_hw[1] / size_hw[1], input_hw[0] / size_hw[0])
        points = box = prior = None
        if len(prompts.points_xy):
            labels = torch.from_numpy(prompts.is_animal.astype(np.int32))[None].to(self._device)
            points = (to_model_px(prompts.points_xy, scale_xy)[None].to(self._device), labels)
        if prompts.box_xyxy is not None:
            corners = np.asarray(prompts.box_xyxy, np.float32)
            box = to_model_px(corners, scale_xy).reshape(1, 4).to(self._device)
        if prompts.prior is not None:
            canvas_px = self._model.image_encoder.img_size
            side = self._model.prompt_encoder.mask_input_size[0]
            prior = prior_logits(prompts.prior, input_hw, canvas_px, side).to(self._device)
        return points, box, prior

    def _input_hw(self, size_hw: tuple[int, int]) -> tuple[int, int]:
        """Size of a crop on the model's input, before it is padded to a square."""
        side = self._model.image_encoder.img_size
        height, width = ResizeLongestSide.get_preprocess_shape(*size_hw, side)
        return int(height), int(width)
