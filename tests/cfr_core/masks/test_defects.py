"""Scores, flags and words of faulty masks."""

import dataclasses
import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from cfr_core.masks.defects import (
    DEFECT_LABELS,
    DEFECT_NOTES,
    MEASURE_COLUMNS,
    Defect,
    area_z,
    defect_words,
    flag_defects,
    score_defects,
)
from cfr_core.masks.files import read_mask_file
from cfr_core.masks.measures import MaskMeasures, measure_mask

SIZE = 200


def disc(radius: float = 50, x: float = 100) -> np.ndarray:
    yy, xx = np.mgrid[:SIZE, :SIZE]
    return np.hypot(yy - 100, xx - x) < radius


def table_of(masks: list[np.ndarray | None], **columns: object) -> pd.DataFrame:
    """Measures of masks on whole photos; None for a row without one."""
    nothing = dict.fromkeys(MEASURE_COLUMNS, np.nan)
    rows = [nothing if m is None else dataclasses.asdict(measure_mask(m)) for m in masks]
    return pd.DataFrame(rows).assign(
        **{"is_boxed": False, "crop_px": SIZE * SIZE, "other_share": np.nan} | columns
    )


def flags_of(table: pd.DataFrame) -> list[set[str]]:
    flags = flag_defects(score_defects(table), table)
    return [set(flags.columns[row]) for row in flags.to_numpy()]


def specked() -> np.ndarray:
    pixels = disc()
    pixels[5:15, 5:15] = True
    return pixels


def holed() -> np.ndarray:
    return disc() & ~disc(8)


def ragged() -> np.ndarray:
    noise = np.random.default_rng(0).random((50, 50)) < 0.5
    edge = disc(54) & ~disc(46)
    return np.where(edge, noise.repeat(4, 0).repeat(4, 1) & edge, disc()) | disc(46)


@pytest.mark.parametrize(
    ("pixels", "expected"),
    [
        (disc(), set()),
        (specked(), {"islands"}),
        (holed(), {"holes"}),
        # the animal reaches past the left side, on 60 of its 200 px
        (disc(x=40), {"border"}),
        # as large as nothing else in the dataset, without touching a side
        (disc(98), {"area"}),
        (disc(4), {"area"}),
        (~disc(85), {"area", "border", "holes", "inverted"}),
    ],
)
def test_a_faulty_mask_is_flagged_for_its_fault(pixels: np.ndarray, expected: set[str]) -> None:
    usual = [disc(radius) for radius in (46, 48, 50, 50, 52, 54)]
    found = flags_of(table_of([*usual, pixels]))
    assert found[:-1] == [set()] * len(usual)
    assert found[-1] == expected


def test_a_ragged_mask_is_flagged() -> None:
    assert "ragged" in flags_of(table_of([ragged()]))[0]


def test_a_box_around_the_animal_is_touched_by_it() -> None:
    tight = [disc(100), disc(100, x=20), disc(40)]
    boxed = flags_of(table_of(tight, is_boxed=True))
    # a disc in its box; one cut by the side on most of it; one that leaves the box empty
    assert boxed == [set(), {"border"}, {"box"}]
    assert ["box" in flags for flags in flags_of(table_of(tight))] == [False] * 3


def test_photos_that_are_cropped_already_are_touched_like_boxes() -> None:
    cut = disc(x=40)  # on 30 % of the left side
    assert flags_of(table_of([cut] * 6 + [disc()] * 5)) == [set()] * 11
    assert [{"border"} <= flags for flags in flags_of(table_of([cut] * 5 + [disc()] * 6))] == (
        [True] * 5 + [False] * 6
    )
    assert flags_of(table_of([cut] * 6 + [disc(70, x=20)]))[-1] >= {"border"}


def test_another_animal_is_flagged_from_one_percent_of_the_crop() -> None:
    found = flags_of(table_of([disc()] * 3, other_share=[0.0, 0.009, 0.01]))
    assert ["other_animal" in flags for flags in found] == [False, False, True]


def test_a_row_without_a_mask_has_no_defect_and_no_score() -> None:
    table = table_of([disc(), None])
    assert score_defects(table).iloc[1].isna().all()
    assert flags_of(table)[1] == set()


def test_an_empty_mask_is_the_worst_of_its_size() -> None:
    table = table_of([disc()] * 6 + [np.zeros((SIZE, SIZE), bool)])
    scores = score_defects(table)
    assert np.isinf(scores["area"].iloc[6])
    assert flags_of(table)[6] == {"area"}
    assert defect_words(Defect.AREA, table.iloc[6], np.inf) == "the mask is empty"


@settings(deadline=None)
@given(st.lists(st.floats(0.001, 1) | st.just(np.nan), min_size=1, max_size=30))
def test_sizes_are_compared_by_median_and_spread(shares: list[float]) -> None:
    logs = [np.log(share) for share in shares if not np.isnan(share)]
    z = area_z(np.array(shares))
    assert np.isnan(z[np.isnan(shares)]).all()
    if len(logs) < 5:
        assert np.isnan(z).all()
        return
    middle = statistics.median(logs)
    spread = statistics.median(abs(value - middle) for value in logs)
    found = [value for value in z if not np.isnan(value)]
    if spread > 1e-9:
        expected = [0.6745 * (value - middle) / spread for value in logs]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    else:
        assert (
            np.sign(np.round(found, 6)).tolist()
            == np.sign(np.round(np.subtract(logs, middle), 9)).tolist()
        )


def test_masks_of_one_size_are_no_outliers_and_one_of_another_size_is() -> None:
    assert area_z(np.full(9, 0.3)).tolist() == [0.0] * 9
    z = area_z(np.array([0.3] * 20 + [0.01]))
    assert z[:20].tolist() == [0.0] * 20
    assert z[20] < -3.5


@pytest.mark.parametrize(
    ("defect", "pixels", "words"),
    [
        (Defect.ISLANDS, specked(), "1 loose part, 1.3 % of the mask"),
        (Defect.HOLES, holed(), "1 hole, 2.5 % of the animal"),
        (Defect.BORDER, disc(x=40), "touches left (30 % of that side)"),
        (Defect.BORDER, disc(), "touches no side"),
        (Defect.BOX, disc(), "its bounding box covers 25 % of the dataset's box"),
        (Defect.INVERTED, ~disc(90), "covers 100 % of the crop's border and 0 % of its middle"),
        (Defect.OTHER_ANIMAL, disc(), "another animal shows on 3.0 % of the crop"),
        (Defect.RAGGED, disc(), "its outline is 0 % longer than a smooth one"),
        (Defect.AREA, disc(), "20 % of the crop, 0.0 robust standard deviations from"),
    ],
)
def test_words_say_how_much(defect: Defect, pixels: np.ndarray, words: str) -> None:
    table = table_of([pixels] * 5, is_boxed=defect is Defect.BOX, other_share=0.03)
    score = score_defects(table)[defect].iloc[0]
    assert defect_words(defect, table.iloc[0], score).startswith(words)


def test_what_is_not_known_is_said_so() -> None:
    table = table_of([disc()])
    assert defect_words(Defect.BOX, table.iloc[0], np.nan) == "not known"


def test_every_defect_has_a_name_and_a_note_and_every_measure_a_column() -> None:
    assert set(DEFECT_LABELS) == set(DEFECT_NOTES) == set(Defect)
    assert tuple(field.name for field in dataclasses.fields(MaskMeasures)) == MEASURE_COLUMNS


def with_speck(pixels: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """A square of 1 % of the animal where the background is widest."""
    return pixels | widest(~pixels, 0.01 * pixels.sum())


def with_hole(pixels: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """A square of 2 % of the animal cut out where it is widest."""
    return pixels & ~widest(pixels, 0.02 * pixels.sum())


def with_jags(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The mask of an engine that sees blocks of 4 x 4 pixels only, and those of the edge badly."""
    height, width = (side // 4 * 4 for side in pixels.shape)
    coarse = pixels[:height, :width].reshape(height // 4, 4, width // 4, 4).mean(axis=(1, 3))
    is_edge = (coarse > 0.05) & (coarse < 0.95)
    blocks = np.where(is_edge, coarse + rng.normal(0, 0.4, coarse.shape), coarse) > 0.5
    jagged = pixels.copy()
    jagged[:height, :width] = blocks.repeat(4, 0).repeat(4, 1)
    return jagged


def widest(pixels: np.ndarray, area: float) -> np.ndarray:
    """A square of an area in the middle of the widest place."""
    distance = ndimage.distance_transform_edt(np.pad(pixels, 1))[1:-1, 1:-1]
    y, x = np.unravel_index(distance.argmax(), distance.shape)
    half = max(1, round(np.sqrt(area) / 2))
    square = np.zeros(pixels.shape, bool)
    square[max(0, y - half) : y + half, max(0, x - half) : x + half] = True
    return square


@pytest.mark.parametrize(
    ("defect", "spoil"),
    [
        (Defect.ISLANDS, with_speck),
        (Defect.HOLES, with_hole),
        (Defect.RAGGED, with_jags),
        (Defect.INVERTED, lambda pixels, _: ~pixels),
    ],
)
def test_a_spoilt_mask_of_a_horse_is_flagged_and_the_hand_drawn_one_seldom(
    shared_data: Path, defect: Defect, spoil: Callable[..., np.ndarray]
) -> None:
    paths = sorted((shared_data / "weizmann_horses" / "masks").rglob("*.png"))[::3]
    drawn = [read_mask_file(path) for path in paths]
    rng = np.random.default_rng(0)

    def share_flagged(masks: list[np.ndarray]) -> float:
        return np.mean([defect in flags for flags in flags_of(table_of(masks))])

    assert share_flagged([spoil(mask, rng) for mask in drawn]) >= 0.9
    assert share_flagged(drawn) <= 0.2
