"""What is seen in the frame that an engine works on, and where a person clicked in it."""

from dataclasses import dataclass

import cv2
import numpy as np

from cfr_core.segmenters.appearance import ANIMAL
from cfr_core.segmenters.frame import Frame
from cfr_core.segmenters.segmenter import EncodedImage, Prompts
from cfr_core.segmenters.smoothing import Grid, grid_of
from cfr_core.types import Float32Array

_SQUARES = 0.3
"""How much the squares of the colours count: a coat is dark and bright, and grass between."""


@dataclass(frozen=True)
class SceneClick:
    """A place that was clicked.

    Attributes:
        x: Pixels from the left edge of the frame; the centre of a pixel is at a half.
        y: Pixels from the top edge.
        is_animal: True where the place is on the animal.
    """

    x: float
    y: float
    is_animal: bool


@dataclass(frozen=True)
class Scene:
    """A frame with all that is known of it; every map is of the frame's size.

    Attributes:
        looks: (h * w, F) float32: colour and components of the network's layers, place by place.
        animal: (h, w) float32: log odds that a place shows an animal of any kind.
        grid: How strongly neighbours hold together.
        box_xyxy: The box in pixels of the frame, or None.
        clicks: Those inside the frame, in the order in which they were made.
    """

    looks: Float32Array
    animal: Float32Array
    grid: Grid
    box_xyxy: tuple[float, float, float, float] | None
    clicks: tuple[SceneClick, ...]

    def distance2(self, click: SceneClick) -> Float32Array:
        """(h, w) float32: squared distance of each place from a click, in pixels of the frame."""
        height, width = self.animal.shape
        y, x = np.ogrid[:height, :width]
        squares = (x + 0.5 - click.x) ** 2 + (y + 0.5 - click.y) ** 2
        return np.asarray(squares, np.float32)

    def pixel(self, click: SceneClick) -> tuple[int, int]:
        """Row and column of the place that was clicked, or of the nearest in the frame."""
        height, width = self.animal.shape
        row, column = min(max(0, int(click.y)), height - 1), min(max(0, int(click.x)), width - 1)
        return row, column


def scene_of(image: EncodedImage, prompts: Prompts, frame: Frame) -> Scene:
    """What a frame shows.

    Args:
        image: The crop with `appearance.appearance`.
        prompts: Inside the crop.
        frame: Of this crop.
    """
    height, width = frame.size_hw
    picture = frame.picture(image.pixels).astype(np.float32) / 255
    lab = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2LAB), np.float32)
    colours = lab - lab.mean(axis=(0, 1))
    colours /= colours.std(axis=(0, 1)).mean() + 1e-6
    maps = {name: frame.look_up(values, image.size_hw) for name, values in image.arrays.items()}
    animal = maps.pop(ANIMAL)
    looks = np.concatenate([colours, _SQUARES * colours**2, *maps.values()], axis=2)
    box_xyxy = None
    if prompts.box_xyxy is not None:
        (left, top), (right, bottom) = frame.to_frame(prompts.box_xyxy).tolist()
        box_xyxy = (left, top, right, bottom)
    places = frame.to_frame(prompts.points_xy).tolist()
    clicks = (
        SceneClick(x, y, bool(is_animal))
        for (x, y), is_animal in zip(places, prompts.is_animal, strict=True)
        if 0 <= x <= width and 0 <= y <= height
    )
    flat = looks.reshape(height * width, -1)
    return Scene(flat, animal, grid_of(lab), box_xyxy, tuple(clicks))
