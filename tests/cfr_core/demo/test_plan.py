"""Bodies: proportions of an individual, and how it stands."""

from dataclasses import astuple

import numpy as np
import pytest

from cfr_core.demo.body import Pose, pose_of, quadruped
from cfr_core.demo.plan import Plan, individual
from cfr_core.demo.species import SPECIES
from cfr_core.demo.traits import Traits

PLANS = {name: species.plan for name, species in SPECIES.items() if species.plan}


def traits(seed: int) -> Traits:
    return Traits(((1.0, (seed,)),))


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_without_spread_all_are_alike(plan: Plan) -> None:
    assert individual(plan, traits(1), 0.0) == plan
    assert individual(plan, traits(1), 0.1) != individual(plan, traits(2), 0.1)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_lengths_keep_their_sign(plan: Plan) -> None:
    changed = astuple(individual(plan, traits(3), 0.3))
    assert all(a >= 0.0 for a, b in zip(changed, astuple(plan), strict=True) if b == 0.0)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@pytest.mark.parametrize("seed", range(5))
def test_an_animal_stands_on_its_feet_with_its_head_in_front(plan: Plan, seed: int) -> None:
    body = quadruped(plan, pose_of(traits(seed)))
    lowest = max(float((limb.points[:, 1] + limb.radii).max()) for limb in body.limbs)
    assert body.ground_y == pytest.approx(lowest)
    assert body.nose_xy[0] > body.eye_xy[0] > 0.5
    assert sum(limb.is_far for limb in body.limbs) >= 3  # two legs and an ear
    assert all(np.isfinite(limb.points).all() and (limb.radii > 0).all() for limb in body.limbs)


def test_the_legs_of_a_pair_swing_against_each_other() -> None:
    def feet(phase: float) -> list[float]:
        limbs = quadruped(PLANS["zebra"], Pose(20.0, phase, 0.0, 0.0, 0.0)).limbs
        far, near = (min(leg.points[-1, 0] for leg in limbs if leg.is_far is side and
                         leg.points[-1, 1] > 0.5) for side in (True, False))  # fmt: skip
        return [far, near]

    (far_then, near_then), (far_later, near_later) = feet(0.25), feet(0.75)
    assert (far_later - far_then) * (near_later - near_then) < 0
