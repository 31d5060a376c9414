"""What the engines that run on PyTorch share: prompts in the model's pixels, memory, stopping."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from cfr_core.errors import DeviceError, InputError
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts, Segmenter
from cfr_core.segmenters.stopping import stop_if_unwanted
from cfr_core.types import BoolArray, Float32Array, ImageArray

_CERTAIN_LOGIT = 10.0
"""How surely a mask to start from is one; SAM 2 (Ravi et al. 2024) feeds masks back with it."""
_MEMORY_WORDS = ("out of memory", "can't allocate memory", "not enough memory")


def stop_between(layers: Iterable[nn.Module]) -> None:
    """Make each layer ask whether its result is still wanted before it computes."""

    def ask(*_: object) -> None:
        stop_if_unwanted()

    for layer in layers:
        layer.register_forward_pre_hook(ask)


def is_out_of_memory(error: Exception) -> bool:
    """True if an error says that memory has run out; PyTorch has several ways to say so."""
    is_named = isinstance(error, MemoryError | torch.OutOfMemoryError)
    return is_named or any(words in str(error).lower() for words in _MEMORY_WORDS)


@contextmanager
def memory_explained(engine: str, device: torch.device) -> Iterator[None]:
    """Turn running out of memory into words that say what to do.

    Raises:
        DeviceError: if memory runs out inside the block.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise DeviceError(
            f"the memory of {device.type} is too small for {engine} here: close other programs, or "
            "choose a smaller engine such as mobile-sam"
        ) from error


@dataclass(frozen=True)
class TorchSegmenter(ABC):
    """What every engine on PyTorch does alike; see `Segmenter`.

    Attributes:
        name: Name in the registry.
        fingerprint: Digest of model, weights and input size.
    """

    name: str
    fingerprint: str
    _device: torch.device

    def encode(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        """Features of crops, in one batch as far as memory allows.

        Raises:
            DeviceError: if memory does not hold one crop.
        """
        with memory_explained(self.name, self._device), torch.inference_mode():
            return self._encode_within_memory(images)

    def propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        """Masks that fit the prompts.

        Raises:
            InputError: if the prompts are empty, lie outside the crop, or hold only text and the
                engine reads none, or if the features are another engine's.
            DeviceError: if memory runs out.
        """
        check_prompts(image, prompts, self)
        with memory_explained(self.name, self._device), torch.inference_mode():
            return self._propose(image, prompts)

    @property
    @abstractmethod
    def reads_text(self) -> bool:
        """True if `Prompts.text` is understood."""

    @abstractmethod
    def _encode(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        """Features of at least one crop, in one batch."""

    @abstractmethod
    def _propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        """Masks for prompts that were checked."""

    def _encode_within_memory(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        """Encode in one batch, or in halves of it as long as memory runs out.

        Raises:
            torch.OutOfMemoryError: if not even one image fits.
        """
        if not images:
            return []
        try:
            return self._encode(images)
        except torch.OutOfMemoryError:
            if len(images) == 1:
                raise
        half = len(images) // 2
        first, second = images[:half], images[half:]
        return self._encode_within_memory(first) + self._encode_within_memory(second)


def check_prompts(image: EncodedImage, prompts: Prompts, segmenter: Segmenter) -> None:
    """Refuse features of another engine, prompts that say nothing to it or lie outside the crop.

    Raises:
        InputError: if so.
    """
    if image.engine != segmenter.fingerprint:
        raise InputError(
            f"the features of this picture are another engine's than those of {segmenter.name}"
        )
    if prompts.is_empty:
        raise InputError("nothing says where the animal is: click on it, or draw a box around it")
    if replace(prompts, text="").is_empty and not segmenter.reads_text:
        raise InputError(f"{segmenter.name} reads no names: click on the animal, or draw a box")
    prompts.check_inside(image.size_hw)


def is_ambiguous(prompts: Prompts) -> bool:
    """True for a lone click, which can mean a part of the animal or the whole.

    SAM is trained to answer it with three masks and anything more with one (Kirillov et al. 2023,
    sec. 3 and appendix A).
    """
    is_lone = len(prompts.points_xy) == 1
    return is_lone and prompts.box_xyxy is None and prompts.prior is None


def to_model_px(points_xy: Float32Array, scale_xy: tuple[float, float]) -> Tensor:
    """Places on the crop as the models count them: a pixel's number stands for its centre.

    Args:
        points_xy: (P, 2) places in pixels of the crop, (0, 0) its outer corner.
        scale_xy: Pixels of the model's input for one of the crop's.

    Returns:
        (P, 2) float32.
    """
    scaled = np.asarray(points_xy, np.float64).reshape(-1, 2) * scale_xy - 0.5
    return torch.from_numpy(scaled.astype(np.float32))


def prior_logits(prior: BoolArray, input_hw: tuple[int, int], canvas_px: int, side: int) -> Tensor:
    """A mask to start from as the models' own low-resolution output.

    Args:
        prior: (H, W) bool, of the crop's size.
        input_hw: Size of the crop on the model's input, which it fills from the upper left corner.
        canvas_px: Side of the square input.
        side: Side of the low-resolution mask.

    Returns:
        (1, 1, side, side) float32, positive on the animal.
    """
    mask = torch.from_numpy(prior[None, None].astype(np.float32))
    resized = functional.interpolate(mask, input_hw, mode="bilinear", antialias=True)
    height, width = input_hw
    canvas = functional.pad(resized, (0, canvas_px - width, 0, canvas_px - height))
    shares = functional.adaptive_avg_pool2d(canvas, side)
    return (shares * 2 - 1) * _CERTAIN_LOGIT


def candidates(logits: Tensor, scores: Tensor) -> Candidates:
    """Masks where the logits are positive.

    Args:
        logits: (C, H, W), of the crop's size.
        scores: (C,) the model's own estimates, which may leave 0 to 1 a little.
    """
    return Candidates(
        masks=(logits > 0).cpu().numpy(),
        scores=scores.float().clamp(0, 1).cpu().numpy(),
    )
