"""Skies: colour of the hour, clouds, the sun, and the light that falls from them."""

from dataclasses import dataclass

import numpy as np

from cfr_core.demo.light import Light, Sky
from cfr_core.demo.noise import fractal, smoothstep
from cfr_core.demo.planes import black_planes, coloured
from cfr_core.demo.traits import Traits
from cfr_core.types import Float32Array

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Hour:
    """What the sky looks like at some time and weather; colours RGB 0 to 1.

    Attributes:
        top: Sky overhead.
        low: Sky at the horizon, also the colour of haze.
        cloud: Lit side of clouds.
        shade: Shaded side of clouds.
        sun: Direct light, colour and strength.
        ambient: Light from the whole sky.
        cover: Cloud cover from and to, 0 to 1.
        elevation_deg: Height of the sun.
    """

    top: Colour
    low: Colour
    cloud: Colour
    shade: Colour
    sun: Colour
    ambient: Colour
    cover: tuple[float, float]
    elevation_deg: float


HOURS = (
    Hour((0.20, 0.45, 0.80), (0.74, 0.86, 0.94), (1.0, 1.0, 1.0), (0.72, 0.78, 0.86),
         (0.78, 0.75, 0.68), (0.42, 0.46, 0.52), (0.15, 0.55), 55.0),
    Hour((0.33, 0.52, 0.74), (0.98, 0.84, 0.60), (1.0, 0.93, 0.80), (0.76, 0.68, 0.66),
         (0.92, 0.74, 0.50), (0.40, 0.40, 0.44), (0.15, 0.60), 22.0),
    Hour((0.26, 0.24, 0.48), (0.99, 0.60, 0.40), (0.99, 0.72, 0.58), (0.50, 0.36, 0.48),
         (0.85, 0.52, 0.36), (0.40, 0.36, 0.44), (0.30, 0.70), 10.0),
    Hour((0.60, 0.66, 0.72), (0.86, 0.88, 0.88), (0.92, 0.93, 0.94), (0.64, 0.68, 0.73),
         (0.34, 0.34, 0.34), (0.62, 0.64, 0.66), (0.60, 0.95), 60.0),
    Hour((0.26, 0.32, 0.42), (0.62, 0.68, 0.70), (0.72, 0.76, 0.80), (0.30, 0.35, 0.42),
         (0.38, 0.38, 0.38), (0.48, 0.51, 0.56), (0.60, 0.95), 45.0),
    Hour((0.56, 0.70, 0.86), (0.98, 0.88, 0.86), (1.0, 0.95, 0.94), (0.80, 0.76, 0.84),
         (0.74, 0.66, 0.58), (0.46, 0.45, 0.50), (0.05, 0.45), 18.0),
)  # fmt: skip
"""Noon, golden afternoon, dusk, overcast, storm, pale morning."""


def paint_sky(traits: Traits, size_hw: tuple[int, int], horizon: float) -> Sky:
    """Paint a sky down to the horizon (share of the height) and find its light."""
    hour = traits.pick("sky/hour", HOURS)
    tint = 1.0 + 0.04 * traits.normal("sky/tint", 3)
    top, low = (np.clip(np.array(c, np.float32) * tint, 0, 1) for c in (hour.top, hour.low))
    ys = np.linspace(0.0, 1.0 / horizon, size_hw[0], dtype=np.float32)[:, None, None]
    rgb = black_planes(size_hw, 3)
    rgb += top + (low - top) * np.clip(ys, 0.0, 1.0) ** 1.4
    azimuth = traits.uniform("sky/azimuth", -1.0, 1.0)
    _glow(rgb, hour, azimuth, horizon)
    _clouds(rgb, traits, hour, horizon)
    return Sky(np.asarray(rgb, np.float32), _light(hour, azimuth), np.asarray(low, np.float32))


def _glow(rgb: Float32Array, hour: Hour, azimuth: float, horizon: float) -> None:
    """Brighten the sky around the sun; a low sun is in the picture."""
    height, width = rgb.shape[:2]
    x0, y0 = width * (0.5 + 0.4 * azimuth), height * horizon * (1.0 - hour.elevation_deg / 40.0)
    above = rgb[: int(height * horizon) + 4]
    ys = np.arange(len(above), dtype=np.float32)[:, None] - np.float32(y0)
    distance = np.hypot(np.arange(width, dtype=np.float32) - np.float32(x0), ys) / height
    sun = np.array(hour.sun, np.float32)
    glow = np.float32(0.45 * sun.max()) * np.exp(-((distance / 0.35) ** 2))
    above += glow[..., None] * (sun - 0.25 * above)
    if hour.elevation_deg < 30.0:
        disc = smoothstep(0.048, 0.036, distance)[..., None]
        above += disc * (np.clip(1.25 * sun + 0.25, 0.0, 1.0) - above)


def _clouds(rgb: Float32Array, traits: Traits, hour: Hour, horizon: float) -> None:
    """Clouds flatten towards the horizon and are dark below."""
    height, width = rgb.shape[:2]
    rows = max(int(height * horizon) + 4, 8)
    noise = fractal(traits, "sky/clouds", (rows, width), cells_hw=(3, 3), octaves=5)
    cover = traits.uniform("sky/cover", *hour.cover)
    density = smoothstep(0.9 - 2.0 * cover, 2.1 - 2.0 * cover, noise)
    below = np.roll(noise, 5, axis=0) - noise
    lit = smoothstep(-0.6, 0.6, below + 0.25 * noise)
    shade, cloud = np.array(hour.shade, np.float32), np.array(hour.cloud, np.float32)
    colour = coloured(1 - lit, shade) + coloured(lit, cloud)
    fade = np.linspace(1.0, 0.35, rows, dtype=np.float32)[:, None]
    rgb[:rows] += (0.95 * density * fade)[..., None] * (colour - rgb[:rows])


def _light(hour: Hour, azimuth: float) -> Light:
    elevation = np.deg2rad(max(hour.elevation_deg, 25.0))
    direction = np.array(
        [0.9 * azimuth * np.cos(elevation), -np.sin(elevation), 0.75 * np.cos(elevation) + 0.2]
    )
    x, y, z = direction / np.linalg.norm(direction)
    ambient, sun = (_paler(np.array(c, np.float32)) for c in (hour.ambient, hour.sun))
    return Light(
        sun=sun,
        sky=ambient,
        bounce=np.asarray(0.5 * ambient, np.float32),
        direction=(float(x), float(y), float(z)),
    )


def _paler(colour: Float32Array) -> Float32Array:
    """Half the saturation: eyes and cameras balance most of the colour of light away."""
    return np.asarray(0.5 * colour + 0.5 * colour.mean(), np.float32)
