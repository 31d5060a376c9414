"""Agreement of two masks, against counting."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cfr_core.errors import MaskError
from cfr_core.masks.agreement import iou, mask_iou
from cfr_core.masks.rle import encode
from cfr_core.types import Mask, MaskStatus

pairs = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda size: st.tuples(hnp.arrays(np.bool_, size), hnp.arrays(np.bool_, size))
)


def stored(pixels: np.ndarray) -> Mask:
    return Mask(0, pixels.shape, encode(pixels), "human", MaskStatus.PROPOSED)


@settings(deadline=None)
@given(pairs)
def test_iou_is_that_of_counting(pair: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = pair
    if not (a | b).any():
        assert math.isnan(iou(a, b))
        assert math.isnan(mask_iou(stored(a), stored(b)))
        return
    both = [(x and y, x or y) for x, y in zip(a.ravel(), b.ravel(), strict=True)]
    expected = sum(x for x, _ in both) / sum(y for _, y in both)
    assert iou(a, b) == iou(b, a) == mask_iou(stored(a), stored(b)) == pytest.approx(expected)


def test_masks_of_two_crops_are_not_compared() -> None:
    with pytest.raises(MaskError, match="cannot be compared"):
        iou(np.ones((2, 3), bool), np.ones((3, 2), bool))
    with pytest.raises(MaskError, match="cannot be compared"):
        mask_iou(stored(np.ones((2, 3), bool)), stored(np.ones((3, 2), bool)))
