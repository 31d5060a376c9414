"""Boxes become whole pixels inside the upright image; what changes is said, the rest refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr_core.datasets.boxes import crop_of
from cfr_core.datasets.opened import ImageFacts
from cfr_core.datasets.rows import OpenedRow, RowError

NAN, INF = float("nan"), float("inf")


def row(box, *, image_hw=(60, 80), stated_hw=None) -> OpenedRow:
    image = ImageFacts(Path("a.jpg"), image_hw, 1, "", 0, None, ())
    return OpenedRow(0, image, box, stated_hw, None, None)


@pytest.mark.parametrize(
    ("box", "expected", "changes"),
    [
        (None, None, []),
        ((3, 4, 10, 20), (3, 4, 10, 20), []),
        ((0, 0, 80, 60), None, []),  # all of the image
        ((3.4, 4.4, 10.2, 20.2), (3, 4, 11, 21), []),  # 3.4 to 13.6, 4.4 to 24.6
        ((2.5, 0.5, 1, 1), (3, 1, 1, 1), []),  # halves go up at both edges
        ((-5, -6, 20, 20), (0, 0, 15, 14), ["box clipped"]),
        ((70, 50, 20, 20), (70, 50, 10, 10), ["box clipped"]),
        ((-9, -9, 200, 200), None, ["box clipped"]),
        ((79, 59, 1, 1), (79, 59, 1, 1), []),
    ],
)
def test_what_a_box_becomes(box, expected, changes):
    crop = crop_of(row(box), is_stored=False)
    assert crop.bbox_xywh == expected
    assert [reason for reason, _ in crop.changes] == changes


@pytest.mark.parametrize(
    ("box", "reason"),
    [
        ((NAN, NAN, NAN, NAN), "unreadable box"),
        ((0, 0, INF, 10), "unreadable box"),
        ((1e308, 0, 1e308, 10), "unreadable box"),  # its right edge is no number
        ((5, 5, 0, 10), "empty box"),
        ((5, 5, 10, -3), "empty box"),
        ((80, 0, 10, 10), "box without pixels"),  # right of the image
        ((-20, 0, 20, 10), "box without pixels"),  # left of it
        ((5.1, 5.1, 0.2, 0.2), "box without pixels"),  # within one pixel, holds no edge
        ((0.1, 0.2, 0.3, 0.2), "box without pixels"),  # shares of the image
    ],
)
def test_a_box_without_pixels_is_refused(box, reason):
    with pytest.raises(RowError) as error:
        crop_of(row(box), is_stored=False)
    assert error.value.reason == reason
    assert error.value.action


def test_shares_of_the_image_are_recognised():
    with pytest.raises(RowError, match="shares of the image"):
        crop_of(row((0.1, 0.2, 0.3, 0.2)), is_stored=False)


def test_a_box_on_a_larger_picture_is_scaled_and_said():
    crop = crop_of(row((20, 40, 100, 60), stated_hw=(240, 320)), is_stored=False)
    assert crop.bbox_xywh == (5, 10, 25, 15)
    assert [reason for reason, _ in crop.changes] == ["box scaled"]
    assert "320 x 240" in crop.changes[0][1]


def test_a_box_on_a_picture_of_another_shape_is_refused():
    with pytest.raises(RowError, match="another shape"):
        crop_of(row((2, 4, 10, 6), stated_hw=(100, 100)), is_stored=False)


@given(st.tuples(*[st.floats(-200, 200) for _ in range(4)]))
def test_a_crop_always_lies_inside_and_next_to_what_was_written(box):
    try:
        crop = crop_of(row(box), is_stored=False)
    except RowError:
        return
    x, y, w, h = crop.bbox_xywh or (0, 0, 80, 60)
    assert 0 <= x < x + w <= 80
    assert 0 <= y < y + h <= 60
    written = np.array([box[0], box[1], box[0] + box[2], box[1] + box[3]])
    inside = np.clip(written, 0, [80, 60, 80, 60])
    assert np.abs(np.array([x, y, x + w, y + h]) - inside).max() <= 0.5
