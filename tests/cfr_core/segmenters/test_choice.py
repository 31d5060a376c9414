"""The rule of the paper on which candidate becomes the mask."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr_core.segmenters.choice import CHOSEN, box_iou, choose
from cfr_core.segmenters.segmenter import Candidates

NAN = float("nan")
Rectangle = tuple[int, int, int, int]


def candidates(*rectangles: Rectangle | None, scores: list[float] | None = None) -> Candidates:
    """Masks that fill left, top, right, bottom; None for an empty one."""
    masks = np.zeros((len(rectangles), 20, 20), np.bool_)
    for mask, rectangle in zip(masks, rectangles, strict=True):
        if rectangle is not None:
            left, top, right, bottom = rectangle
            mask[top:bottom, left:right] = True
    return Candidates(masks, np.array(scores or [NAN] * len(rectangles), np.float32))


BOX = (0, 0, 10, 10)
ALL, HALF, LESS, ELSEWHERE = (0, 0, 10, 10), (0, 0, 10, 5), (0, 0, 10, 4), (12, 12, 20, 20)


@pytest.mark.parametrize(
    ("found", "box", "nearest", "is_chosen"),
    [
        # The box decides, whatever the scores say.
        (candidates(HALF, ALL, scores=[0.9, 0.1]), BOX, 1, True),
        # An IoU of exactly a half is enough, less is not.
        (candidates(HALF), BOX, 0, True),
        (candidates(LESS), BOX, 0, False),
        # Of candidates that are all rejected the nearest is named.
        (candidates(ELSEWHERE, LESS), BOX, 1, False),
        # A mask without a pixel is never chosen.
        (candidates(None, HALF), BOX, 1, True),
        (candidates(None), BOX, None, False),
        (candidates(), BOX, None, False),
        # Without a box the best score counts, wherever it is.
        (candidates(ALL, ELSEWHERE, scores=[0.2, 0.8]), None, 1, True),
        # A score that is not known comes last, and the first of equals is taken.
        (candidates(ALL, HALF, scores=[NAN, 0.0]), None, 1, True),
        (candidates(ALL, HALF), None, 0, True),
        (candidates(None, HALF, scores=[0.9, 0.1]), None, 1, True),
        (candidates(), None, None, False),
    ],
)
def test_which_candidate_counts(
    found: Candidates, box: Rectangle | None, nearest: int | None, is_chosen: bool
) -> None:
    choice = choose(found, box)
    assert (choice.nearest, choice.is_chosen) == (nearest, is_chosen)
    assert len(choice.outcomes) == len(choice.box_ious) == len(found.masks)
    assert choice.outcomes.count(CHOSEN) == is_chosen
    if is_chosen and nearest is not None:
        assert choice.outcomes[nearest] == CHOSEN


def test_every_candidate_says_why_it_was_left() -> None:
    choice = choose(candidates(ALL, HALF, LESS, None), BOX)
    assert choice.outcomes == (
        CHOSEN,
        "another candidate's box overlaps the annotation box more than its IoU of 0.50",
        "its box overlaps the annotation box too little: IoU 0.40, below 0.5",
        "covers no pixel",
    )
    assert choice.box_ious == pytest.approx([1, 0.5, 0.4, NAN], nan_ok=True)
    by_score = choose(candidates(ALL, HALF, scores=[0.1, 0.2]), None)
    assert by_score.outcomes == ("another candidate has a better score", CHOSEN)


BOXES = st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 10), st.integers(1, 10)).map(
    lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3])
)


@given(BOXES, BOXES)
def test_the_overlap_of_boxes_is_that_of_their_pixels(one: Rectangle, other: Rectangle) -> None:
    masks = candidates(one, other).masks
    assert box_iou(one, other) == pytest.approx((masks[0] & masks[1]).sum() / masks.any(0).sum())
