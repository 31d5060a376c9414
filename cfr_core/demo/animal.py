"""Drawing an animal: its outline, its roundness, and the coat that follows its limbs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from cfr_core.demo.body import Body, Limb
from cfr_core.demo.coat import Coat
from cfr_core.demo.light import Light, Sprite
from cfr_core.demo.noise import smoothstep
from cfr_core.demo.planes import black_planes, coloured
from cfr_core.types import Float32Array

Window = tuple[slice, slice]

_BLEND = 0.020
"""Softness of the joints between limbs, in torso lengths."""

_FAR_LIGHT = np.float32(0.62)
"""Light on the legs of the far side, which the body shades."""


@dataclass(frozen=True)
class Placement:
    """Where an animal stands in a picture.

    Attributes:
        size_hw: (height, width) of the picture in pixels.
        scale_px: Torso length in pixels.
        centre_xy_px: Position of the middle of the torso.
        yaw: Foreshortening along the facing direction, above 0 to 1.
        facing: 1 to the right, -1 to the left.
    """

    size_hw: tuple[int, int]
    scale_px: float
    centre_xy_px: tuple[float, float]
    yaw: float
    facing: int

    def to_px(self, xy: Float32Array) -> Float32Array:
        """Pixel coordinates of points in torso lengths."""
        turn = np.array([self.facing * self.yaw, 1.0], np.float32) * np.float32(self.scale_px)
        return np.asarray(xy * turn + np.array(self.centre_xy_px, np.float32), np.float32)


@dataclass(frozen=True)
class Surface:
    """The visible surface of an animal, a value for each pixel of a window.

    Attributes:
        alpha: (h, w) float32, covered share of the pixel.
        values: (5, h, w) float32: height towards the viewer in pixels; body coordinates along and
            across the limb in torso lengths; 0 coat to 1 colour of muzzle and hooves; opacity of
            the coat's marks.
    """

    alpha: Float32Array
    values: Float32Array


def draw_body(body: Body, coat: Coat, place: Placement, light: Light) -> Sprite:
    """Draw the far side, then the near side over it, then eye and nose."""
    everywhere = np.concatenate([place.to_px(limb.points) for limb in body.limbs])
    reach = max(float(limb.radii.max()) for limb in body.limbs) * place.scale_px
    rows, columns = _window(everywhere, reach, place.size_hw)
    inner = replace(
        place,
        size_hw=(rows.stop - rows.start, columns.stop - columns.start),
        centre_xy_px=(place.centre_xy_px[0] - columns.start, place.centre_xy_px[1] - rows.start),
    )
    far = _surface([limb for limb in body.limbs if limb.is_far], inner)
    near = _surface([limb for limb in body.limbs if not limb.is_far], inner)
    cover = near.alpha
    values = far.values + cover * (near.values - far.values)
    surface = Surface(np.maximum(cover, far.alpha), values)
    rgb = shade(surface, coat, light) * (_FAR_LIGHT + (1 - _FAR_LIGHT) * cover)[..., None]
    _draw_face(rgb, body, inner)
    return Sprite(
        rgb=rgb,
        alpha=surface.alpha,
        corner_xy_px=(columns.start, rows.start),
        foot_y_px=float(place.centre_xy_px[1] + body.ground_y * place.scale_px),
    )


def shade(surface: Surface, coat: Coat, light: Light) -> Float32Array:
    """Colour of a surface with this coat in this light: (h, w, 3) float32, 0 where uncovered."""
    covered = surface.alpha > 0.0
    ny, nx = np.gradient(ndimage.gaussian_filter(surface.values[0], 1.2))
    nx, ny = -nx[covered], -ny[covered]
    nz = 1.0 / np.sqrt(nx * nx + ny * ny + 1.0)
    dx, dy, dz = (np.float32(v) for v in light.direction)
    direct = np.clip((nx * dx + ny * dy + dz) * nz, 0.0, 1.0)
    up = 0.5 - 0.5 * ny * nz
    glow = coloured(direct, light.sun) + coloured(up, light.sky)
    glow += coloured(1.0 - up, light.bounce)
    rgb = black_planes(covered.shape, 3)
    rgb[covered] = _albedo(surface.values[1:, covered], coat) * glow
    return rgb


def _albedo(values: Float32Array, coat: Coat) -> Float32Array:
    """Ground colour, white underside, marks, dark points, in this order; (n, 3)."""
    along, across, point_colour, opacity = values
    under = smoothstep(0.06, 0.19, across) * opacity * coat.belly
    marks = coat.marks_at(along, across) * opacity
    rgb = coat.base + coloured(under, np.float32(0.93) - coat.base)
    rgb += (marks * (1.0 - np.float32(0.6) * under))[:, None] * (coat.mark - rgb)
    return np.asarray(rgb + point_colour[:, None] * (coat.point - rgb), np.float32)


def _surface(limbs: list[Limb], place: Placement) -> Surface:
    """Blend limbs softly: each pixel takes the soft-max-weighted mean of the limbs it is in."""
    blend = np.float32(_BLEND * place.scale_px)
    outline = np.full(place.size_hw, 1e-9, np.float32)
    mass = np.full(place.size_hw, 1e-9, np.float32)
    sums = np.zeros((5, *place.size_hw), np.float32)
    for limb in limbs:
        window, depth, values = _limb_field(limb, place)
        covered = np.exp(np.clip(depth / blend, -20.0, 30.0))
        outline[window] += covered
        weight = covered * np.float32(np.exp(limb.lift / _BLEND))
        mass[window] += weight
        sums[(slice(None), *window)] += weight * values
    return Surface(np.clip(blend * np.log(outline) + 0.5, 0.0, 1.0), sums / mass)


def _limb_field(limb: Limb, place: Placement) -> tuple[Window, Float32Array, Float32Array]:
    """Depth inside a limb in pixels, and (5, h, w) values in the order of `Surface`."""
    points, margin = place.to_px(limb.points), 5 * _BLEND * place.scale_px
    rows, columns = _window(
        points, float(limb.radii.max()) * place.scale_px + margin, place.size_hw
    )
    shape = (rows.stop - rows.start, columns.stop - columns.start)
    depth, values = np.full(shape, -1e3, np.float32), np.zeros((5, *shape), np.float32)
    points -= np.array([columns.start, rows.start], np.float32)
    along = limb.along
    for i in range(len(points) - 1):
        ends = points[i : i + 2]
        reach = float(limb.radii[i : i + 2].max()) * place.scale_px + margin
        window = _window(ends, reach, shape)
        its_depth, its_values = _cone_field(limb, i, ends, window, along, place)
        wins = its_depth > depth[window]
        np.copyto(depth[window], its_depth, where=wins)
        np.copyto(values[(slice(None), *window)], its_values, where=wins)
        along += float(np.hypot(*(limb.points[i + 1] - limb.points[i])))
    return (rows, columns), depth, values


def _cone_field(
    limb: Limb, i: int, ends: Float32Array, window: Window, along: float, place: Placement
) -> tuple[Float32Array, Float32Array]:
    """The same in a window for the round cone from point i to point i + 1 (`ends`, in pixels)."""
    xs = np.arange(window[1].start, window[1].stop, dtype=np.float32)[None] - ends[0, 0]
    ys = np.arange(window[0].start, window[0].stop, dtype=np.float32)[:, None] - ends[0, 1]
    sx, sy = ends[1] - ends[0]
    length2 = max(sx * sx + sy * sy, np.float32(1e-3))
    free = (xs * sx + ys * sy) / length2
    t = np.clip(free, 0.0, 1.0)
    scale = np.float32(place.scale_px)
    r0, r1 = limb.radii[i] * scale, limb.radii[i + 1] * scale
    radius = r0 + t * (r1 - r0)
    distance2 = (xs - t * sx) ** 2 + (ys - t * sy) ** 2
    # Beyond its ends the coat runs on: clamped coordinates would smear it into streaks.
    reach = np.clip(free, 0.0 if i > 0 else None, 1.0 if i < len(limb.points) - 2 else None)
    units = np.hypot(*(limb.points[i + 1] - limb.points[i]))
    colour0, colour1 = limb.point_colour[i], limb.point_colour[i + 1]
    values = np.empty((5, *t.shape), np.float32)
    values[0] = np.sqrt(np.clip(radius * radius - distance2, 0.0, None)) + limb.lift * scale
    values[1] = along + reach * units
    values[2] = (sx * ys - sy * xs) * (place.facing / (np.sqrt(length2) * scale))
    values[3] = colour0 + t * (colour1 - colour0)
    values[4] = limb.marks
    return radius - np.sqrt(distance2), values


def _window(points: Float32Array, margin: float, size_hw: tuple[int, int]) -> Window:
    """Rows and columns within the margin of the points, at least one of each."""
    xs, ys = zip(*points.tolist(), strict=True)  # few numbers, for which NumPy takes longer
    return _span(ys, margin, size_hw[0]), _span(xs, margin, size_hw[1])


def _span(values: Sequence[float], margin: float, limit: int) -> slice:
    low = int(min(max(min(values) - margin, 0), limit - 1))
    high = int(min(max(max(values) + margin + 2, low + 1), limit))
    return slice(low, high)


def _draw_face(rgb: Float32Array, body: Body, place: Placement) -> None:
    (x, y), r = body.eye_xy, body.eye_r
    spots = (
        (x, y, 1.35 * r, 0.16),
        (x, y, r, 0.03),
        (x + 0.3 * r, y - 0.35 * r, 0.35 * r, 0.95),
        (*body.nose_xy, 1.2 * r, 0.05),
    )
    for x, y, radius, grey in spots:
        centre = place.to_px(np.array([[x, y]], np.float32))
        radius_px = max(radius * place.scale_px, 0.6)
        window = _window(centre, radius_px + 1.5, place.size_hw)
        ys, xs = np.ogrid[window]
        distance = np.hypot(xs - centre[0, 0], ys - centre[0, 1])
        cover = np.clip(radius_px - distance + 0.5, 0.0, 1.0)[..., None].astype(np.float32)
        rgb[window] += cover * (np.float32(grey) - rgb[window])
