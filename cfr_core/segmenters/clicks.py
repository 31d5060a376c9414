"""Simulated clicks: how well an engine finds a known mask from a box and a few corrections.

The protocol of interactive segmentation (Sofiiuk et al. 2022, RITM, sec. 4; also of Segment
Anything, sec. 7.1): the engine gets the box of the true mask, then one click after another, each
where it is most wrong, with its own last mask to start from.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from cfr_core.errors import MaskError
from cfr_core.segmenters.segmenter import EncodedImage, Prompts, Segmenter
from cfr_core.types import BoolArray, Float32Array

DEFAULT_CLICKS = 5


@dataclass(frozen=True)
class Click:
    """A place that a person clicks on.

    Attributes:
        x: Pixels from the left edge of the crop; the centre of a pixel is at a half.
        y: Pixels from the top edge.
        is_animal: True to add what is there, False to take it away.
    """

    x: float
    y: float
    is_animal: bool


def iou(one: BoolArray, other: BoolArray) -> float:
    """Intersection over union of two masks of one shape; NaN if both are empty."""
    union = np.count_nonzero(one | other)
    return np.count_nonzero(one & other) / union if union else float("nan")


def box_of(mask: BoolArray) -> tuple[float, float, float, float]:
    """Left, top, right, bottom of the smallest box around a mask, to the outer edges of pixels.

    Raises:
        MaskError: if the mask is empty.
    """
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        raise MaskError("an empty mask has no box")
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)


def next_click(truth: BoolArray, found: BoolArray) -> Click | None:
    """The click in the middle of the largest error, or None where there is no error.

    Errors are the 4-connected parts of the missed animal and of the false area; the largest by
    area counts, the first from the top where two are equal. Its middle is the pixel that is
    farthest from all that is not this error, the picture's edge included.

    Args:
        truth: (H, W) bool, what is to be found.
        found: (H, W) bool, what is found so far.
    """
    kinds = [(_largest_part(truth & ~found), True), (_largest_part(found & ~truth), False)]
    error, is_animal = max(kinds, key=lambda kind: np.count_nonzero(kind[0]))
    if not error.any():
        return None
    padded = np.pad(error.astype(np.uint8), 1)
    depth = cv2.distanceTransform(padded, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1]
    y, x = np.unravel_index(int(np.argmax(depth)), depth.shape)
    return Click(float(x) + 0.5, float(y) + 0.5, is_animal)


def with_click(prompts: Prompts, click: Click, prior: BoolArray | None) -> Prompts:
    """Prompts with one more click, which corrects a mask."""
    place = np.array([[click.x, click.y]], np.float32)
    return replace(
        prompts,
        points_xy=np.concatenate([prompts.points_xy, place]),
        is_animal=np.append(prompts.is_animal, click.is_animal),
        prior=prior,
    )


def ious_by_click(
    segmenter: Segmenter, image: EncodedImage, truth: BoolArray, n_clicks: int = DEFAULT_CLICKS
) -> Float32Array:
    """How well an engine does after the box, and after each click.

    Of several candidates the engine's own best is taken. A mask without error gets no more clicks.

    Args:
        segmenter: The engine.
        image: The crop, encoded by it.
        truth: (H, W) bool, the true mask; not empty.
        n_clicks: Clicks after the box.

    Returns:
        (n_clicks + 1,) float32: IoU after the box alone, after one click, after two, ...

    Raises:
        MaskError: if the true mask is empty.
    """
    prompts = Prompts(box_xyxy=box_of(truth))
    found = _best(segmenter, image, prompts)
    ious = [iou(truth, found)]
    for _ in range(n_clicks):
        click = next_click(truth, found)
        if click is not None:
            prompts = with_click(prompts, click, found if found.any() else None)
            found = _best(segmenter, image, prompts)
        ious.append(iou(truth, found))
    return np.array(ious, np.float32)


def _best(segmenter: Segmenter, image: EncodedImage, prompts: Prompts) -> BoolArray:
    candidates = segmenter.propose(image, prompts)
    if not len(candidates.masks):
        return np.zeros(image.size_hw, np.bool_)
    return np.asarray(candidates.masks[candidates.best])


def _largest_part(mask: BoolArray) -> BoolArray:
    _, parts, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    areas = stats[1:, cv2.CC_STAT_AREA]
    if not len(areas):
        return np.zeros_like(mask)
    return np.asarray(parts == 1 + int(np.argmax(areas)))
