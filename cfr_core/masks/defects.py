"""Signs that a mask is faulty: a score to order by, a flag to filter by, and words for people.

A flag is a reason to look, not a verdict: an animal behind a tree has parts, and one at the
picture's edge touches the border. Thresholds were set on the hand-drawn masks of DAVIS animals,
Weizmann horses and pigs.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

import numpy as np
import pandas as pd

from cfr_core.types import FloatArray


class Defect(StrEnum):
    """What may be wrong with a mask."""

    ISLANDS = "islands"
    HOLES = "holes"
    BORDER = "border"
    AREA = "area"
    RAGGED = "ragged"
    BOX = "box"
    INVERTED = "inverted"
    OTHER_ANIMAL = "other_animal"


DEFECT_LABELS: Mapping[Defect, str] = {
    Defect.ISLANDS: "Loose parts",
    Defect.HOLES: "Holes",
    Defect.BORDER: "Touches the border",
    Defect.AREA: "Unusual size",
    Defect.RAGGED: "Ragged edge",
    Defect.BOX: "Leaves the box empty",
    Defect.INVERTED: "Perhaps inverted",
    Defect.OTHER_ANIMAL: "Another animal in view",
}
"""Names for filters and columns."""

DEFECT_NOTES: Mapping[Defect, str] = {
    Defect.ISLANDS: "Parts apart from the largest: specks, or an animal behind branches.",
    Defect.HOLES: "Gaps inside the mask, through which the animal shows in the shortcut view.",
    Defect.BORDER: "The mask reaches a side of the crop: the animal is cut off, or the mask has "
    "run into the background.",
    Defect.AREA: "Its share of the crop is far from the dataset's other masks.",
    Defect.RAGGED: "The outline is longer than a smooth one around the same animal.",
    Defect.BOX: "The mask fills little of the box that the dataset gives for the animal.",
    Defect.INVERTED: "The border of the crop is covered and its middle is not: animal and "
    "background may be swapped.",
    Defect.OTHER_ANIMAL: "Another row's animal is in this crop and outside this mask, so the "
    "shortcut view still shows an animal.",
}
"""What each is, for people who look at it."""

SIDES: Mapping[str, str] = {
    "left_share": "left",
    "top_share": "top",
    "right_share": "right",
    "bottom_share": "bottom",
}

MEASURE_COLUMNS: tuple[str, ...] = (
    *("area_share", "n_islands", "island_share", "n_holes", "hole_share", *SIDES),
    *("box_x", "box_y", "box_w", "box_h", "roughness", "frame_share", "centre_share"),
)
"""Fields of `MaskMeasures`, in order."""

_FLAGGED_FROM: Mapping[Defect, float] = {
    Defect.ISLANDS: 0.003,
    # Hand-drawn masks have true holes too, between the legs.
    Defect.HOLES: 0.01,
    Defect.BORDER: 0.05,
    # Iglewicz & Hoaglin (1993), "How to detect and handle outliers": modified z-scores.
    Defect.AREA: 3.5,
    Defect.RAGGED: 0.15,
    # The paper's rule for choosing among candidates (CFR S1) asks for a box IoU of 0.5.
    Defect.BOX: 0.5,
    Defect.INVERTED: 0.05,
    Defect.OTHER_ANIMAL: 0.01,
}
_CROPPED_BORDER = 0.5
"""A crop close around the animal is touched by it on every side, for a short way."""

_INVERTED_FRAME = 0.6
_FEWEST_TO_COMPARE = 5
"""With fewer masks, none is an outlier among them."""


def score_defects(measures: pd.DataFrame) -> pd.DataFrame:
    """How much of each defect the masks of one dataset show.

    Args:
        measures: N rows with `MEASURE_COLUMNS` (NaN in all where a row has no mask), is_boxed
            (bool, the crop is the dataset's box around the animal), crop_px (pixels of the crop)
            and other_share (share of the crop where another row's animal shows outside the mask;
            NaN where it is not known).

    Returns:
        N rows, a float64 column for each `Defect`, higher is worse: shares of the mask (islands,
        holes), of the touched side (border), of the crop (other animal); modified z-score of the
        area, infinite where the mask is empty; excess length of the outline (ragged); 1 - IoU of
        the mask's bounding box and the box; border less middle (inverted). NaN where undefined.
    """
    m = measures
    area = m["area_share"].to_numpy(np.float64)
    box_px = m["box_w"] * m["box_h"]
    scores = {
        Defect.ISLANDS: m["island_share"],
        Defect.HOLES: m["hole_share"],
        Defect.BORDER: m[list(SIDES)].max(axis=1),
        Defect.AREA: np.abs(area_z(area)),
        Defect.RAGGED: m["roughness"],
        Defect.BOX: (1 - box_px / m["crop_px"]).where(m["is_boxed"]),
        Defect.INVERTED: m["frame_share"] - m["centre_share"],
        Defect.OTHER_ANIMAL: m["other_share"],
    }
    return pd.DataFrame(
        {defect.value: np.asarray(score, np.float64) for defect, score in scores.items()},
        index=m.index,
    )


def flag_defects(scores: pd.DataFrame, measures: pd.DataFrame) -> pd.DataFrame:
    """Which defects are worth a look; never one that is undefined.

    A mask that touches the border is worth it from 5 % of a side, and from 50 % where the crop lies
    close around the animal: it is the dataset's box, or most masks of the dataset touch a side,
    whose photos are then cropped already.

    Args:
        scores: (N, defects) as `score_defects` gives them.
        measures: The table that it was given.

    Returns:
        N rows, a bool column for each `Defect`.
    """
    flags = pd.DataFrame(
        {defect.value: scores[defect] >= _FLAGGED_FROM[defect] for defect in Defect},
        index=scores.index,
    )
    border = scores[Defect.BORDER]
    is_close = measures["is_boxed"] | (border.median() >= _FLAGGED_FROM[Defect.BORDER])
    flags[Defect.BORDER] &= ~is_close | (border >= _CROPPED_BORDER)
    flags[Defect.INVERTED] &= measures["frame_share"] >= _INVERTED_FRAME
    return flags


def area_z(area_share: FloatArray) -> FloatArray:
    """How far each mask's size is from the dataset's, as a modified z-score.

    0.6745 (x - median) / MAD of the logarithm of the share (Iglewicz & Hoaglin 1993); where more
    than half of the masks are of one size, so that MAD is 0, 0.7979 (x - median) / mean absolute
    deviation, as they advise.

    Args:
        area_share: (N,) float64 from 0 to 1; NaN where there is no mask, 0 where it is empty.

    Returns:
        (N,) float64; -inf for an empty mask, NaN without a mask or among too few to compare.
    """
    has_area = area_share > 0
    z = np.where(area_share == 0, -np.inf, np.nan)
    if has_area.sum() < _FEWEST_TO_COMPARE:
        return z
    sizes = np.log(area_share[has_area])
    distance = sizes - np.median(sizes)
    mad, mean = np.median(np.abs(distance)), np.abs(distance).mean()
    # Sums of equal logarithms differ in their last digits.
    if mad > 1e-9:
        z[has_area] = 0.6745 * distance / mad
    else:
        z[has_area] = 0.7979 * distance / mean if mean > 1e-9 else 0.0
    return z


def defect_words(defect: Defect, measures: Mapping[str, float], score: float) -> str:
    """One defect of one mask in words, with its numbers.

    Args:
        defect: The defect.
        measures: A row of the table that `score_defects` was given.
        score: The mask's score of this defect.
    """
    if np.isnan(score):
        return "not known"
    return _WORDS[defect](measures, score)


def _island_words(measures: Mapping[str, float], score: float) -> str:
    n = int(measures["n_islands"])
    return f"{_counted(n, 'loose part')}, {_percent(score)} of the mask"


def _hole_words(measures: Mapping[str, float], score: float) -> str:
    return f"{_counted(int(measures['n_holes']), 'hole')}, {_percent(score)} of the animal"


def _border_words(measures: Mapping[str, float], _: float) -> str:
    touched = [(measures[column], side) for column, side in SIDES.items() if measures[column] > 0]
    sides = [f"{side} ({_percent(share)} of that side)" for share, side in touched]
    return f"touches {', '.join(sides)}" if sides else "touches no side"


def _area_words(measures: Mapping[str, float], score: float) -> str:
    if measures["area_share"] == 0:
        return "the mask is empty"
    return (
        f"{_percent(measures['area_share'])} of the crop, {score:.1f} robust standard deviations "
        "from the dataset's usual share"
    )


def _box_words(_: Mapping[str, float], score: float) -> str:
    return f"its bounding box covers {_percent(1 - score)} of the dataset's box"


def _inverted_words(measures: Mapping[str, float], _: float) -> str:
    return (
        f"covers {_percent(measures['frame_share'])} of the crop's border and "
        f"{_percent(measures['centre_share'])} of its middle"
    )


_WORDS: Mapping[Defect, Callable[[Mapping[str, float], float], str]] = {
    Defect.ISLANDS: _island_words,
    Defect.HOLES: _hole_words,
    Defect.BORDER: _border_words,
    Defect.AREA: _area_words,
    Defect.RAGGED: lambda _, score: f"its outline is {_percent(score)} longer than a smooth one",
    Defect.BOX: _box_words,
    Defect.INVERTED: _inverted_words,
    Defect.OTHER_ANIMAL: lambda _, score: f"another animal shows on {_percent(score)} of the crop",
}


def _counted(n: int, noun: str) -> str:
    return f"1 {noun}" if n == 1 else f"{n} {noun}s"


def _percent(share: float) -> str:
    """A share as people read it: small ones keep two digits that count."""
    percent = 100 * share
    if percent == 0 or percent >= 10:
        return f"{percent:.0f} %"
    return f"{percent:.1f} %" if percent >= 0.1 else "under 0.1 %"
