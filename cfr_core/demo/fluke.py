"""Flukes: the tail of a diving whale, whose outline is the individual's."""

from math import exp

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage
from scipy.interpolate import PchipInterpolator, make_interp_spline

from cfr_core.demo.animal import Placement, Surface, shade
from cfr_core.demo.coat import Coat
from cfr_core.demo.light import Light, Sprite
from cfr_core.demo.traits import Traits
from cfr_core.types import Float32Array

_SUPERSAMPLE = 4

_SHAPES = ("rise", "arch", "curl", "chord", "taper", "bulge", "notch", "waves", "stock")
_N_EDGE = 16
_N_NICKS = 3


def individual_fluke(traits: Traits, spread: float) -> Float32Array:
    """Outline of the fluke of one whale.

    Args:
        traits: Source of the shape.
        spread: How much individuals differ; 1 as in a catalogue of humpbacks, 0 not at all.

    Returns:
        (n, 2) float32, a closed curve in half spans: x to the right and y downwards from the
        joint of the two lobes.
    """
    shape = dict(zip(_SHAPES, spread * traits.normal("outline/fluke", len(_SHAPES)), strict=True))
    lobes = []
    for side in (-1.0, 1.0):
        edge = spread * traits.normal(f"outline/edge{side}", _N_EDGE)
        nicks = traits.uniforms(f"outline/nicks{side}", _N_NICKS, 2)
        lobe = _lobe({k: float(v) for k, v in shape.items()}, edge, nicks, spread)
        lobes.append(lobe * np.array([side, 1.0]))
    return np.concatenate([lobes[0][::-1], lobes[1]]).astype(np.float32)


def _lobe(
    z: dict[str, float], edge: Float32Array, nicks: Float32Array, spread: float
) -> Float32Array:
    """Along the trailing edge to the tip, and back on the leading edge down the stock."""
    s = np.linspace(0.0, 1.0, 90)
    middle = -(0.20 + 0.16 * z["rise"]) * s - (0.22 + 0.12 * z["arch"]) * np.sin(np.pi * s)
    middle += (0.10 + 0.13 * z["curl"]) * s**5
    thick = 0.25 * exp(0.28 * z["chord"]) * (1.0 - s) ** (0.75 * exp(0.25 * z["taper"]))
    thick *= 1.0 + 0.40 * np.tanh(z["bulge"]) * np.exp(-(((s - 0.55) / 0.20) ** 2))
    thick += 0.012
    ripple = make_interp_spline(np.linspace(0.0, 1.0, _N_EDGE), edge)(s)
    cut = 0.13 * exp(0.45 * z["waves"]) * ripple
    for where, size in nicks:
        cut -= 0.8 * spread * size**2 * np.exp(-(((s - 0.15 - 0.75 * where) / 0.018) ** 2))
    dip = (0.26 + 0.10 * np.tanh(z["notch"])) * np.exp(-((s / 0.11) ** 2))
    trailing = middle - thick * np.clip(1.0 + cut, 0.15, 1.6) + dip
    leading = (middle + thick)[s > 0.30][::-1]
    stock = 0.12 * exp(0.15 * z["stock"])
    top = float(leading[-1])
    below = [
        (0.29, top),
        (0.20, top + 0.14),
        (stock, top + 0.40),
        (1.5 * stock, 0.90),
        (2.6 * stock, 1.6),
    ]
    joint = PchipInterpolator(np.arange(5.0), np.array(below))(np.linspace(0.0, 4.0, 30))
    return np.concatenate(
        [
            np.stack([0.02 + 0.98 * s, trailing], axis=1),
            np.stack([(0.02 + 0.98 * s)[s > 0.30][::-1], leading], axis=1),
            joint,
        ]
    )


def draw_fluke(
    outline: Float32Array,
    coat: Coat,
    place: Placement,
    light: Light,
    *,
    roll_deg: float,
    waterline: float,
) -> Sprite:
    """Draw a fluke that rises from the water.

    Args:
        outline: Its shape, as `individual_fluke` gives it.
        coat: Its colours.
        place: `centre_xy_px` is the joint, `scale_px` the half span.
        light: Light of the scene.
        roll_deg: Turn in the picture plane.
        waterline: Height of the water below the joint, in half spans.
    """
    roll = np.deg2rad(roll_deg)
    turn = np.array([[np.cos(roll), np.sin(roll)], [-np.sin(roll), np.cos(roll)]], np.float32)
    points = place.to_px(outline @ turn)
    (left, top), (right, bottom) = _bounds(points, place.size_hw)
    corner = np.array([left, top], np.float32)
    alpha = _fill(points - corner, (bottom - top, right - left))
    inside = ndimage.distance_transform_edt(alpha > 0.5).astype(np.float32)
    height = 3.2 * np.sqrt(ndimage.gaussian_filter(inside, 2.0))
    ys, xs = np.indices(alpha.shape, dtype=np.float32)
    centre = np.array(place.centre_xy_px, np.float32) - corner
    along = (xs - centre[0]) / np.float32(2 * place.scale_px * place.yaw)
    across = (ys - centre[1]) / np.float32(2 * place.scale_px)
    values = np.stack([height, along, across, np.zeros_like(alpha), np.ones_like(alpha)])
    return Sprite(
        rgb=shade(Surface(alpha, values), coat, light),
        alpha=alpha,
        corner_xy_px=(left, top),
        foot_y_px=place.centre_xy_px[1] + waterline * place.scale_px,
    )


def _bounds(
    points: Float32Array, size_hw: tuple[int, int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Upper left and lower right corner of the pixels that a curve can touch."""
    limit = np.array([size_hw[1], size_hw[0]])
    left, top = np.clip(points.min(axis=0) - 2, 0, limit - 1).astype(int).tolist()
    right, bottom = np.clip(points.max(axis=0) + 3, [left + 1, top + 1], limit).astype(int).tolist()
    return (left, top), (right, bottom)


def _fill(points: Float32Array, size_hw: tuple[int, int]) -> Float32Array:
    """Covered share of each pixel inside a closed curve of pixel coordinates."""
    height, width = size_hw
    canvas = Image.new("L", (width * _SUPERSAMPLE, height * _SUPERSAMPLE))
    corners = ((points + 0.5) * _SUPERSAMPLE).astype(np.float64).ravel().tolist()
    ImageDraw.Draw(canvas).polygon(corners, fill=255)
    return np.asarray(canvas.reduce(_SUPERSAMPLE), np.float32) / np.float32(255.0)
