"""What is measured on the masks of a dataset, once for all pixels that are the same.

A review or a return to an older version keeps the pixels, so it asks for nothing anew.
"""

import dataclasses
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from cfr_core.datasets.threads import map_in_threads
from cfr_core.masks.defects import MEASURE_COLUMNS
from cfr_core.masks.measures import measure_mask
from cfr_core.masks.rle import decode_counts
from cfr_core.masks.scene import PlacedAnimal, other_animal_shares
from cfr_core.types import OnProgress, Progress, no_progress
from cfr_core.workspace.database import Database, insert

_Masks: TypeAlias = dict[str, tuple[str, tuple[int, int]]]
"""Run lengths and size, (height, width) in pixels, by the masks' pixels."""

_METHOD = 1
"""Raised when `measure_mask` changes, so that older numbers are not taken for new ones."""

_AT_ONCE = 256
"""Masks, or photos, between two writes: a run that is broken off keeps what it has measured."""

_STAGE = "Checking masks"
_SCENES_STAGE = "Looking for other animals"

_CURRENT = """
    SELECT row_id, arg_max(pixels, version) AS pixels, arg_max(status, version) AS status
    FROM masks GROUP BY row_id
"""
_MISSING = f"""
    SELECT DISTINCT pixels FROM ({_CURRENT}) m JOIN rows r USING (row_id)
    WHERE dataset = $dataset
    AND pixels NOT IN (SELECT pixels FROM mask_measures WHERE method = $method)
    ORDER BY pixels
"""
_COUNTS = """
    SELECT pixels, any_value(counts), any_value(height), any_value(width) FROM masks
    WHERE pixels IN (SELECT unnest($pixels::VARCHAR[])) GROUP BY pixels
"""
_TABLE = f"""
    SELECT r.row_id, coalesce(m.version, 0) AS version, coalesce(status, '') AS status,
           coalesce(source, '') AS source, coalesce(author, '') AS author, score,
           {", ".join(MEASURE_COLUMNS)}, bbox_w IS NOT NULL AS is_boxed,
           coalesce(bbox_w, r.width) * coalesce(bbox_h, r.height) AS crop_px, other_share
    FROM rows r
    LEFT JOIN (SELECT row_id, max(version) AS version FROM masks GROUP BY row_id) c
        ON c.row_id = r.row_id
    LEFT JOIN masks m ON m.row_id = c.row_id AND m.version = c.version
    LEFT JOIN mask_measures d ON d.pixels = m.pixels AND d.method = $method
    LEFT JOIN mask_scenes s ON s.row_id = r.row_id
    WHERE dataset = $dataset ORDER BY r.row_id
"""
_CHANGED_SCENES = f"""
    SELECT r.row_id, file_sha256, coalesce(bbox_x, 0) AS x, coalesce(bbox_y, 0) AS y,
           coalesce(bbox_w, width) AS w, coalesce(bbox_h, height) AS h,
           bbox_w IS NOT NULL AS is_boxed, coalesce(status, '') <> 'rejected' AS is_trusted,
           pixels, concat_ws(' ', is_trusted, pixels) AS scene_now
    FROM rows r LEFT JOIN ({_CURRENT}) m USING (row_id)
    LEFT JOIN mask_scenes s ON s.row_id = r.row_id
    WHERE dataset = $dataset
    WINDOW photo AS (PARTITION BY file_sha256)
    -- One animal of a photo that has changed concerns all of them.
    QUALIFY count(*) OVER photo > 1
        AND bool_or(pixels IS NOT NULL AND scene IS DISTINCT FROM scene_now) OVER photo
    ORDER BY file_sha256, r.row_id
"""
_ANIMAL = ["x", "y", "w", "h", "is_boxed", "is_trusted", "pixels"]


class MaskChecks:
    """Measures of a workspace's masks; threads may share it."""

    def __init__(self, database: Database) -> None:
        """Keep them in an open database."""
        self._database = database

    def n_missing(self, dataset: str) -> int:
        """Masks of a dataset that `update` has still to measure."""
        return len(self._missing(dataset))

    def update(self, dataset: str, *, on_progress: OnProgress = no_progress) -> None:
        """Measure what has changed since the last time; quick where nothing has.

        What is measured is kept even if `on_progress` raises to break off.

        Args:
            dataset: Its name.
            on_progress: Called after every mask, then after some photos of several animals.
        """
        missing = self._missing(dataset)
        for first in range(0, len(missing), _AT_ONCE):

            def tell(progress: Progress, first: int = first) -> None:
                on_progress(Progress(_STAGE, first + progress.done, len(missing), "masks"))

            self._measure(missing[first : first + _AT_ONCE], tell)
        self._update_scenes(dataset, on_progress)

    def table(self, dataset: str) -> pd.DataFrame:
        """All rows of a dataset with their current masks, in source order.

        Returns:
            row_id, version (int64, 0 without a mask), status ("" without one), source, author and
            score (NaN if none); and what `score_defects` takes: `MEASURE_COLUMNS` (float64, NaN
            where not measured), is_boxed (bool), crop_px (int64), other_share (float64, NaN where
            not known or where the row is alone on its photo).
        """
        table = self._database.read_table(_TABLE, {"dataset": dataset, "method": _METHOD})
        return table.astype(dict.fromkeys([*MEASURE_COLUMNS, "other_share"], np.float64))

    def _missing(self, dataset: str) -> list[str]:
        """Pixels that are not measured yet."""
        found = self._database.read(_MISSING, {"dataset": dataset, "method": _METHOD})
        return [pixels for (pixels,) in found]

    def _measure(self, missing: Sequence[str], on_progress: OnProgress) -> None:
        masks = self._masks(missing)
        measured = map_in_threads(
            lambda pixels: dataclasses.asdict(measure_mask(decode_counts(*masks[pixels]))),
            missing,
            stage=_STAGE,
            unit="masks",
            on_progress=on_progress,
        )
        table = pd.DataFrame(measured).assign(pixels=list(missing), method=_METHOD)
        self._replace("mask_measures", table)

    def _update_scenes(self, dataset: str, on_progress: OnProgress) -> None:
        changed = self._database.read_table(_CHANGED_SCENES, {"dataset": dataset})
        photos = [photo for _, photo in changed.groupby("file_sha256", sort=False)]
        for first in range(0, len(photos), _AT_ONCE):
            some = photos[first : first + _AT_ONCE]
            pixels = pd.concat(photo["pixels"] for photo in some).dropna()
            masks = self._masks(pixels.unique().tolist())
            self._replace("mask_scenes", pd.concat(_scene(photo, masks) for photo in some))
            on_progress(Progress(_SCENES_STAGE, first + len(some), len(photos), "photos"))

    def _masks(self, pixels: Sequence[str]) -> _Masks:
        found = self._database.read(_COUNTS, {"pixels": list(pixels)})
        return {key: (counts, (height, width)) for key, counts, height, width in found}

    def _replace(self, table: str, rows: pd.DataFrame) -> None:
        with self._database.transaction() as cursor:
            insert(cursor, table, rows, replace=True)


def _scene(photo: pd.DataFrame, masks: _Masks) -> pd.DataFrame:
    """What shows of other animals on one photo, as rows of the table "mask_scenes"."""
    animals = photo[_ANIMAL].drop_duplicates()
    placed = [_placed(animal, masks) for animal in animals.to_dict("records")]
    shares = animals.assign(other_share=other_animal_shares(placed))
    of_rows = photo.merge(shares, on=_ANIMAL).rename(columns={"scene_now": "scene"})
    return of_rows[["row_id", "scene", "other_share"]]


def _placed(animal: Mapping[Hashable, Any], masks: _Masks) -> PlacedAnimal:
    """An animal from its cells of `_ANIMAL`."""
    is_drawn = not pd.isna(animal["pixels"])
    return PlacedAnimal(
        (animal["x"], animal["y"], animal["w"], animal["h"]),
        decode_counts(*masks[animal["pixels"]]) if is_drawn else None,
        is_boxed=animal["is_boxed"],
        is_trusted=animal["is_trusted"],
    )
