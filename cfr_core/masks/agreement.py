"""How far two masks of one crop agree."""

import numpy as np

from cfr_core.errors import MaskError
from cfr_core.masks.rle import decode
from cfr_core.types import BoolArray, Mask


def iou(a: BoolArray, b: BoolArray) -> float:
    """Intersection over union of two masks (Jaccard index).

    Args:
        a: (H, W) bool.
        b: (H, W) bool.

    Returns:
        From 0 to 1; NaN where both are empty.

    Raises:
        MaskError: if they are of different sizes.
    """
    if a.shape != b.shape:
        raise MaskError(f"masks of {a.shape} and {b.shape} pixels cannot be compared")
    union = np.count_nonzero(a | b)
    return np.count_nonzero(a & b) / union if union else float("nan")


def mask_iou(a: Mask, b: Mask) -> float:
    """Intersection over union of two stored masks; see `iou`.

    Raises:
        MaskError: if they are of different sizes, or the run lengths of one do not fill its size.
    """
    return iou(decode(a), decode(b))
