"""The rows of a dataset as those who read their pixels ask for them."""

from pathlib import Path

import pandas as pd

from cfr_core.datasets.records import Annotations, DatasetCard
from cfr_core.types import CropRequest

_COLUMNS = ("row_id", "path", "file_sha256", "bbox_x", "bbox_y", "bbox_w", "bbox_h")


def crop_requests(card: DatasetCard, annotations: Annotations) -> list[CropRequest]:
    """Where the crop of each row is, in the order of the rows; without masks and views."""
    columns = (annotations.table[column].tolist() for column in _COLUMNS)
    return [
        CropRequest(
            row_id=row_id,
            path=str(Path(card.root) / path),
            bbox_xywh=None if pd.isna(box[0]) else (box[0], box[1], box[2], box[3]),
            mask=None,
            file_sha256=file_sha256,
        )
        for row_id, path, file_sha256, *box in zip(*columns, strict=True)
    ]
