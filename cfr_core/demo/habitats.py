"""Kinds of country that the landscapes of the demo show."""

from dataclasses import dataclass

import numpy as np

from cfr_core.types import Float32Array


@dataclass(frozen=True)
class Habitat:
    """A kind of country; colours RGB 0 to 1.

    Attributes:
        near: Ground at the viewer's feet.
        far: Ground at the horizon.
        patch: Second colour of the ground, in patches.
        ridge: Hills and mountains.
        snow: Height share above which mountains are white; 1 for none.
        relief: How high the mountains rise, share of the picture.
        leaf: Foliage.
        trees: Kinds of plants and rocks that stand about.
        crowd: How many, from and to.
        grass: Blades in front of the animal for each 100 pixels of width.
        water: Chance of a lake.
    """

    near: Float32Array
    far: Float32Array
    patch: Float32Array
    ridge: Float32Array
    snow: float
    relief: float
    leaf: Float32Array
    trees: tuple[str, ...]
    crowd: tuple[int, int]
    grass: int
    water: float


def _rgb(*channels: float) -> Float32Array:
    return np.array(channels, np.float32)


HABITATS = (
    Habitat(  # savanna
        near=_rgb(0.62, 0.53, 0.27), far=_rgb(0.80, 0.70, 0.42),
        patch=_rgb(0.47, 0.45, 0.20), ridge=_rgb(0.46, 0.44, 0.42),
        snow=1.0, relief=0.13, leaf=_rgb(0.34, 0.42, 0.16),
        trees=("acacia", "acacia", "shrub"), crowd=(3, 8),
        grass=90, water=0.15,
    ),
    Habitat(  # meadow
        near=_rgb(0.30, 0.46, 0.16), far=_rgb(0.50, 0.62, 0.28),
        patch=_rgb(0.42, 0.55, 0.18), ridge=_rgb(0.28, 0.42, 0.34),
        snow=1.0, relief=0.16, leaf=_rgb(0.22, 0.42, 0.14),
        trees=("broadleaf", "broadleaf", "shrub"), crowd=(4, 10),
        grass=110, water=0.35,
    ),
    Habitat(  # mountain forest
        near=_rgb(0.27, 0.36, 0.16), far=_rgb(0.36, 0.46, 0.28),
        patch=_rgb(0.40, 0.36, 0.20), ridge=_rgb(0.36, 0.44, 0.50),
        snow=0.62, relief=0.34, leaf=_rgb(0.13, 0.30, 0.18),
        trees=("conifer", "conifer", "rock"), crowd=(7, 16),
        grass=80, water=0.40,
    ),
    Habitat(  # desert
        near=_rgb(0.78, 0.55, 0.32), far=_rgb(0.90, 0.70, 0.46),
        patch=_rgb(0.68, 0.42, 0.24), ridge=_rgb(0.68, 0.40, 0.28),
        snow=1.0, relief=0.22, leaf=_rgb(0.42, 0.44, 0.22),
        trees=("rock", "shrub", "rock"), crowd=(3, 7),
        grass=16, water=0.0,
    ),
    Habitat(  # snow
        near=_rgb(0.86, 0.89, 0.94), far=_rgb(0.92, 0.94, 0.97),
        patch=_rgb(0.70, 0.76, 0.86), ridge=_rgb(0.50, 0.56, 0.66),
        snow=0.25, relief=0.30, leaf=_rgb(0.20, 0.32, 0.26),
        trees=("conifer", "rock", "conifer"), crowd=(4, 12),
        grass=12, water=0.15,
    ),
    Habitat(  # moor
        near=_rgb(0.48, 0.50, 0.26), far=_rgb(0.62, 0.62, 0.40),
        patch=_rgb(0.36, 0.40, 0.30), ridge=_rgb(0.44, 0.46, 0.50),
        snow=0.80, relief=0.24, leaf=_rgb(0.48, 0.44, 0.20),
        trees=("shrub", "rock", "shrub"), crowd=(5, 10),
        grass=100, water=0.55,
    ),
    Habitat(  # tropical shore
        near=_rgb(0.80, 0.73, 0.56), far=_rgb(0.88, 0.82, 0.66),
        patch=_rgb(0.58, 0.58, 0.34), ridge=_rgb(0.30, 0.46, 0.44),
        snow=1.0, relief=0.14, leaf=_rgb(0.24, 0.46, 0.18),
        trees=("palm", "palm", "shrub"), crowd=(3, 8),
        grass=34, water=0.85,
    ),
    Habitat(  # autumn wood
        near=_rgb(0.44, 0.28, 0.15), far=_rgb(0.60, 0.42, 0.22),
        patch=_rgb(0.62, 0.38, 0.14), ridge=_rgb(0.46, 0.40, 0.40),
        snow=1.0, relief=0.18, leaf=_rgb(0.78, 0.42, 0.10),
        trees=("broadleaf", "broadleaf", "rock"), crowd=(6, 14),
        grass=60, water=0.25,
    ),
)  # fmt: skip
