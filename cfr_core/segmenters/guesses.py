"""Which part of a scene is the animal: a first guess, and what a click changes in it.

As in GrabCut (Rother et al. 2004) what animal and ground look like is learned from the scene
itself, in turn with what is taken for the animal. Where GrabCut knows colours only, here places
are told apart by the looks of `appearance`.
"""

from typing import TypeAlias

import cv2
import numpy as np

from cfr_core.segmenters.discriminant import animal_share
from cfr_core.segmenters.scene import Scene, SceneClick
from cfr_core.segmenters.smoothing import smooth
from cfr_core.types import BoolArray, Float32Array

Rectangle: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels of the frame."""

_ROUNDS = 4
_CENTRE_LOG_ODDS = 0.6
"""How likely the middle of a box is animal before one looks."""
_EDGE_LOG_ODDS = -0.55
"""What is added to that at the middle of the box's sides."""
_ANIMAL_ODDS = 0.25
"""How much the network's view counts, in log odds a standard deviation."""
_SHARPNESS = 6.0
_FAR_WEIGHT = 0.2
"""Ground far from the box tells less of the ground beside the animal."""

_CLICK_REACH = 6.0
"""How far a click reaches, in distances to the nearest place that is as it says already."""
_DOUBT = 1.2
"""How much of what was taken is open again, of the nearness to the click; all of it beside it."""
_CLICK_CORE = 0.5
"""Within this share of that distance all is as the click says."""
_CLICK_WEIGHT = 0.3
"""Weight of all clicks as examples, of all other places."""
_CLICK_PX = 2.5
_SURE_GROUND = 5.0
"""How much it counts that ground outside the box is ground."""
_SURE, _SURER = 3.0, 20.0
"""How much a guess counts near a click, and at a click."""


def guess_in_box(scene: Scene, box: Rectangle) -> Float32Array:
    """How likely each place is animal, from a box around it alone.

    Args:
        scene: What is seen; its clicks are not regarded.
        box: The box.

    Returns:
        (h, w) float32 from 0 to 1; 0 outside the box. The ellipse in the box where nothing sets an
        animal apart from its ground.
    """
    is_inside = _rectangle(scene, box)
    inside = is_inside.astype(np.float32)
    before = _before_looking(scene, box, is_inside)
    weights = np.where(_rectangle(scene, _widened(box)), np.float32(1), np.float32(_FAR_WEIGHT))
    certainty = np.where(is_inside, np.float32(1), np.float32(_SURE_GROUND))
    # The place and the network's view count double until something is known of this animal.
    shares = _share(2 * before) * inside
    for _ in range(_ROUNDS):
        seen = animal_share(scene.looks, shares.ravel(), weights.ravel()).reshape(shares.shape)
        guess = _share(_log_odds(seen) + before) * inside
        smoothed = smooth(guess, certainty, scene.grid)
        shares = _share(_SHARPNESS * (smoothed - 0.5)) * inside
    guess = smoothed * inside
    return guess if (guess > 0.5).any() else _ellipse(scene, box)


def corrected(scene: Scene, shares: Float32Array, click: SceneClick) -> Float32Array:
    """What a click changes: places near it that look like it, and not like the rest.

    Args:
        scene: With this click among its clicks.
        shares: (h, w) float32 from 0 to 1, what was taken for the animal.
        click: One that contradicts this.

    Returns:
        (h, w) float32 from 0 to 1; 0 outside the box.
    """
    taken = (shares > 0.5).astype(np.float32)
    if not click.is_animal:
        taken[_stray_part(scene, taken > 0.5, click)] = 0
    distance2 = scene.distance2(click)
    clearance = _clearance(scene, taken > 0.5, click)
    nearness = np.exp(-distance2 / (2 * (_CLICK_REACH * clearance) ** 2))
    core = distance2 <= max(1.5, _CLICK_CORE * clearance) ** 2
    likely = _likely(scene, taken, core, nearness, click)
    doubt = np.minimum(1, _DOUBT * nearness)
    guess = taken + doubt * (likely - taken)
    guess[core] = click.is_animal
    certainty = np.where(core, np.float32(_SURE), np.float32(1))
    _set_clicks(scene, guess, certainty)
    inside = np.ones_like(guess)
    if scene.box_xyxy is not None:
        inside = _rectangle(scene, scene.box_xyxy).astype(np.float32)
    return np.asarray(smooth(guess * inside, certainty, scene.grid) * inside, np.float32)


def _before_looking(scene: Scene, box: Rectangle, is_inside: BoolArray) -> Float32Array:
    """(h, w) log odds by the place within the box and by the network's view."""
    ground = scene.animal if is_inside.all() else scene.animal[~is_inside]
    view = (scene.animal - ground.mean()) / (scene.animal.std() + 1e-6)
    offset2 = _offset2(scene, box)
    log_odds = _CENTRE_LOG_ODDS + _EDGE_LOG_ODDS * offset2 + _ANIMAL_ODDS * view
    return np.asarray(log_odds, np.float32)


def _offset2(scene: Scene, box: Rectangle) -> Float32Array:
    """(h, w) squared distance from the middle of a box, in halves of its sides."""
    height, width = scene.animal.shape
    left, top, right, bottom = box
    y, x = np.ogrid[:height, :width]
    across = (2 * x + 1 - left - right) / (right - left)
    down = (2 * y + 1 - top - bottom) / (bottom - top)
    return np.asarray(across**2 + down**2, np.float32)


def _ellipse(scene: Scene, box: Rectangle) -> Float32Array:
    """(h, w) 1 inside the ellipse that fills a box; every box has a place in it."""
    offset2 = _offset2(scene, box)
    return np.asarray(offset2 <= max(1.0, float(offset2.min())), np.float32)


def _widened(box: Rectangle) -> Rectangle:
    """A rectangle with the ground beside it."""
    left, top, right, bottom = box
    pad = max(right - left, bottom - top) / 2
    return left - pad, top - pad, right + pad, bottom + pad


def _rectangle(scene: Scene, box: Rectangle) -> BoolArray:
    """(h, w) bool, True at places that a rectangle touches."""
    height, width = scene.animal.shape
    left, top, right, bottom = box
    y, x = np.ogrid[:height, :width]
    is_touched = (x + 1 > left) & (x < right) & (y + 1 > top) & (y < bottom)
    return np.asarray(is_touched)


def _likely(
    scene: Scene, taken: Float32Array, core: BoolArray, nearness: Float32Array, click: SceneClick
) -> Float32Array:
    """(h, w) from 0 to 1: animal by the looks, as all clicks and the places far from them teach."""
    examples = taken.copy()
    # What is near the click is in doubt, so it teaches less.
    weights = 1 - nearness
    of_clicks = _CLICK_WEIGHT * float(weights.sum())
    for known in scene.clicks:
        spot = scene.distance2(known) <= _CLICK_PX**2
        examples[spot] = known.is_animal
        weights[spot] = of_clicks / max(1, int(spot.sum())) / len(scene.clicks)
    examples[core] = click.is_animal
    weights[core] = np.maximum(weights[core], of_clicks / int(core.sum()))
    seen = animal_share(scene.looks, examples.ravel(), weights.ravel())
    return np.asarray(seen.reshape(taken.shape))


def _clearance(scene: Scene, taken: BoolArray, click: SceneClick) -> float:
    """Pixels from a click to the nearest place that is as it says already; at least 2."""
    wrong = (~taken if click.is_animal else taken).astype(np.uint8)
    at = scene.pixel(click)
    wrong[at] = 1
    padded = np.pad(wrong, 1)
    depth = cv2.distanceTransform(padded, cv2.DIST_L2, cv2.DIST_MASK_5)[1:-1, 1:-1]
    return max(2.0, float(depth[at]))


def _stray_part(scene: Scene, taken: BoolArray, click: SceneClick) -> BoolArray:
    """(h, w) bool: the part that was clicked away, unless it is the largest or has a click on."""
    count, parts, stats, _ = cv2.connectedComponentsWithStats(
        taken.astype(np.uint8), connectivity=4
    )
    part = parts[scene.pixel(click)]
    held = {parts[scene.pixel(other)] for other in scene.clicks if other.is_animal}
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])) if count > 1 else 0
    is_stray = part not in (0, largest) and part not in held
    return np.asarray(parts == part) if is_stray else np.zeros_like(taken)


def _set_clicks(scene: Scene, guess: Float32Array, certainty: Float32Array) -> None:
    """Write what the clicks say into a guess and its certainty, in place."""
    for click in scene.clicks:
        spot = scene.distance2(click) <= _CLICK_PX**2
        spot[scene.pixel(click)] = True
        guess[spot] = click.is_animal
        certainty[spot] = _SURER


def _log_odds(share: Float32Array) -> Float32Array:
    clipped = np.clip(share, 1e-3, 1 - 1e-3)
    return np.asarray(np.log(clipped / (1 - clipped)), np.float32)


def _share(log_odds: Float32Array) -> Float32Array:
    return np.asarray(1 / (1 + np.exp(-log_odds)), np.float32)
