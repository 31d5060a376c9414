"""What every engine takes and gives: prompts in pixels of the crop, candidates with scores.

Coordinates are continuous: (0, 0) is the outer corner of the first pixel, whose centre is at
(0.5, 0.5), so that they mean the same at any scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from cfr_core.errors import InputError
from cfr_core.types import BoolArray, Float32Array, ImageArray


def _no_points() -> Float32Array:
    return np.empty((0, 2), np.float32)


def _no_labels() -> BoolArray:
    return np.empty(0, np.bool_)


@dataclass(frozen=True)
class Prompts:
    """What is known of where the animal is.

    Attributes:
        points_xy: (P, 2) float32, places that were clicked, (x, y) in pixels of the crop.
        is_animal: (P,) bool, True where the place is on the animal.
        box_xyxy: Left, top, right, bottom of a box around the animal, or None.
        text: Name of what to look for; "" for none. Only some engines read it.
        prior: (H, W) bool, a mask to start from, or None.
    """

    points_xy: Float32Array = field(default_factory=_no_points)
    is_animal: BoolArray = field(default_factory=_no_labels)
    box_xyxy: tuple[float, float, float, float] | None = None
    text: str = ""
    prior: BoolArray | None = None

    def __post_init__(self) -> None:
        if self.points_xy.shape != (len(self.is_animal), 2):
            raise InputError(
                f"{len(self.is_animal)} labels for points of shape {self.points_xy.shape}"
            )
        if self.box_xyxy is not None:
            left, top, right, bottom = self.box_xyxy
            if not (left < right and top < bottom):
                raise InputError(f"the box {self.box_xyxy} has no area")

    @property
    def is_empty(self) -> bool:
        """True if nothing is said."""
        has_none = not len(self.points_xy) and self.box_xyxy is None
        return has_none and not self.text and self.prior is None

    def check_inside(self, size_hw: tuple[int, int]) -> None:
        """Refuse prompts that do not belong to a crop.

        Args:
            size_hw: Size of the crop, (height, width) in pixels.

        Raises:
            InputError: if a point or a corner of the box lies outside, or the prior mask has
                another size.
        """
        height, width = size_hw
        corners = np.reshape(self.box_xyxy or (), (-1, 2))
        for x, y in (*self.points_xy.tolist(), *corners.tolist()):
            if not (0 <= x <= width and 0 <= y <= height):
                raise InputError(f"({x:g}, {y:g}) is outside the picture of {width} x {height} px")
        if self.prior is not None and self.prior.shape != size_hw:
            raise InputError(
                f"the mask to start from has shape {self.prior.shape}, the picture {size_hw}"
            )


@dataclass(frozen=True)
class Candidates:
    """Masks that an engine proposes, in the engine's own order.

    Attributes:
        masks: (C, H, W) bool, of the crop's size; C may be 0 where an engine finds nothing.
        scores: (C,) float32, the engine's own estimate of each from 0 to 1; NaN if it has none.
    """

    masks: BoolArray
    scores: Float32Array

    def __post_init__(self) -> None:
        if self.masks.ndim != 3 or self.scores.shape != self.masks.shape[:1]:
            raise InputError(f"{self.scores.shape} scores for masks of shape {self.masks.shape}")

    @property
    def best(self) -> int:
        """Number of the candidate with the highest score; the first where there are no scores."""
        return 0 if np.isnan(self.scores).all() else int(np.nanargmax(self.scores))


@dataclass(frozen=True)
class EncodedImage:
    """A crop with what an engine has computed of it, once for all prompts.

    Attributes:
        pixels: (H, W, 3) uint8 RGB, the crop.
        arrays: The engine's features by name; empty where it has none.
        engine: `Segmenter.fingerprint` of the engine that made them.
    """

    pixels: ImageArray
    arrays: dict[str, npt.NDArray[Any]]
    engine: str

    @property
    def size_hw(self) -> tuple[int, int]:
        """Size of the crop, (height, width) in pixels."""
        return self.pixels.shape[0], self.pixels.shape[1]


class Segmenter(Protocol):
    """An engine, loaded; one thread at a time."""

    @property
    def name(self) -> str:
        """Name in the registry, which becomes `Mask.source`."""
        ...

    @property
    def fingerprint(self) -> str:
        """Digest of everything that changes a feature: model, weights, input size."""
        ...

    @property
    def reads_text(self) -> bool:
        """True if `Prompts.text` is understood."""
        ...

    def encode(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        """Compute features of crops, in one batch where the model allows."""
        ...

    def propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        """Masks that fit the prompts.

        Raises:
            InputError: if the prompts are empty, lie outside the crop, hold only text and the
                engine reads none, or if the features are another engine's.
        """
        ...
