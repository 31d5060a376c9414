"""Masks from COCO annotations, against pycocotools and against pixels worked out by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image, ImageDraw

from cfr_core.errors import MaskError
from cfr_core.masks.coco import from_polygons, from_rle
from cfr_core.masks.rle import encode

masks = hnp.arrays(np.bool_, st.tuples(st.integers(1, 30), st.integers(1, 30)))


def plain_counts(pixels: np.ndarray) -> list[int]:
    """Run lengths down the columns, counted one pixel at a time."""
    runs, value = [0], False
    for pixel in pixels.T.ravel():
        if pixel != value:
            runs.append(0)
            value = not value
        runs[-1] += 1
    return runs


@given(masks)
def test_both_forms_of_run_lengths_give_the_pixels_back(pixels: np.ndarray) -> None:
    size = list(pixels.shape)
    for counts in (plain_counts(pixels), encode(pixels), encode(pixels).encode()):
        np.testing.assert_array_equal(from_rle({"size": size, "counts": counts}), pixels)


def test_runs_go_down_the_columns() -> None:
    expected = [[0, 1, 0], [1, 0, 0]]
    np.testing.assert_array_equal(from_rle({"size": [2, 3], "counts": [1, 2, 3]}), expected)


def test_a_ring_keeps_its_hole() -> None:
    yy, xx = np.mgrid[:60, :80]
    radius = np.hypot(yy - 30, xx - 40)
    ring = (radius < 25) & (radius > 10)
    np.testing.assert_array_equal(from_rle({"size": [60, 80], "counts": plain_counts(ring)}), ring)


@pytest.mark.parametrize(
    ("rle", "words"),
    [
        ({"counts": [4]}, "size"),  # no size
        ({"size": [2], "counts": [4]}, "size"),  # one side
        ({"size": [2, 0], "counts": [0]}, "above 0"),  # no pixels
        ({"size": [2, 2.5], "counts": [5]}, "whole pixels"),
        ({"size": [10**6, 10**6], "counts": [10**12]}, "claim"),  # a terabyte in 40 bytes
        ({"size": [2, 2], "counts": [3]}, "cover 3 pixels"),  # too few
        ({"size": [2, 2], "counts": [1, 4]}, "cover 5 pixels"),  # too many
        ({"size": [2, 2], "counts": [-1, 5]}, "0 or more"),
        ({"size": [2, 2], "counts": [1.5, 2.5]}, "whole numbers"),
        ({"size": [2, 2], "counts": []}, "counts"),
        ({"size": [2, 2]}, "counts"),
        ({"size": [2, 2], "counts": "\x00\xff"}, "character"),
        ({"size": [2, 2], "counts": b"\xff\xfe"}, "character"),
    ],
)
def test_malformed_run_lengths_are_refused(rle: dict[str, Any], words: str) -> None:
    with pytest.raises(MaskError, match=words):
        from_rle(rle)


def test_a_rectangle_covers_its_pixels() -> None:
    expected = np.zeros((20, 30), bool)
    expected[3:12, 5:25] = True
    drawn = from_polygons([[5, 3, 25, 3, 25, 12, 5, 12]], (20, 30))
    np.testing.assert_array_equal(drawn, expected)


def test_a_polygon_is_where_pillow_draws_it() -> None:
    corners = [(10.0, 5.0), (70.0, 20.0), (55.0, 50.0), (20.0, 44.0)]
    canvas = Image.new("1", (80, 60))
    ImageDraw.Draw(canvas).polygon(corners, fill=1)
    expected = np.asarray(canvas)

    drawn = from_polygons([[side for corner in corners for side in corner]], (60, 80))

    differing = drawn ^ expected
    assert differing.sum() < 0.05 * expected.sum()  # the two round the outline differently
    assert drawn[30, 40]


def test_parts_are_one_animal() -> None:
    left, right = [2, 2, 8, 2, 8, 8, 2, 8], [12, 2, 18, 2, 18, 8, 12, 8]
    both = from_polygons([left, right], (10, 20))
    np.testing.assert_array_equal(
        both, from_polygons([left], (10, 20)) | from_polygons([right], (10, 20))
    )
    assert both[5, 5]
    assert both[5, 15]
    assert not both[5, 10]


def test_overlapping_parts_leave_no_hole() -> None:
    part = [2, 2, 12, 2, 12, 8, 2, 8]
    assert from_polygons([part, part], (10, 20))[5, 5]


def test_a_part_of_two_corners_covers_nothing() -> None:
    # pycocotools takes a list of four numbers for a box.
    assert not from_polygons([[0, 0, 5, 5]], (10, 10)).any()
    part = [2, 2, 8, 2, 8, 8, 2, 8]
    np.testing.assert_array_equal(
        from_polygons([[1, 1, 9, 9], part, []], (10, 10)), from_polygons([part], (10, 10))
    )


def test_a_polygon_past_the_edge_is_cut_there() -> None:
    drawn = from_polygons([[-5, -5, 15, -5, 15, 4, -5, 4]], (8, 10))
    assert drawn[:4].all()
    assert not drawn[4:].any()


@pytest.mark.parametrize(
    ("polygons", "words"),
    [
        ([], "list of parts"),
        ({"size": [2, 2]}, "list of parts"),
        ("[[1, 2, 3]]", "list of parts"),
        ([[1, 2, 3, 4, 5]], "part 1"),  # odd
        ([[0, 0, 4, 0, 4, 4], [0, 0, 4, float("nan"), 4, 4]], "part 2"),
        ([[[0, 0], [4, 0], [4, 4]]], "flat list"),  # pairs
        ([["a", "b", 4, 0, 4, 4]], "part 1"),
        ([[0, 0, 1e9, 0, 4, 4]], "far outside"),  # pycocotools would take gigabytes
        ([[0, 0, 10**400, 0, 4, 4]], "part 1"),  # JSON has such numbers
    ],
)
def test_malformed_polygons_are_refused(polygons: object, words: str) -> None:
    with pytest.raises(MaskError, match=words):
        from_polygons(polygons, (10, 10))
