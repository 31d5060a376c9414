"""Fractal noise: the clouds, ridges, grass and fur of the demo pictures."""

import numpy as np
from PIL import Image

from cfr_core.demo.traits import Traits
from cfr_core.types import Float32Array, IntArray

_MAX_CELLS = 256


def fractal(
    traits: Traits,
    name: str,
    size_hw: tuple[int, int],
    *,
    cells_hw: tuple[int, int],
    octaves: int = 4,
    gain: float = 0.55,
) -> Float32Array:
    """Sum of bicubic value noise, each octave twice as fine and `gain` times as strong.

    Args:
        traits: Source of the grid values.
        name: Name of this noise among the traits.
        size_hw: (height, width) in pixels.
        cells_hw: Grid cells down and across of the coarsest octave.
        octaves: Number of octaves.
        gain: Amplitude ratio of neighbouring octaves.

    Returns:
        (H, W) float32 with mean about 0 and standard deviation about 1.
    """
    field = np.zeros((1, 1), np.float32)
    power = 0.0
    for octave in range(octaves):
        rows, columns = (min(n << octave, _MAX_CELLS) + 1 for n in cells_hw)
        amplitude = gain**octave
        grid = traits.normal(f"{name}/{octave}", rows, columns)
        field = enlarged(field, (rows, columns)) + np.float32(amplitude) * grid
        power += (0.75 * amplitude) ** 2  # bicubic interpolation keeps about 0.75 of the spread
    return enlarged(field / np.float32(power**0.5), size_hw)


def enlarged(field: Float32Array, size_hw: tuple[int, int]) -> Float32Array:
    """Bicubic interpolation of a float32 field to (height, width)."""
    image = Image.fromarray(np.asarray(field, np.float32))
    return np.asarray(image.resize(size_hw[::-1], Image.Resampling.BICUBIC))


def in_perspective(
    texture: Float32Array, distance: Float32Array, width: int, *, texels: tuple[float, float]
) -> Float32Array:
    """A texture laid on a level plane, as seen by someone who stands on it.

    Args:
        texture: (N, N) float32; it repeats mirrored.
        distance: (H, 1) float32, distance of each row of pixels from the viewer.
        width: Width of the picture in pixels.
        texels: Texture pixels for a unit of distance, and for a pixel across at distance 1.

    Returns:
        (H, width) float32, the nearest texture pixel.
    """
    n = len(texture)
    across = (np.arange(width, dtype=np.float32)[None] - 0.5 * width) * distance
    # A small slant keeps the rows of the texture from lining up with the rows of pixels.
    rows = (distance * texels[0] + (0.06 * texels[1]) * across).astype(np.int32)
    columns = (across * texels[1]).astype(np.int32)
    return texture[_mirrored(rows, n), _mirrored(columns, n)]


def _mirrored(index: IntArray, n: int) -> IntArray:
    """Index folded back and forth into 0 to n - 1."""
    folded = np.abs(index) % (2 * n)
    return np.asarray(np.minimum(folded, 2 * n - 1 - folded))


def smoothstep(low: float, high: float, x: Float32Array) -> Float32Array:
    """Cubic step from 0 at `low` to 1 at `high`; float32 of the shape of x."""
    t = np.clip((x - np.float32(low)) / np.float32(high - low), 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t), np.float32)
