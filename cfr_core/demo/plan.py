"""Proportions of four-legged animals, and how individuals differ in them."""

from dataclasses import dataclass, fields, replace
from math import exp

from cfr_core.demo.traits import Traits


@dataclass(frozen=True)
class Plan:
    """Proportions of a species in torso lengths (hip to shoulder), angles in degrees.

    Angles are counted upwards from the direction that the animal faces. `horn` and `mane` are 0
    where there is none.
    """

    chest: float
    belly: float
    rump: float
    leg: float
    leg_r: float
    paw: float
    neck: float
    neck_r: float
    neck_deg: float
    head: float
    head_r: float
    muzzle_r: float
    head_deg: float
    ear: float
    ear_r: float
    tail: float
    tail_r: float
    tuft: float
    tail_deg: float
    horn: float
    mane: float
    waist: float


_ANGLES = frozenset({"neck_deg", "head_deg", "tail_deg"})


def individual(plan: Plan, traits: Traits, spread: float) -> Plan:
    """The proportions of one animal: each length scaled log-normally, each angle shifted."""
    parts = fields(plan)
    changes: dict[str, float] = {}
    for part, z in zip(parts, traits.normal("outline/body", len(parts)).tolist(), strict=True):
        value = getattr(plan, part.name)
        is_angle = part.name in _ANGLES
        changes[part.name] = value + 40.0 * spread * z if is_angle else value * exp(spread * z)
    return replace(plan, **changes)
