"""One photo: an animal put into its scene, with shadow, foreground and the camera's own marks."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageFilter

from cfr_core.demo.animal import Placement, draw_body
from cfr_core.demo.body import pose_of, quadruped
from cfr_core.demo.coat import Coat, CoatStyle, grow_coat
from cfr_core.demo.fluke import draw_fluke, individual_fluke
from cfr_core.demo.land import paint_land
from cfr_core.demo.light import Scene, Sprite
from cfr_core.demo.plan import individual
from cfr_core.demo.sea import paint_sea, water_front
from cfr_core.demo.species import Species
from cfr_core.demo.traits import Traits
from cfr_core.types import BoolArray, Float32Array, ImageArray

_MARGIN = 1.15
"""Scenes are painted larger than the picture by this factor, so that the camera can move."""

_TRACE = 1.0 / 255.0
"""Share of a pixel below which an animal leaves no trace. With a mask cut at one half, the fringe
of half-covered pixels would draw the outline into the shortcut view."""

_N_REMEMBERED = 8
"""Scenes, of 3 MB each, and coats that are kept for the next photos; more than threads draw at a
time."""


@dataclass(frozen=True)
class Sources:
    """Where the traits of one photo come from.

    Attributes:
        coat: Traits of the coat.
        outline: Traits of the body.
        scene: Traits of the place and its light.
        moment: Traits of pose and camera, always the photo's own.
    """

    coat: Traits
    outline: Traits
    scene: Traits
    moment: Traits


@dataclass(frozen=True)
class Photo:
    """A picture with the exact mask of its animal.

    Attributes:
        rgb: (H, W, 3) uint8.
        mask: (H, W) bool, True where the pixel shows anything of the animal.
    """

    rgb: ImageArray
    mask: BoolArray


def take_photo(sources: Sources, species: Species, size_hw: tuple[int, int]) -> Photo:
    """Take the photo that these traits describe."""
    wider = (round(size_hw[0] * _MARGIN), round(size_hw[1] * _MARGIN))
    painted = _painted(sources.scene, wider, is_land=species.plan is not None)
    scene = _framed(painted, sources.moment, size_hw)
    draw = _four_legged if species.plan else _diving
    sprite, front = draw(sources, species, scene)
    rgb = scene.rgb.copy(order="K")
    if species.plan:
        _cast_shadow(rgb, sprite, scene)
    visible = _put(rgb, sprite, scene)
    rgb += front[..., 3:] * (front[..., :3] - rgb)
    visible *= 1.0 - front[..., 3]
    return Photo(_developed(rgb, sources.moment), visible > _TRACE)


# Photos of one encounter may show the same scene and coat, which are most of the work.
@lru_cache(maxsize=_N_REMEMBERED)
def _painted(traits: Traits, size_hw: tuple[int, int], *, is_land: bool) -> Scene:
    paint = paint_land if is_land else paint_sea
    return paint(traits, size_hw)


@lru_cache(maxsize=_N_REMEMBERED)
def _grown(traits: Traits, style: CoatStyle) -> Coat:
    return grow_coat(traits, style)


def _framed(scene: Scene, moment: Traits, size_hw: tuple[int, int]) -> Scene:
    """The part of a scene that the camera sees."""
    spare = [whole - part for whole, part in zip(scene.rgb.shape[:2], size_hw, strict=True)]
    top = int(moment.uniform("view/top", 0.2, 1.0) * spare[0])
    left = int(moment.uniform("view/left") * spare[1])
    window = (slice(top, top + size_hw[0]), slice(left, left + size_hw[1]))
    return Scene(scene.rgb[window], scene.front[window], scene.light, scene.haze)


def _four_legged(sources: Sources, species: Species, scene: Scene) -> tuple[Sprite, Float32Array]:
    """An animal that stands on the ground."""
    if species.plan is None:
        raise ValueError(f"{species.name} has no legs to stand on")
    moment, (height, width) = sources.moment, scene.rgb.shape[:2]
    plan = individual(species.plan, sources.outline, species.spread)
    body = quadruped(plan, pose_of(moment))
    scale = species.scale * height * moment.uniform("view/scale", 0.90, 1.12)
    foot = height * moment.uniform("view/foot", 0.84, 0.92)
    place = Placement(
        (height, width),
        scale,
        (width * moment.uniform("view/x", 0.45, 0.55), foot - body.ground_y * scale),
        yaw=moment.uniform("view/yaw", 0.84, 1.0),
        facing=moment.pick("view/facing", (-1, 1)),
    )
    coat = _grown(sources.coat, species.coat)
    return draw_body(body, coat, place, scene.light), scene.front


def _diving(sources: Sources, species: Species, scene: Scene) -> tuple[Sprite, Float32Array]:
    """A whale of which the fluke is above the water."""
    moment, (height, width) = sources.moment, scene.rgb.shape[:2]
    place = Placement(
        (height, width),
        species.scale * height * moment.uniform("view/scale", 0.92, 1.10),
        (
            width * moment.uniform("view/x", 0.46, 0.54),
            height * moment.uniform("view/y", 0.46, 0.54),
        ),
        yaw=moment.uniform("view/yaw", 0.88, 1.0),
        facing=1,
    )
    sprite = draw_fluke(
        individual_fluke(sources.outline, species.spread),
        _grown(sources.coat, species.coat),
        place,
        scene.light,
        roll_deg=moment.uniform("pose/roll", -8.0, 8.0),
        waterline=moment.uniform("pose/waterline", 0.62, 0.74),
    )
    front = water_front(scene.rgb, moment, sprite.foot_y_px, place.centre_xy_px[0])
    return sprite, front


def _cast_shadow(rgb: Float32Array, sprite: Sprite, scene: Scene) -> None:
    """Lay the outline on the ground, away from the sun, and darken what it covers."""
    height, width = rgb.shape[:2]
    left, top = sprite.corner_xy_px
    canvas = Image.new("L", (width, height))
    canvas.paste(Image.fromarray((sprite.alpha * 255).astype(np.uint8)), (left, top))
    sun_x, sun_y, _ = scene.light.direction
    flat, skew = 0.16, np.clip(sun_x / max(-sun_y, 0.3), -1.6, 1.6)
    foot = sprite.foot_y_px - 0.015 * height
    # Picture row y maps to the outline's row foot + (y - foot) / flat, mirrored upwards.
    affine = (1.0, -skew, skew * foot, 0.0, 1.0 / flat, foot - foot / flat)
    laid = canvas.transform(canvas.size, Image.Transform.AFFINE, affine, Image.Resampling.BILINEAR)
    soft = np.asarray(laid.filter(ImageFilter.GaussianBlur(2.2)), np.float32) / np.float32(255)
    strength = 0.30 + 0.35 * float(scene.light.sun.mean())
    rgb *= 1.0 - (strength * soft)[..., None]


def _put(rgb: Float32Array, sprite: Sprite, scene: Scene) -> Float32Array:
    """Paste the animal with a breath of haze; returns its alpha on the whole picture."""
    (left, top), (h, w) = sprite.corner_xy_px, sprite.alpha.shape
    window = (slice(top, top + h), slice(left, left + w))
    colour = sprite.rgb + np.float32(0.05) * (scene.haze - sprite.rgb)
    rgb[window] += sprite.alpha[..., None] * (colour - rgb[window])
    alpha = np.zeros(rgb.shape[:2], np.float32)
    alpha[window] = sprite.alpha
    return alpha


def _developed(rgb: Float32Array, moment: Traits) -> ImageArray:
    """Exposure, vignette and grain of the camera; to 8 bits."""
    height, width = rgb.shape[:2]
    ys = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    xs = np.linspace(-1, 1, width, dtype=np.float32)[None]
    vignette = 1.0 - np.float32(0.09) * (xs * xs + ys * ys)
    exposure = np.exp(0.05 * moment.normal("camera/exposure"))
    grain = np.float32(0.012) * moment.normal("camera/grain", height, width)
    out = rgb * (vignette * exposure)[..., None] + grain[..., None]
    return np.ascontiguousarray(np.clip(out * 255.0 + 0.5, 0, 255).astype(np.uint8))
