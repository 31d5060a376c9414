"""Segment Anything 3 by transformers: finds animals by a name, and answers clicks like SAM 2.

Carion et al., "SAM 3: Segment Anything with Concepts" (arXiv 2511.16719). Its detector and its
tracker see a picture through one backbone; what the backbone gives is what is stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import CLIPTokenizer, Sam3Model, Sam3TrackerModel
from transformers.models.sam3.image_processing_sam3 import Sam3ImageProcessor
from transformers.models.sam3.modeling_sam3 import Sam3VisionEncoderOutput

from cfr_core.encoders.weights import WeightsFile
from cfr_core.errors import WeightsError
from cfr_core.fingerprint import fingerprint
from cfr_core.segmenters.cards import SegmenterCard
from cfr_core.segmenters.on_torch import TorchSegmenter, stop_between
from cfr_core.segmenters.pretrained import load_pretrained
from cfr_core.segmenters.sam2 import decode, input_side, to_square
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts
from cfr_core.types import ImageArray

_KINDS = ("sam3", "sam3_video")
_FEATURES = "backbone"
_MIN_SCORE = 0.3
"""What transformers keeps of the detector's queries unless told otherwise."""
_ANIMAL_SHARE = 0.5
_Features: TypeAlias = npt.NDArray[Any]


def load_sam3(
    card: SegmenterCard, files: Sequence[WeightsFile], device: torch.device
) -> "Sam3Segmenter":
    """An engine with its weights.

    Args:
        card: The engine.
        files: Its files, all in one folder.
        device: Where it runs.

    Raises:
        WeightsError: if a file is damaged or belongs to another model.
    """
    folder = files[0].path.parent
    detector = load_pretrained(Sam3Model, folder, expected=_KINDS)
    tracker = load_pretrained(Sam3TrackerModel, folder, expected=_KINDS)
    # Both were read with a backbone of their own, of the same weights: one is enough.
    tracker.vision_encoder.backbone = nn.Identity()
    nn.Module.to(detector, device)
    nn.Module.to(tracker, device)
    stop_between(detector.vision_encoder.backbone.layers)
    digest = fingerprint(weights=[file.sha256 for file in files], input_size_px=input_side(tracker))
    return Sam3Segmenter(card.name, digest, device, detector, tracker, _tokenizer(folder))


class _Latest:
    """What was computed last, kept for the next click on the same picture."""

    def __init__(self) -> None:
        self._source: _Features | None = None
        self._levels: list[Tensor] = []

    def get(self, source: _Features, compute: Callable[[], list[Tensor]]) -> list[Tensor]:
        """The levels that belong to a picture's features."""
        if self._source is not source:
            self._levels = compute()
            self._source = source
        return self._levels


@dataclass(frozen=True)
class Sam3Segmenter(TorchSegmenter):
    """A SAM 3 model, loaded; see `Segmenter`.

    Clicks and a mask to start from go to its tracker, which finds the one thing they are on and
    reads no name. Without them a name goes to its detector, which finds all that bear it; a box
    then shows it one of them. A box alone goes to the tracker.
    """

    _detector: Sam3Model = field(repr=False)
    _tracker: Sam3TrackerModel = field(repr=False)
    _tokenizer: CLIPTokenizer = field(repr=False)
    _latest: _Latest = field(default_factory=_Latest, repr=False)

    @property
    def reads_text(self) -> bool:
        """Always True."""
        return True

    def _propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        """All that bear the name, or what the clicks are on."""
        shows_one = len(prompts.points_xy) > 0 or prompts.prior is not None
        if prompts.text and not shows_one:
            return self._detect(image, prompts)
        levels = self._latest.get(image.arrays[_FEATURES], partial(self._tracker_levels, image))
        return decode(self._tracker, levels, prompts, image.size_hw)

    def _encode(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        pixels = to_square(Sam3ImageProcessor, images, input_side(self._tracker))
        outputs = self._detector.vision_encoder.backbone(pixels.to(self._device))
        features = outputs.last_hidden_state.cpu().numpy()
        return [
            EncodedImage(image, {_FEATURES: row}, self.fingerprint)
            for image, row in zip(images, features, strict=True)
        ]

    def _backbone_map(self, image: EncodedImage) -> Tensor:
        """(1, C, S, S) features of the backbone at their places."""
        features = torch.from_numpy(image.arrays[_FEATURES])[None].to(self._device)
        height, width = self._tracker.prompt_encoder.image_embedding_size
        return features.view(1, height, width, -1).permute(0, 3, 1, 2)

    def _tracker_levels(self, image: EncodedImage) -> list[Tensor]:
        """Image embeddings of the tracker, finest first, as Sam3TrackerModel computes them."""
        tracker = self._tracker
        levels, _ = tracker.vision_encoder.neck(self._backbone_map(image))
        fine, middle, coarse = levels[: len(tracker.backbone_feature_sizes)]
        decoder = tracker.mask_decoder
        # No earlier frame of a film is remembered, which the model is told on the coarsest level.
        told = coarse + tracker.no_memory_embedding.view(1, -1, 1, 1)
        return [decoder.conv_s0(fine), decoder.conv_s1(middle), told]

    def _detect(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        levels, positions = self._detector.vision_encoder.neck(self._backbone_map(image))
        words = self._tokenizer(
            prompts.text,
            return_tensors="pt",
            padding="max_length",
            truncation=True,
            max_length=self._detector.text_encoder.config.max_position_embeddings,
        ).to(self._device)
        outputs = self._detector(
            vision_embeds=Sam3VisionEncoderOutput(
                fpn_hidden_states=levels, fpn_position_encoding=positions
            ),
            input_ids=words["input_ids"],
            attention_mask=words["attention_mask"],
            input_boxes=_example_box(prompts, image.size_hw, self._device),
        )
        scores = (outputs.pred_logits.sigmoid() * outputs.presence_logits.sigmoid())[0]
        kept = scores > _MIN_SCORE
        return _detected(outputs.pred_masks[0, kept], scores[kept], image.size_hw)


def _tokenizer(folder: Path) -> CLIPTokenizer:
    try:
        tokenizer: CLIPTokenizer = CLIPTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsError(
            f"{folder / 'tokenizer.json'}: damaged list of words ({str(error)[:200]}); delete the "
            "tokenizer files and get them again"
        ) from error
    return tokenizer


def _example_box(prompts: Prompts, size_hw: tuple[int, int], device: torch.device) -> Tensor | None:
    """(1, 1, 4) centre, width and height as shares of the crop; None without a box."""
    if prompts.box_xyxy is None:
        return None
    height, width = size_hw
    left, top, right, bottom = prompts.box_xyxy
    centre = ((left + right) / 2 / width, (top + bottom) / 2 / height)
    return torch.tensor(
        [[[*centre, (right - left) / width, (bottom - top) / height]]], device=device
    )


def _detected(logits: Tensor, scores: Tensor, size_hw: tuple[int, int]) -> Candidates:
    """Masks of the queries that found something; there may be none."""
    masks = np.zeros((len(logits), *size_hw), np.bool_)
    for mask, shares in zip(masks, logits.sigmoid(), strict=True):  # one by one: photos are large
        full_size = functional.interpolate(shares[None, None], size_hw, mode="bilinear")
        mask[:] = (full_size[0, 0] > _ANIMAL_SHARE).cpu().numpy()
    return Candidates(masks, scores.float().cpu().numpy())
