"""Landscapes: ridges, trees, water and ground under a sky, with grass in front of the animal."""

import numpy as np
from PIL import Image

from cfr_core.demo.flora import paint_grass, paint_plant
from cfr_core.demo.habitats import HABITATS, Habitat
from cfr_core.demo.light import Scene, Sky
from cfr_core.demo.noise import fractal, in_perspective, smoothstep
from cfr_core.demo.planes import coloured
from cfr_core.demo.sky import paint_sky
from cfr_core.demo.traits import Traits
from cfr_core.types import Float32Array


def paint_land(traits: Traits, size_hw: tuple[int, int]) -> Scene:
    """Paint the landscape that these traits describe, back to front."""
    habitat = traits.pick("land/habitat", HABITATS)
    horizon = traits.uniform("land/horizon", 0.34, 0.52)
    sky = paint_sky(traits, size_hw, horizon)
    rgb = sky.rgb.copy(order="K")
    lit = sky.light.total
    for layer in range(3):
        _ridge(rgb, traits, habitat, sky, horizon, layer)
    horizon_px = int(horizon * size_hw[0])
    shore_px = _lake(rgb, traits, habitat, sky, horizon_px)
    _ground(rgb, traits, habitat, sky, shore_px, lit)
    _meadow(rgb, traits, habitat, shore_px, lit)
    _plants(rgb, traits, habitat, sky, shore_px, lit)
    blades = _front_blades(traits, habitat, size_hw)
    colour = 0.55 * habitat.near + 0.45 * habitat.leaf
    front = paint_grass(traits, "land/front", size_hw, blades, np.asarray(colour * lit, np.float32))
    return Scene(np.clip(rgb, 0.0, 1.0), front, sky.light, sky.haze)


def _ridge(
    rgb: Float32Array, traits: Traits, habitat: Habitat, sky: Sky, horizon: float, layer: int
) -> None:
    """One line of hills; the farther, the higher, smoother and hazier."""
    height, width = rgb.shape[:2]
    name, nearness = f"land/ridge{layer}", layer / 2.0
    line = fractal(traits, name, (1, width), cells_hw=(1, 3 + layer), octaves=5, gain=0.48)[0]
    relief = habitat.relief * (1.0 - 0.62 * nearness) * traits.uniform(f"{name}/relief", 0.5, 1.3)
    crest = ((horizon - relief * (0.55 + 0.30 * line)) * height + 2.0 * nearness)[None]
    first, last = int(np.clip(crest.min() - 1, 0, height - 8)), int(horizon * height) + 3
    rows = slice(min(first, last - 4), last)
    ys = np.arange(rows.start, rows.stop, dtype=np.float32)[:, None]
    folds = fractal(traits, f"{name}/folds", (len(ys), width), cells_hw=(4, 12), octaves=3)
    slope = np.tanh(np.gradient(line) * np.float32(8.0 * np.sign(sky.light.direction[0])))[None]
    lit = sky.light.total
    colour = habitat.ridge * lit
    colour = colour + np.float32(0.55 * nearness) * (habitat.leaf * lit - colour)
    shaded = coloured(np.clip(0.95 + 0.13 * folds - 0.22 * slope, 0.4, 1.5), colour)
    if habitat.snow < 1.0:
        rise = (horizon * height - ys) / max(relief * height, 1.0) + 0.10 * folds
        white = smoothstep(habitat.snow, habitat.snow + 0.12, rise)
        shaded += white[..., None] * (np.float32(0.95) * lit - shaded)
    shaded += np.float32(0.72 - 0.50 * nearness) * (sky.haze - shaded)
    cover = np.clip(ys - crest + 0.5, 0.0, 1.0)[..., None]
    rgb[rows] += cover * (shaded - rgb[rows])


def _lake(rgb: Float32Array, traits: Traits, habitat: Habitat, sky: Sky, horizon_px: int) -> int:
    """Mirror what stands above the horizon in a lake; returns the row of its near shore."""
    if traits.uniform("land/lake") >= habitat.water:
        return horizon_px
    depth = int(traits.uniform("land/lake/width", 0.07, 0.20) * rgb.shape[0])
    rows = np.clip(horizon_px - 1 - (np.arange(depth) * 1.3).astype(int), 0, None)
    ripple = fractal(traits, "land/lake/ripple", (depth, rgb.shape[1]), cells_hw=(24, 6), octaves=2)
    mirror = rgb[rows] * 0.78 + 0.12 * sky.haze + 0.045 * ripple[..., None]
    rgb[horizon_px : horizon_px + depth] = mirror
    return horizon_px + depth


def _ground(
    rgb: Float32Array,
    traits: Traits,
    habitat: Habitat,
    sky: Sky,
    shore_px: int,
    lit: Float32Array,
) -> None:
    """Ground in perspective: patches and grain shrink towards the horizon."""
    height, width = rgb.shape[:2]
    edge = 3.0 * fractal(traits, "land/shore", (1, width), cells_hw=(1, 5), octaves=3)
    ys = np.arange(shore_px - 8, height, dtype=np.float32)[:, None] - shore_px
    below = np.clip(ys - edge, 0.0, None)
    near = np.sqrt(np.clip(below / (height - shore_px), 0.0, 1.0))
    grain = in_perspective(
        fractal(traits, "land/soil", (256, 256), cells_hw=(12, 12), octaves=4, gain=0.8),
        1.0 / (0.16 + (ys + 8.0) / (height - shore_px)),
        width,
        texels=(200.0, 0.75),
    )
    patch = fractal(traits, "land/patch", grain.shape, cells_hw=(7, 3), octaves=4)
    far, close, second = habitat.far * lit, habitat.near * lit, habitat.patch * lit
    colour = far + coloured(near, close - far)
    colour += (0.8 * smoothstep(0.0, 1.0, patch))[..., None] * (second - colour)
    colour *= (1.0 + grain * (0.06 + 0.11 * near))[..., None]
    colour += (0.45 * np.exp(-6.0 * near))[..., None] * (sky.haze - colour)
    cover = np.clip(below, 0.0, 1.0)[..., None]
    rgb[shore_px - 8 :] += cover * (colour - rgb[shore_px - 8 :])


def _plants(
    rgb: Float32Array,
    traits: Traits,
    habitat: Habitat,
    sky: Sky,
    shore_px: int,
    lit: Float32Array,
) -> None:
    """Stand trees and rocks about, far ones small, hazy and first."""
    height, width = rgb.shape[:2]
    sun_x = sky.light.direction[0]
    leaf, bark = habitat.leaf * lit, habitat.ridge * lit
    sprites: dict[str, Image.Image] = {}
    count = round(traits.uniform("land/crowd", *habitat.crowd))
    spots = traits.uniforms("land/plants", habitat.crowd[1], 3)[:count].tolist()
    for i, (depth, growth, x) in sorted(enumerate(spots), key=lambda item: item[1][0]):
        kind = habitat.trees[i % len(habitat.trees)]
        name = f"land/tree/{kind}{i % 2}"
        if name not in sprites:
            sprites[name] = paint_plant(
                kind, traits, name, leaf=leaf * 1.15, bark=bark, sun_x=sun_x
            )
        near = depth**1.5
        size = height * (0.16 + 0.34 * near) * (0.75 + 0.5 * growth)
        size *= 0.55 if kind in ("shrub", "rock") else 1.0
        foot = (width * (1.04 * x - 0.02), shore_px + 2 + near * 0.26 * (height - shore_px))
        _stamp(rgb, sprites[name], foot, size, 0.5 * (1.0 - near) ** 2, sky.haze)


def _meadow(
    rgb: Float32Array, traits: Traits, habitat: Habitat, shore_px: int, lit: Float32Array
) -> None:
    """Tufts of grass all over the ground, small ones far away."""
    height, width = rgb.shape[:2]
    places = traits.uniforms("land/tufts", 2 * habitat.grass + 12, 2)
    near = np.repeat(places[:, 0] ** 0.7, 3)
    z = traits.normal("land/tuft-blades", len(near), 2)
    x = np.repeat(places[:, 1], 3) * width + 2.5 * z[:, 0] * (0.3 + near)
    y = shore_px + 4 + near * (height - shore_px)
    blades = np.stack([x, y, (1.5 + 0.028 * height * near) * np.exp(0.25 * z[:, 1])], axis=1)
    colour = np.asarray((0.5 * habitat.near + 0.5 * habitat.leaf) * lit, np.float32)
    layer = paint_grass(traits, "land/meadow", (height, width), blades, colour)
    rgb += np.float32(0.8) * layer[..., 3:] * (layer[..., :3] - rgb)


def _stamp(
    rgb: Float32Array,
    sprite: Image.Image,
    foot_xy: tuple[float, float],
    size: float,
    fog: float,
    haze: Float32Array,
) -> None:
    """Paste a sprite of that height in pixels, its foot on the point, cut at the edges."""
    tall, wide = max(int(size), 4), max(int(size * 0.8), 4)
    pixels = (
        np.asarray(
            sprite.resize((wide, tall), Image.Resampling.BILINEAR, reducing_gap=2.0), np.float32
        )
        / 255.0
    )
    left, top = int(foot_xy[0] - wide / 2), int(foot_xy[1] - tall)
    height, width = rgb.shape[:2]
    x0, x1, y0, y1 = max(left, 0), min(left + wide, width), max(top, 0), min(top + tall, height)
    if x0 >= x1 or y0 >= y1:
        return
    part = pixels[y0 - top : y1 - top, x0 - left : x1 - left]
    colour = part[..., :3] + np.float32(fog) * (haze - part[..., :3])
    rgb[y0:y1, x0:x1] += part[..., 3:] * (colour - rgb[y0:y1, x0:x1])


def _front_blades(traits: Traits, habitat: Habitat, size_hw: tuple[int, int]) -> Float32Array:
    """Roots and lengths of the grass before the animal, in clumps along the lower edge."""
    height, width = size_hw
    n = habitat.grass * width // 100
    z = traits.normal("land/blades", n, 3)
    centre = np.repeat(traits.normal("land/clumps", n // 8 + 1), 8)[:n]
    x = width * (0.5 + 0.5 * np.tanh(0.9 * centre) + 0.06 * z[:, 0])
    y = height * (0.955 + 0.035 * z[:, 1])
    return np.stack([x, y, height * 0.055 * np.exp(0.35 * z[:, 2])], axis=1).astype(np.float32)
