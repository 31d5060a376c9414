"""How far two masks of one crop agree."""

import numpy as np
from pycocotools import mask as coco

from cfr_core.errors import MaskError
from cfr_core.masks.rle import area_px
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
    """Intersection over union of two stored masks, from their run lengths; see `iou`.

    Raises:
        MaskError: if they are of different sizes, or the run lengths of one do not fill its size.
    """
    if a.size_hw != b.size_hw:
        raise MaskError(f"masks of {a.size_hw} and {b.size_hw} pixels cannot be compared")
    if not area_px(a) + area_px(b):
        return float("nan")
    codes = [{"size": list(m.size_hw), "counts": m.counts.encode("ascii")} for m in (a, b)]
    return float(coco.iou(codes[:1], codes[1:], [0])[0, 0])
