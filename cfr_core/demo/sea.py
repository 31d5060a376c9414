"""Seascapes: water in perspective under a sky, a far coast or icebergs, foam before the animal."""

import numpy as np

from cfr_core.demo.light import Scene
from cfr_core.demo.noise import fractal, in_perspective, smoothstep
from cfr_core.demo.planes import black_planes, coloured
from cfr_core.demo.sky import paint_sky
from cfr_core.demo.traits import Traits
from cfr_core.types import Float32Array

WATERS = (
    ((0.05, 0.20, 0.34), (0.36, 0.44, 0.42)),
    ((0.06, 0.34, 0.34), (0.30, 0.42, 0.22)),
    ((0.16, 0.24, 0.29), (0.50, 0.54, 0.60)),
    ((0.10, 0.16, 0.24), (0.90, 0.96, 1.00)),
    ((0.34, 0.32, 0.22), (0.46, 0.42, 0.26)),
    ((0.10, 0.50, 0.56), (0.86, 0.78, 0.58)),
    ((0.05, 0.08, 0.12), (0.24, 0.18, 0.18)),
)
"""Deep water and the coast behind it: ocean, green bay, grey north,
polar sea, silty estuary, lagoon, volcanic coast."""

_FOG = np.array([0.50, 0.47, 0.42], np.float32)


def paint_sea(traits: Traits, size_hw: tuple[int, int]) -> Scene:
    """Paint the sea that these traits describe, back to front."""
    deep, coast = traits.pick("sea/water", WATERS)
    horizon = traits.uniform("sea/horizon", 0.24, 0.50)
    sky = paint_sky(traits, size_hw, horizon)
    rgb = sky.rgb.copy(order="K")
    row = int(horizon * size_hw[0])
    _coast(rgb, traits, np.asarray(np.array(coast) * sky.light.total, np.float32), sky.haze, row)
    _water(rgb, traits, np.asarray(np.array(deep) * sky.light.total, np.float32), sky.haze, row)
    _fog_bank(rgb, traits)
    front = black_planes(size_hw, 4)
    return Scene(np.clip(rgb, 0.0, 1.0), front, sky.light, sky.haze)


def _coast(
    rgb: Float32Array, traits: Traits, colour: Float32Array, haze: Float32Array, row: int
) -> None:
    """Two hazy lines of land; where they dip under the horizon the sea is open."""
    height, width = rgb.shape[:2]
    ys = np.arange(row, dtype=np.float32)[:, None]
    for layer in range(2):
        name = f"sea/coast{layer}"
        line = fractal(traits, name, (1, width), cells_hw=(1, 2 + layer), octaves=6, gain=0.5)[0]
        relief = traits.uniform(f"{name}/relief", 0.0, 0.20)
        crest = row - height * relief * (line + 0.3)[None]
        folds = fractal(traits, f"{name}/folds", (row, width), cells_hw=(12, 16), octaves=2)
        shaded = coloured(1.0 + 0.16 * folds, colour)
        shaded = shaded + np.float32(0.62 - 0.3 * layer) * (haze - shaded)
        rgb[:row] += np.clip(ys - crest + 0.5, 0.0, 1.0)[..., None] * (shaded - rgb[:row])


def _water(
    rgb: Float32Array, traits: Traits, deep: Float32Array, haze: Float32Array, row: int
) -> None:
    """Waves that shrink towards the horizon; crests mirror the sky, troughs show the deep."""
    height, width = rgb.shape[:2]
    depth = np.linspace(0.0, 1.0, height - row, dtype=np.float32)[:, None]
    distance = np.asarray(1.0 / (0.10 + depth), np.float32)
    texture = fractal(traits, "sea/waves", (512, 512), cells_hw=(14, 7), octaves=4, gain=0.6)
    wave = in_perspective(texture, distance, width, texels=(170.0, 0.68))
    swell = np.gradient(wave, axis=0)
    wind = traits.uniform("sea/wind", 0.2, 1.6)
    mirror = np.clip(0.85 - 0.75 * depth**0.5 + 0.30 * wind * np.tanh(3.0 * swell), 0.0, 1.0)
    colour = deep + coloured(mirror, haze * np.float32(0.92) - deep)
    crest = wave + 1.6 * np.tanh(2.0 * swell)
    caps = smoothstep(2.9 - 0.7 * wind, 3.7 - 0.7 * wind, crest) * (0.2 + 0.5 * depth)
    rgb[row:] = colour + caps[..., None] * (np.float32(0.9) * (haze + 1.0) / 2 - colour)


def _fog_bank(rgb: Float32Array, traits: Traits) -> None:
    """Hang a bank of warm grey fog between the sky and the water in front, with wisps on top.

    On clear water the hole of the shortcut view would show an outline as plainly as the animal
    does in the photo. The fog is about as grey as that hole, and dark skin stands out from it.
    """
    height, width = rgb.shape[:2]
    wisps = fractal(traits, "sea/fog/wisps", (height, width), cells_hw=(4, 5), octaves=4)
    ys = np.linspace(0.0, 1.0, height, dtype=np.float32)[:, None]
    top, bottom = traits.uniform("sea/fog/top", 0.02, 0.14), traits.uniform("sea/fog/end", 0.7, 0.8)
    body = smoothstep(top, top + 0.14, ys + 0.04 * wisps)
    body = body * smoothstep(bottom + 0.10, bottom - 0.04, ys + 0.02 * wisps)
    grey = _FOG * np.exp(
        0.05 * traits.normal("sea/fog/grey") + 0.02 * traits.normal("sea/fog/tint", 3)
    )
    veil = (body * np.float32(traits.uniform("sea/fog/density", 0.86, 0.96)))[..., None]
    rgb += veil * (coloured(1.0 + 0.03 * wisps, grey) - rgb)


def water_front(
    scene_rgb: Float32Array, traits: Traits, line_px: float, centre_px: float
) -> Float32Array:
    """The water before an animal that rises from it, with foam at the line.

    Args:
        scene_rgb: (H, W, 3) float32, the picture without the animal.
        traits: Source of waves and foam.
        line_px: Row of the waterline.
        centre_px: Column of the animal.

    Returns:
        (H, W, 4) float32 RGBA.
    """
    height, width = scene_rgb.shape[:2]
    ys = np.arange(height, dtype=np.float32)[:, None]
    xs = np.arange(width, dtype=np.float32)[None]
    edge = 2.2 * fractal(traits, "front/edge", (1, width), cells_hw=(1, 14), octaves=3)
    near = np.exp(-(((xs - centre_px) / (0.16 * width)) ** 2))
    spray = fractal(traits, "front/foam", (height, width), cells_hw=(34, 30), octaves=3, gain=0.7)
    below = ys - line_px - edge
    foam = smoothstep(0.1, 0.9, spray * 0.45 + near * 1.5 - np.abs(below) / (3.0 + 10.0 * near))
    water = np.clip(below + 0.5, 0.0, 1.0)
    alpha = np.maximum(water, foam * (below > -9.0))
    light = 0.35 + 0.65 * scene_rgb[: max(int(line_px * 0.4), 1)].mean(axis=(0, 1))
    front = black_planes((height, width), 4)
    front[..., :3] = scene_rgb + (0.9 * foam)[..., None] * (light - scene_rgb)
    front[..., 3] = alpha
    return front
