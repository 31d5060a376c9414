"""Species of the demo: body, coat and country of each."""

from dataclasses import dataclass

from cfr_core.demo.coat import CoatStyle
from cfr_core.demo.plan import Plan


@dataclass(frozen=True)
class Species:
    """What makes a species.

    Attributes:
        name: As written into the table.
        plan: Proportions of a four-legged body; None for a whale, of which the fluke shows.
        coat: What its coats have in common.
        spread: How much outlines differ, as a standard deviation of log lengths.
        scale: Torso length (half span of a fluke) as a share of the picture's height.
    """

    name: str
    plan: Plan | None
    coat: CoatStyle
    spread: float
    scale: float


_INK = (0.10, 0.07, 0.05)
_CREAM = (0.95, 0.91, 0.82)

SPECIES: dict[str, Species] = {
    "leopard": Species(
        "leopard",
        Plan(
            chest=0.215, belly=0.175, rump=0.195, leg=0.60, leg_r=0.052, paw=0.07,
            neck=0.21, neck_r=0.15, neck_deg=26, head=0.150, head_r=0.135, muzzle_r=0.082,
            head_deg=-18, ear=0.07, ear_r=0.045, tail=0.95, tail_r=0.040, tuft=0.0,
            tail_deg=-10, horn=0.0, mane=0.0, waist=0.01,
        ),
        CoatStyle(
            wavelength=(0.085, 0.24), elongation=(1.0, 1.9), tilt_deg=(-60, 60),
            bias=(-0.75, 0.35), rosette=(0.0, 1.0), contrast=(0.65, 1.0),
            bases=((0.80, 0.56, 0.27), (0.80, 0.79, 0.76), (0.62, 0.33, 0.16),
                   (0.93, 0.85, 0.66), (0.40, 0.34, 0.30), (0.82, 0.66, 0.48)),
            marks=(_INK, (0.20, 0.20, 0.22), _INK, (0.45, 0.25, 0.12), (0.06, 0.05, 0.05), _INK),
            belly=0.55, point=(0.22, 0.15, 0.12),
        ),
        spread=0.05, scale=0.50,
    ),
    "zebra": Species(
        "zebra",
        Plan(
            chest=0.255, belly=0.245, rump=0.255, leg=0.80, leg_r=0.042, paw=0.02,
            neck=0.42, neck_r=0.135, neck_deg=48, head=0.34, head_r=0.105, muzzle_r=0.06,
            head_deg=-42, ear=0.12, ear_r=0.03, tail=0.52, tail_r=0.024, tuft=0.035,
            tail_deg=-30, horn=0.0, mane=0.045, waist=0.0,
        ),
        CoatStyle(
            wavelength=(0.11, 0.28), elongation=(2.4, 4.5), tilt_deg=(-24, 24),
            bias=(-0.35, 0.35), rosette=(0.0, 0.0), contrast=(0.75, 1.0),
            bases=((0.94, 0.92, 0.88), (0.90, 0.82, 0.70), (0.84, 0.84, 0.85)),
            marks=((0.09, 0.08, 0.08), (0.17, 0.10, 0.07), (0.12, 0.12, 0.14)),
            belly=0.0, point=(0.12, 0.10, 0.10),
        ),
        spread=0.05, scale=0.44,
    ),
    "cattle": Species(
        "cattle",
        Plan(
            chest=0.275, belly=0.295, rump=0.26, leg=0.70, leg_r=0.050, paw=0.02,
            neck=0.28, neck_r=0.17, neck_deg=16, head=0.33, head_r=0.12, muzzle_r=0.09,
            head_deg=-38, ear=0.13, ear_r=0.034, tail=0.62, tail_r=0.022, tuft=0.04,
            tail_deg=-50, horn=0.17, mane=0.0, waist=-0.02,
        ),
        CoatStyle(
            wavelength=(0.45, 0.95), elongation=(1.0, 1.6), tilt_deg=(-60, 60),
            bias=(-0.6, 0.6), rosette=(0.0, 0.0), contrast=(0.85, 1.0),
            bases=((0.94, 0.92, 0.87), (0.56, 0.28, 0.13), (0.88, 0.72, 0.48), (0.14, 0.12, 0.11)),
            marks=((0.10, 0.09, 0.09), _CREAM, (0.42, 0.22, 0.11), (0.90, 0.88, 0.84)),
            belly=0.0, point=(0.30, 0.22, 0.20),
        ),
        spread=0.06, scale=0.44,
    ),
    "deer": Species(
        "deer",
        Plan(
            chest=0.225, belly=0.19, rump=0.215, leg=0.82, leg_r=0.034, paw=0.02,
            neck=0.38, neck_r=0.095, neck_deg=56, head=0.26, head_r=0.085, muzzle_r=0.046,
            head_deg=-22, ear=0.15, ear_r=0.036, tail=0.16, tail_r=0.035, tuft=0.0,
            tail_deg=-40, horn=0.34, mane=0.0, waist=0.0,
        ),
        CoatStyle(
            wavelength=(0.09, 0.17), elongation=(1.0, 1.3), tilt_deg=(-60, 60),
            bias=(-1.1, -0.4), rosette=(0.0, 0.0), contrast=(0.35, 0.8),
            bases=((0.60, 0.38, 0.19), (0.48, 0.32, 0.20), (0.68, 0.48, 0.28), (0.42, 0.36, 0.30)),
            marks=(_CREAM, _CREAM, _CREAM, _CREAM),
            belly=0.65, point=(0.13, 0.10, 0.08),
        ),
        spread=0.05, scale=0.44,
    ),
    "whale": Species(
        "whale",
        None,
        CoatStyle(
            wavelength=(0.2, 0.5), elongation=(1.0, 2.0), tilt_deg=(-60, 60),
            bias=(-0.9, -0.4), rosette=(0.0, 0.0), contrast=(0.10, 0.25),
            bases=((0.13, 0.14, 0.16), (0.15, 0.15, 0.15)),
            marks=((0.45, 0.46, 0.48), (0.40, 0.40, 0.40)),
            belly=0.0, point=(0.1, 0.1, 0.1),
        ),
        spread=1.0, scale=0.45,
    ),
}  # fmt: skip
