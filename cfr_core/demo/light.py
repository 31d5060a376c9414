"""What the parts of a picture tell each other: light, sky, scene, and things drawn on them."""

from dataclasses import dataclass

import numpy as np

from cfr_core.types import Float32Array


@dataclass(frozen=True)
class Light:
    """Light of a scene.

    Attributes:
        sun: Colour and strength of the direct light, RGB.
        sky: Light from above.
        bounce: Light from the ground.
        direction: Unit vector to the sun: right, down, towards the viewer.
    """

    sun: Float32Array
    sky: Float32Array
    bounce: Float32Array
    direction: tuple[float, float, float]

    @property
    def total(self) -> Float32Array:
        """(3,) float32, light on level ground."""
        return np.asarray(self.sun * np.float32(0.75) + self.sky * np.float32(0.8), np.float32)


@dataclass(frozen=True)
class Sky:
    """A sky and what it does to everything under it.

    Attributes:
        rgb: (H, W, 3) float32; only what lies above the horizon is seen.
        light: Light on the animal and the ground.
        haze: (3,) float32, colour that distance fades into.
    """

    rgb: Float32Array
    light: Light
    haze: Float32Array


@dataclass(frozen=True)
class Scene:
    """A painted place, somewhat larger than the picture taken of it.

    Attributes:
        rgb: (H, W, 3) float32, without the animal.
        front: (H, W, 4) float32 RGBA, what stands in front of the animal.
        light: Light on the animal.
        haze: (3,) float32.
    """

    rgb: Float32Array
    front: Float32Array
    light: Light
    haze: Float32Array


@dataclass(frozen=True)
class Sprite:
    """A drawn animal, somewhere in a picture.

    Attributes:
        rgb: (h, w, 3) float32, 0 to 1; meaningless where alpha is 0.
        alpha: (h, w) float32, covered share of each pixel.
        corner_xy_px: Column and row of its upper left pixel in the picture.
        foot_y_px: Height at which it touches ground or water, in the picture.
    """

    rgb: Float32Array
    alpha: Float32Array
    corner_xy_px: tuple[int, int]
    foot_y_px: float
