"""A dataset of made photos, small enough to be written anew for each test."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from cfr_core.datasets.records import Annotations, DatasetCard, ImportReport, ImportResult
from cfr_core.masks.rle import encode
from cfr_core.types import Mask, MaskStatus, SilhouetteRole

_TEXT_COLUMNS = ("encounter", "camera", "orientation", "split", "species")


def write_photos(folder: Path, n: int) -> list[Path]:
    """JPEGs of 120 x 90 px: a disc of a colour of its own before a background of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    yy, xx = np.mgrid[:90, :120]
    paths = []
    for i in range(n):
        rng = np.random.default_rng(i)
        photo = np.empty((90, 120, 3), np.uint8)
        photo[:] = rng.integers(60, 200, 3)
        photo[disc(xx, yy, i)] = rng.integers(0, 255, 3)
        paths.append(folder / f"{i:05d}.jpg")
        Image.fromarray(photo).save(paths[-1], quality=92)
    return paths


def disc(xx: np.ndarray, yy: np.ndarray, i: int) -> np.ndarray:
    """(90, 120) bool, the animal of photo `i`."""
    return (xx - 45 - 5 * (i % 7)) ** 2 + (yy - 45) ** 2 < (18 + i % 5) ** 2


def made_dataset(
    folder: Path, name: str = "discs", *, n_photos: int = 12, n_rows: int | None = None
) -> ImportResult:
    """Rows over made photos, repeated when there are more rows than photos.

    Row i shows individual i // 3. Row 1 has no mask, the mask of row 2 waits for review, and row 3
    is of unknown identity.
    """
    paths = write_photos(folder, n_photos)
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
    n = n_rows if n_rows is not None else n_photos
    photo_of_row = np.arange(n) % n_photos
    identity = pd.Series([f"disc {i // 3}" for i in range(n)], dtype="string")
    identity[3] = pd.NA
    table = pd.DataFrame(
        {
            "row_id": range(n),
            "source_row": range(1, n + 1),
            "path": [paths[i].name for i in photo_of_row],
            "identity": identity,
            "is_known": identity.notna(),
            **{f"bbox_{side}": pd.array([pd.NA] * n, "Int64") for side in "xywh"},
            "width": 120,
            "height": 90,
            "captured_at": pd.date_range("2024-05-01", periods=n, freq="h").astype("datetime64[s]"),
            **{column: pd.array([pd.NA] * n, "string") for column in _TEXT_COLUMNS},
            "file_sha256": [digests[i] for i in photo_of_row],
            "file_bytes": 1,
            "exif_orientation": 1,
        }
    )
    yy, xx = np.mgrid[:90, :120]
    counts = [encode(disc(xx, yy, i)) for i in range(n_photos)]
    masks = tuple(
        Mask(
            row,
            (90, 120),
            counts[row % n_photos],
            "dataset",
            MaskStatus.PROPOSED if row == 2 else MaskStatus.ACCEPTED,
        )
        for row in range(n)
        if row != 1
    )
    card = DatasetCard(name, str(folder), SilhouetteRole.SHORTCUT, "given")
    return ImportResult(card, Annotations(table), masks, ImportReport(n, n, len(masks), ()))
