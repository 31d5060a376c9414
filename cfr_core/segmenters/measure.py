"""How well an engine finds the known masks of many rows, click by click."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cfr_core.images import crop, decode
from cfr_core.masks.rle import decode as decode_mask
from cfr_core.segmenters.clicks import DEFAULT_CLICKS, ious_by_click
from cfr_core.segmenters.segmenter import Segmenter
from cfr_core.types import CropRequest, Float32Array, OnProgress, Progress, no_progress


def measure_rows(
    segmenter: Segmenter,
    rows: Sequence[CropRequest],
    n_clicks: int = DEFAULT_CLICKS,
    *,
    on_progress: OnProgress = no_progress,
) -> Float32Array:
    """IoU after the box of the true mask and after each click, as `ious_by_click`.

    Args:
        segmenter: The engine.
        rows: Rows with a mask that is not empty.
        n_clicks: Clicks after the box.
        on_progress: Called before each row and at the end.

    Returns:
        (N, n_clicks + 1) float32.

    Raises:
        ImageError: if a photo cannot be read.
        MaskError: if a mask is empty.
    """
    ious = np.empty((len(rows), n_clicks + 1), np.float32)
    stage = f"Measuring {segmenter.name}"
    for number, row in enumerate(rows):
        on_progress(Progress(stage, number, len(rows)))
        photo = decode(Path(row.path), expected_sha256=row.file_sha256).pixels
        pixels = np.ascontiguousarray(crop(photo, row.bbox_xywh))
        if row.mask is None:
            raise ValueError(f"row {row.row_id} has no mask to measure with")
        truth = decode_mask(row.mask)
        ious[number] = ious_by_click(segmenter, segmenter.encode([pixels])[0], truth, n_clicks)
    on_progress(Progress(stage, len(rows), len(rows)))
    return ious
