"""Trees, shrubs, rocks and grass of the landscapes, painted stroke by stroke."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from cfr_core.demo.planes import black_planes
from cfr_core.demo.traits import Traits
from cfr_core.types import Float32Array

_SUPERSAMPLE = 2


def _rgba(colour: Float32Array, brightness: float) -> tuple[int, ...]:
    return _palette(colour, np.array([brightness], np.float32))[0]


def _palette(colour: Float32Array, brightness: Float32Array) -> list[tuple[int, ...]]:
    """The colour at each brightness, opaque, as Pillow wants it."""
    rgba = np.full((len(brightness), 4), 255, np.uint8)
    rgba[:, :3] = np.clip(brightness[:, None] * colour * np.float32(255), 0, 255)
    return list(map(tuple, rgba.tolist()))


@dataclass(frozen=True)
class Brush:
    """What a plant is painted with, on a canvas of 160 by 200 pixels.

    Attributes:
        draw: The canvas.
        traits: Source of the plant's shape.
        name: Name of the plant among the traits.
        leaf: (3,) float32, colour of the foliage, 0 to 1.
        bark: (3,) float32, colour of trunk or stone, 0 to 1.
        sun_x: Side that the sun stands on, -1 to 1.
    """

    draw: ImageDraw.ImageDraw
    traits: Traits
    name: str
    leaf: Float32Array
    bark: Float32Array
    sun_x: float

    def shape(self, *size: int) -> Float32Array:
        """Standard normal variates for the plant's shape."""
        return self.traits.normal(f"{self.name}/shape", *size)

    def foliage(self, blobs: Sequence[tuple[float, float, float, float]]) -> None:
        """Fill ellipses (x, y, rx, ry) with leaf strokes, dark below, light on the sunny top."""
        for i, (x, y, rx, ry) in enumerate(blobs):
            z = self.traits.normal(f"{self.name}/leaves{i}", int(14 + 0.11 * rx * ry), 4)
            dx, dy = np.clip(0.46 * z[:, 0], -1, 1), np.clip(0.46 * z[:, 1], -1, 1)
            lit = 0.72 - 0.38 * dy + 0.22 * self.sun_x * dx + 0.10 * z[:, 2]
            r = 2.6 + 1.1 * np.abs(z[:, 3])
            cx, cy = x + rx * dx, y + ry * dy
            boxes = np.stack([cx - 1.3 * r, cy - r, cx + 1.3 * r, cy + r], axis=1).tolist()
            colours = _palette(self.leaf, lit)
            for j in np.argsort(lit).tolist():
                self.draw.ellipse(boxes[j], fill=colours[j])

    def trunk(self, path: Sequence[tuple[float, float, float]]) -> None:
        """A stem through (x, y, half width), with a lit side."""
        left = [(x - w, y) for x, y, w in path]
        right = [(x + w, y) for x, y, w in path]
        middle = [(x + 0.3 * w * float(np.sign(-self.sun_x)), y) for x, y, w in path]
        self.draw.polygon(left + right[::-1], fill=_rgba(self.bark, 0.65))
        sunny = left if self.sun_x < 0 else right
        self.draw.polygon(middle + sunny[::-1], fill=_rgba(self.bark, 1.0))


def _acacia(brush: Brush) -> None:
    z = brush.shape(8)
    fork = 110 + 8 * z[0]
    brush.trunk([(80, 200, 6), (80 + 3 * z[1], 150, 4), (80 + 5 * z[1], fork, 3.5)])
    x0 = 80 + 5 * z[1]
    tops = [(x0 - 34 + 5 * z[2], 66 + 5 * z[3]), (x0 + 4 * z[4], 56), (x0 + 34 + 5 * z[5], 68)]
    for x, y in tops:
        brush.trunk([(x0, fork + 2, 3), ((x0 + x) / 2, (fork + y) / 2, 2), (x, y, 1)])
    brush.foliage([(x, y, 32, 12) for x, y in tops])


def _broadleaf(brush: Brush) -> None:
    z = brush.shape(10)
    brush.trunk([(80, 200, 8), (80 + 2 * z[0], 160, 5), (80 + 3 * z[0], 110, 4)])
    blobs = [
        (80.0 + 12 * np.cos(a) * 2.6, 95.0 + 18 * np.sin(a) * 1.6 + 3 * z[i], 30.0, 26.0)
        for i, a in enumerate(np.linspace(2.6, -0.4, 4))
    ]
    blobs += [(80.0 + 6 * z[5], 92.0, 38.0, 34.0), (80.0 + 6 * z[6], 56.0 + 4 * z[7], 30.0, 24.0)]
    brush.foliage(blobs)


def _conifer(brush: Brush) -> None:
    z = brush.shape(12, 2)
    brush.trunk([(80, 200, 5), (80, 120, 3), (80, 30, 1)])
    for tier in range(12):
        y, half = 186.0 - 15.0 * tier, (46.0 - 3.6 * tier) * (1.0 + 0.12 * z[tier, 0])
        tip = (80.0, y - 34.0)
        left, right = (80.0 - half, y + 3 * z[tier, 1]), (80.0 + half, y - 3 * z[tier, 1])
        brush.draw.polygon(
            [left, tip, right, (80.0, y - 9.0)], fill=_rgba(brush.leaf, 0.55 + 0.02 * tier)
        )
        sunny = left if brush.sun_x < 0 else right
        brush.draw.polygon(
            [sunny, tip, (80.0, y - 9.0)], fill=_rgba(brush.leaf, 0.80 + 0.03 * tier)
        )


def _palm(brush: Brush) -> None:
    z = brush.shape(12)
    top = (80.0 + 9 * z[0], 62.0)
    brush.trunk([(80, 200, 5), (80 + 6 * z[0], 130, 3.5), (*top, 3)])
    for i, angle in enumerate(np.linspace(-0.5, 3.64, 10)):
        reach, droop = 44.0 + 5 * z[i], 26.0 + 4 * z[-i]
        for k in np.linspace(0.1, 1.0, 12):
            x = top[0] + reach * np.cos(angle) * k
            y = top[1] - 0.8 * reach * np.sin(angle) * k + droop * k * k
            hang = 13.0 * (1.1 - k)
            shine = 0.75 + 0.25 * np.sin(angle) + 0.15 * brush.sun_x * np.cos(angle)
            brush.draw.line(
                [(x, y), (x + 3 * np.cos(angle), y + hang)], fill=_rgba(brush.leaf, shine), width=3
            )


def _shrub(brush: Brush) -> None:
    z = brush.shape(4)
    blobs = [(50.0 + 6 * z[0], 176.0, 30.0, 22.0), (108.0 + 6 * z[1], 178.0, 32.0, 20.0)]
    brush.foliage(
        [*blobs, (80.0, 164.0 + 4 * z[2], 38.0, 30.0)],
    )


def _rock(brush: Brush) -> None:
    z = brush.shape(12)
    angles = np.linspace(0.0, np.pi, 9)
    rim = [
        (80 + (62 + 7 * z[i]) * np.cos(a), 196 - (52 + 9 * z[i]) * np.sin(a) ** 0.8)
        for i, a in enumerate(angles)
    ]
    crest = (80 + 14 * z[9] + 14 * brush.sun_x, 158 + 4 * z[10])
    brush.draw.polygon(rim, fill=_rgba(brush.bark, 0.6))
    for i in range(8):
        tilt = np.cos(angles[i] + np.pi / 16) * brush.sun_x + np.sin(angles[i])
        shine = 0.62 + 0.30 * tilt + 0.05 * z[i]
        brush.draw.polygon([rim[i], rim[i + 1], crest], fill=_rgba(brush.bark, shine))


KINDS: dict[str, Callable[[Brush], None]] = {
    "acacia": _acacia,
    "broadleaf": _broadleaf,
    "conifer": _conifer,
    "palm": _palm,
    "shrub": _shrub,
    "rock": _rock,
}


def paint_plant(
    kind: str, traits: Traits, name: str, *, leaf: Float32Array, bark: Float32Array, sun_x: float
) -> Image.Image:
    """A plant or rock as an RGBA sprite of 160 by 200 pixels, standing on its lower edge.

    Args:
        kind: Key of `KINDS`.
        traits: Source of its shape.
        name: Its name among the traits.
        leaf: (3,) float32, colour of the foliage, 0 to 1.
        bark: (3,) float32, colour of trunk or stone, 0 to 1.
        sun_x: Side that the sun stands on, -1 to 1.
    """
    sprite = Image.new("RGBA", (160, 200))
    KINDS[kind](Brush(ImageDraw.Draw(sprite), traits, name, leaf, bark, sun_x))
    return sprite


def paint_grass(
    traits: Traits, name: str, size_hw: tuple[int, int], blades: Float32Array, colour: Float32Array
) -> Float32Array:
    """Blades of grass as an RGBA layer.

    Args:
        traits: Source of bend and shade.
        name: Name of this grass among the traits.
        size_hw: (height, width) of the layer in pixels.
        blades: (n, 3) float32, x and y of the root and length, in pixels.
        colour: (3,) float32, 0 to 1.

    Returns:
        (H, W, 4) float32, 0 to 1.
    """
    height, width = size_hw
    first = int(np.clip((blades[:, 1] - blades[:, 2]).min() - 1, 0, height - 1))
    band = ((width * _SUPERSAMPLE), (height - first) * _SUPERSAMPLE)
    picture = Image.new("RGBA", band, (*_rgba(colour, 0.8)[:3], 0))
    draw = ImageDraw.Draw(picture)
    z = traits.normal(f"{name}/blades", len(blades), 3)
    x, y, length = (blades[np.argsort(blades[:, 1])] - [0, first, 0]).T * _SUPERSAMPLE
    bend, wide = 0.35 * length * z[:, 0], 0.9 + 0.035 * length
    corners = [x - wide, y, x + 0.35 * bend, y - 0.6 * length, x + bend, y - length, x + wide, y]
    colours = _palette(colour, 0.78 + 0.2 * z[:, 1])
    for blade, fill in zip(np.stack(corners, axis=1).tolist(), colours, strict=True):
        draw.polygon(blade, fill=fill)
    layer = black_planes(size_hw, 4)
    layer[first:] = np.asarray(picture.reduce(_SUPERSAMPLE), np.float32) / np.float32(255.0)
    return layer
