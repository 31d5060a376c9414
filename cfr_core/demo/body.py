"""Bodies: the limbs of a four-legged animal, from its proportions and its pose."""

from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np
import numpy.typing as npt
from scipy.interpolate import PchipInterpolator

from cfr_core.demo.plan import Plan
from cfr_core.demo.traits import Traits
from cfr_core.types import Float32Array, FloatArray


@dataclass(frozen=True)
class Pose:
    """Joint angles of one moment, degrees.

    Attributes:
        stride_deg: Swing of the legs; the two of a pair swing against each other.
        phase: Where in the stride the animal is, 0 to 1.
        neck_deg: Raises the neck.
        head_deg: Raises the head.
        tail_deg: Raises the tail.
    """

    stride_deg: float
    phase: float
    neck_deg: float
    head_deg: float
    tail_deg: float


def pose_of(traits: Traits) -> Pose:
    """A relaxed walk, as these traits have it."""
    return Pose(
        stride_deg=traits.uniform("pose/stride", 4.0, 22.0),
        phase=traits.uniform("pose/phase"),
        neck_deg=traits.uniform("pose/neck", -16.0, 12.0),
        head_deg=traits.uniform("pose/head", -12.0, 10.0),
        tail_deg=traits.uniform("pose/tail", -14.0, 14.0),
    )


@dataclass(frozen=True)
class Limb:
    """A chain of round cones with what its surface looks like.

    Attributes:
        points: (n, 2) float32, x along the facing direction and y downwards, in torso lengths.
        radii: (n,) float32.
        point_colour: (n,) float32, 0 the coat to 1 the dark colour of muzzle and hooves.
        is_far: True on the side away from the viewer.
        lift: How far it stands out of the body behind it.
        along: Body coordinate of the first point; grows along the chain.
        marks: Opacity of the coat's marks on this limb, 0 to 1.
    """

    points: Float32Array
    radii: Float32Array
    point_colour: Float32Array
    is_far: bool = False
    lift: float = 0.0
    along: float = 0.0
    marks: float = 1.0


class _Looks(TypedDict, total=False):
    is_far: bool
    lift: float
    along: float
    marks: float


@dataclass(frozen=True)
class Body:
    """The limbs of an animal in one pose, with what is drawn on its face.

    Attributes:
        limbs: Drawn far ones first.
        eye_xy: Centre of the eye, in torso lengths.
        eye_r: Its radius.
        nose_xy: Tip of the nose.
        ground_y: Height on which the feet stand.
    """

    limbs: tuple[Limb, ...]
    eye_xy: tuple[float, float]
    eye_r: float
    nose_xy: tuple[float, float]
    ground_y: float


def quadruped(plan: Plan, pose: Pose) -> Body:
    """Stand an animal of these proportions up in this pose, facing right."""
    limbs = [*_legs(plan, pose, is_far=True), _torso(plan), _tail(plan, pose)]
    neck, head, face = _front(plan, pose)
    limbs += [*_legs(plan, pose, is_far=False), neck, *face]
    lowest = [float((limb.points[:, 1] + limb.radii).max()) for limb in limbs]
    tip, back = head.points[-1], head.points[0]
    eye = back + 0.32 * (tip - back) + np.array([0.0, -0.38 * plan.head_r], np.float32)
    return Body(
        limbs=tuple(limbs),
        eye_xy=(float(eye[0]), float(eye[1])),
        eye_r=0.17 * plan.head_r,
        nose_xy=(float(tip[0]), float(tip[1])),
        ground_y=max(lowest),
    )


def _torso(plan: Plan) -> Limb:
    """Rump, loin, chest: hip at x = -0.5, shoulder at x = 0.5, the belly drawn up by the waist."""
    knots = [-0.52, -0.34, 0.0, 0.30, 0.47]
    t = np.linspace(knots[0], knots[-1], 8)
    loin = 0.5 * (plan.rump + plan.belly)
    radii = PchipInterpolator(
        knots, [0.88 * plan.rump, 0.98 * loin, plan.belly, plan.chest, 0.86 * plan.chest]
    )(t)
    middle = PchipInterpolator(knots, [0.02, 0.0, 0.02 - plan.waist, 0.03, 0.0])(t)
    return _limb(np.stack([t, middle], axis=1), radii, along=knots[0])


def _legs(plan: Plan, pose: Pose, *, is_far: bool) -> list[Limb]:
    side = 0.5 if is_far else 0.0
    swing = np.deg2rad(pose.stride_deg) * np.sin(2 * np.pi * (pose.phase + side))
    dx = 0.05 if is_far else 0.0
    hind = _leg(plan, (-0.53 + dx, 0.03), _HIND, swing, is_far=is_far)
    front = _leg(plan, (0.44 + dx, 0.06), _FRONT, -0.85 * swing, is_far=is_far)
    return [hind, front]


_HIND = (
    (0.02, -0.02, 3.3),
    (0.06, 0.20, 2.9),
    (0.09, 0.40, 1.75),
    (-0.02, 0.55, 1.15),
    (-0.11, 0.68, 0.95),
    (-0.07, 0.96, 0.80),
)
_FRONT = (
    (0.0, 0.0, 2.6),
    (-0.04, 0.20, 2.1),
    (-0.03, 0.40, 1.35),
    (0.0, 0.56, 1.0),
    (0.01, 0.70, 0.95),
    (0.01, 0.96, 0.78),
)
"""Joints of a leg: x, y in leg lengths, radius in leg radii."""


def _leg(
    plan: Plan,
    root: tuple[float, float],
    joints: tuple[tuple[float, float, float], ...],
    swing: float,
    *,
    is_far: bool,
) -> Limb:
    """A leg swung about its root; a leg that swings back bends and lifts its foot."""
    length = plan.leg - root[1]
    local = np.array([(x, y) for x, y, _ in joints], np.float64) * length
    radii = [plan.leg_r * r for *_, r in joints]
    local[-1] = local[-2] + _turned(local[-1] - local[-2], 0.9 * max(0.0, -swing))
    toe = local[-1] + np.array([plan.paw, 0.01])
    points = np.array(root) + _turned(np.vstack([local, toe]), -swing)
    return _limb(
        points,
        [*radii, 0.95 * radii[-1]],
        point_colour=[0, 0, 0, 0, 0, 0.55, 1] if plan.paw < 0.05 else [0, 0, 0, 0, 0, 0, 0.15],
        is_far=is_far,
        lift=0.035,
        along=root[0],
    )


def _tail(plan: Plan, pose: Pose) -> Limb:
    """Hangs from the rump in an S and ends in a tuft where the species has one."""
    t = np.linspace(0.0, 1.0, 7)
    heading = np.deg2rad(180.0 - plan.tail_deg - pose.tail_deg - 65.0 * np.sin(2.6 * t) + 95 * t**2)
    steps = np.stack([np.cos(heading), -np.sin(heading)], axis=1) * plan.tail / 6.0
    root = np.array([-0.5 - 0.80 * plan.rump, -0.45 * plan.rump])
    points = root + np.cumsum(steps, axis=0) - steps[0]
    radii = plan.tail_r * (1.0 - 0.35 * t) + plan.tuft * np.exp(-(((t - 0.88) / 0.14) ** 2))
    dark = np.clip((t - 0.75) * 5.0, 0.0, 1.0) * (1.0 if plan.tuft > 0 else 0.35)
    return _limb(points, radii, point_colour=dark, along=-0.6, is_far=False)


def _front(plan: Plan, pose: Pose) -> tuple[Limb, Limb, list[Limb]]:
    """Neck, head, and all that sits on them (the head first)."""
    root = np.array([0.47, -0.32 * plan.chest])
    aim = _direction(plan.neck_deg + pose.neck_deg)
    bend = _direction(plan.neck_deg + pose.neck_deg - 14.0)
    nape = root + plan.neck * (0.55 * aim + 0.45 * bend)
    middle = root + 0.5 * plan.neck * aim
    neck = _limb(
        [root + [-0.03, 0.08], middle, nape],
        [0.80 * plan.chest, plan.neck_r, 0.82 * plan.neck_r],
        along=0.5,
        lift=0.01,
    )
    facing = _direction(plan.head_deg + pose.head_deg + 0.6 * pose.neck_deg)
    up = np.array([facing[1], -facing[0]])
    head = _limb(
        [nape, nape + 0.55 * plan.head * facing - 0.02 * up, nape + plan.head * facing - 0.03 * up],
        [plan.head_r, 0.5 * (plan.head_r + plan.muzzle_r), plan.muzzle_r],
        point_colour=[0.0, 0.0, 0.85],
        along=0.5 + plan.neck,
        lift=0.05,
        marks=0.55,
    )
    return neck, head, [*_mane(plan, root, middle, nape), head, *_ears(plan, nape, facing, up)]


def _mane(plan: Plan, root: FloatArray, middle: FloatArray, nape: FloatArray) -> list[Limb]:
    if plan.mane <= 0.0:
        return []
    back = np.array([-0.9, -0.7]) * plan.neck_r
    points = [
        root + 1.5 * back,
        middle + 1.25 * back,
        nape + 1.2 * back,
        nape + [0.02, -plan.head_r],
    ]
    return [
        _limb(
            points,
            [0.6 * plan.mane, plan.mane, plan.mane, 0.5 * plan.mane],
            point_colour=[0.6, 0.6, 0.6, 0.6],
            along=0.5,
        )
    ]


def _ears(plan: Plan, nape: FloatArray, facing: FloatArray, up: FloatArray) -> list[Limb]:
    ears = []
    for is_far, shift in ((True, 0.35), (False, -0.15)):
        base = nape + shift * plan.head_r * facing + 0.78 * plan.head_r * up
        aim = 0.9 * up - (0.15 if is_far else 0.5) * facing
        points = [base, base + 0.5 * plan.ear * aim, base + plan.ear * aim]
        ears.append(
            _limb(
                points,
                [plan.ear_r, 1.05 * plan.ear_r, 0.35 * plan.ear_r],
                point_colour=[0.0, 0.1, 0.7],
                is_far=is_far,
                lift=0.06,
                marks=0.0,
            )
        )
        if plan.horn > 0.0:
            ears.append(_horn(plan, base + 0.3 * plan.head_r * facing, facing, up, is_far=is_far))
    return ears


def _horn(
    plan: Plan, base: FloatArray, facing: FloatArray, up: FloatArray, *, is_far: bool
) -> Limb:
    t = np.linspace(0.0, 1.0, 5)[:, None]
    sweep = 0.25 if is_far else -0.05
    curve = base + plan.horn * (t * up + (sweep * t - 0.75 * t * (1 - t)) * facing)
    return _limb(
        curve,
        0.028 * (1.0 - 0.75 * t[:, 0]),
        point_colour=[0.8] * 5,
        is_far=is_far,
        lift=0.02,
        marks=0.0,
    )


def _limb(
    points: npt.ArrayLike,
    radii: npt.ArrayLike,
    point_colour: npt.ArrayLike | None = None,
    **looks: Unpack[_Looks],
) -> Limb:
    xy = np.asarray(points, np.float32)
    colour = np.zeros(len(xy)) if point_colour is None else point_colour
    return Limb(xy, np.asarray(radii, np.float32), np.asarray(colour, np.float32), **looks)


def _direction(angle_deg: float) -> FloatArray:
    angle = np.deg2rad(angle_deg)
    return np.array([np.cos(angle), -np.sin(angle)])


def _turned(points: FloatArray, angle: float) -> FloatArray:
    """Points (n, 2), or one, turned about the origin by radians, from x towards y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([[c, s], [-s, c]]), np.float64)
