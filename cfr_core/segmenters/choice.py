"""Which of an engine's candidates becomes the mask of a row (CFR S1)."""

from dataclasses import dataclass

import numpy as np

from cfr_core.segmenters.clicks import box_of
from cfr_core.segmenters.segmenter import Candidates
from cfr_core.types import Float32Array

MIN_BOX_IOU = 0.5
"""A candidate whose box overlaps the annotation box less is another thing (CFR S1)."""
CHOSEN = "chosen"

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Choice:
    """What became of each candidate.

    Attributes:
        nearest: Number of the candidate that fits best, chosen or not; None where none has a pixel.
        is_chosen: True if that one becomes the mask.
        box_ious: (C,) float32, IoU of each one's box with the annotation box; NaN without either.
        outcomes: `CHOSEN`, or why not, in words, for each candidate.
    """

    nearest: int | None
    is_chosen: bool
    box_ious: Float32Array
    outcomes: tuple[str, ...]


def choose(candidates: Candidates, box_xyxy: Box | None) -> Choice:
    """Choose by the rule of the paper.

    With an annotation box the candidate counts whose own box overlaps it most, and it is rejected
    below `MIN_BOX_IOU`; without one the candidate of the best score counts. Of equals the first
    does, and a candidate without a score comes after those with one.

    Args:
        candidates: What the engine proposes; there may be none.
        box_xyxy: Left, top, right, bottom of the annotation box in pixels of the crop, or None.
    """
    is_empty = np.asarray(~candidates.masks.any(axis=(1, 2)))
    ious = np.full(len(is_empty), np.nan, np.float32)
    if box_xyxy is not None:
        for number in np.flatnonzero(~is_empty):
            ious[number] = box_iou(box_of(candidates.masks[number]), box_xyxy)
    measure = candidates.scores if box_xyxy is None else ious
    order = np.where(is_empty, -np.inf, np.nan_to_num(measure, nan=-1))
    nearest = None if is_empty.all() else int(np.argmax(order))
    is_chosen = nearest is not None and (box_xyxy is None or bool(ious[nearest] >= MIN_BOX_IOU))
    outcomes = tuple(
        CHOSEN
        if is_chosen and number == nearest
        else _why_not(bool(is_empty[number]), float(ious[number]), has_box=box_xyxy is not None)
        for number in range(len(is_empty))
    )
    return Choice(nearest, is_chosen, ious, outcomes)


def box_iou(one: Box, other: Box) -> float:
    """Intersection over union of two boxes with area, each left, top, right, bottom."""
    width = max(0.0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
    shared = width * height
    return shared / (_area(one) + _area(other) - shared)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _why_not(is_empty: bool, iou: float, *, has_box: bool) -> str:
    if is_empty:
        return "covers no pixel"
    if not has_box:
        return "another candidate has a better score"
    if iou < MIN_BOX_IOU:
        return f"its box overlaps the annotation box too little: IoU {iou:.2f}, below {MIN_BOX_IOU}"
    return f"another candidate's box overlaps the annotation box more than its IoU of {iou:.2f}"
