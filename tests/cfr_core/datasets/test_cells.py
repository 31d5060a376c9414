import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cfr_core.datasets.cells import (
    box_from_cell,
    box_from_numbers,
    mask_from_cell,
    mask_from_value,
    number,
    size_from_values,
)
from cfr_core.datasets.records import MaskReference
from cfr_core.errors import InputError
from cfr_core.masks.rle import encode

pixels = hnp.arrays(np.bool_, st.tuples(st.integers(1, 20), st.integers(1, 20)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", 12.0),
        (" 12.5 ", 12.5),
        ("12,5", 12.5),  # a decimal comma
        ("-3", -3.0),
        ("1e2", 100.0),
        ("1,234", None),  # 1234 or 1.234? Not for us to say
        ("1_000", None),
        ("nan", None),
        ("inf", None),
        ("", None),
        ("np.float64(1)", None),
    ],
)
def test_a_number_is_read_or_refused(text, expected):
    if expected is None:
        with pytest.raises(InputError, match="is no number of pixels"):
            number(text)
    else:
        assert number(text) == expected


@pytest.mark.parametrize(
    "cell",
    [
        *("[10, 20, 300, 200]", "10 20 300 200", "10,20,300,200", "(10.0, 20.0, 300.0, 200.0)"),
        *("10;20;300;200", "[ 10.  20. 300. 200.]", "10, 20, 300, 200", "  10   20  300 200 "),
    ],
)
def test_a_box_in_one_cell_is_read(cell):
    assert box_from_cell(cell) == (10, 20, 300, 200)


def test_a_box_with_decimal_commas_is_read():
    assert box_from_cell("10,5; 20,25; 300; 200") == (10.5, 20.25, 300, 200)
    assert box_from_cell("10,5 20,25 300 200") == (10.5, 20.25, 300, 200)


def test_corners_become_width_and_height():
    assert box_from_cell("10 20 310 220", corners=True) == (10, 20, 300, 200)
    assert box_from_numbers(["10", "20", "310", "220"], corners=True) == (10, 20, 300, 200)


@pytest.mark.parametrize(
    "cell", ["10 20 300", "10 20 300 200 5", "[10, 20, , 200]", "a b c d", "[]", "1,2,3,nan"]
)
def test_a_cell_that_is_no_box_is_refused(cell):
    with pytest.raises(InputError):
        box_from_cell(cell)


@settings(deadline=None)
@given(st.lists(st.floats(-1e5, 1e5), min_size=4, max_size=4))
def test_any_json_box_round_trips(values):
    assert box_from_cell(json.dumps(values)) == tuple(values)


@settings(deadline=None)
@given(pixels)
def test_run_lengths_are_read_from_json_python_and_bare_counts(mask):
    counts, size = encode(mask), list(mask.shape)
    expected = MaskReference("rle", {"size": size, "counts": counts}, mask.shape)
    value = {"size": size, "counts": counts}
    assert mask_from_cell(json.dumps(value), None) == expected
    # What pandas writes into a CSV for a dict, with counts as text or as bytes.
    assert mask_from_cell(str(value), None) == expected
    assert mask_from_cell(str({**value, "counts": counts.encode()}), None) == expected
    # Bare counts beside columns of the size; counts alone, size elsewhere.
    assert mask_from_cell(counts, mask.shape) == expected
    assert mask_from_cell(json.dumps({"counts": counts}), mask.shape) == expected


def test_uncompressed_run_lengths_are_kept_as_a_list():
    reference = mask_from_cell('{"size": [2, 3], "counts": [1, 2, 3]}', None)
    assert reference == MaskReference("rle", {"size": [2, 3], "counts": [1, 2, 3]}, (2, 3))


SQUARE = [0.0, 0.0, 4.0, 0.0, 4.0, 4.0]


@pytest.mark.parametrize(
    "value",
    [
        SQUARE,  # flat, as in wildlife-datasets
        [SQUARE],  # as in COCO
        [[0, 0], [4, 0], [4, 4]],  # a list of points
        [[[0, 0], [4, 0], [4, 4]]],
    ],
)
def test_one_polygon_is_read_in_every_nesting(value):
    expected = MaskReference("polygons", [SQUARE], None)
    assert mask_from_value(value, None) == expected
    assert mask_from_cell(json.dumps(value), None) == expected


def test_the_parts_of_an_animal_stay_together():
    parts = [SQUARE, [10.0, 10, 14, 10, 14, 14, 12, 16]]
    assert mask_from_value(parts, (20, 20)) == MaskReference("polygons", parts, (20, 20))


def test_a_path_is_a_file():
    for path in ("masks/a.png", "a.png", "C:\\masks\\a.png", "masks/007"):
        assert mask_from_cell(path, (4, 4)) == MaskReference("file", path)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("[1, 2, 3, 4]", "at least 3 points"),  # COCO's own code takes it for a box
        ("[[0, 0, 4, 0, 4]]", "at least 3 points"),
        ("[[0, 0, 4, 0, 4, NaN]]", "no number"),
        ('[["0", 0, 4, 0, 4, 4]]', "no number"),
        ('{"counts": "04"}', "size"),
        ('{"counts": "04", "size": [2, "2"]}', "size"),
        ('{"size": [2, 2]}', "counts"),
        ('{"size": [2, 2], "counts": "0 4"}', "counts"),
        ('{"size": [2, 2], "counts": [1, 2]}', "add up to 3, not to 2 x 2"),
        ('{"size": [2, 2], "counts": [5, -1]}', "counts"),
        ("{not json", "must be JSON"),
        ("__import__('os').getcwd()", None),  # a strange file name, never code
        ("[__import__('os').getcwd()]", "must be JSON"),
        ("1 3 10 5", "rows or columns"),
        ("PPYo1", "height and width of the image"),
    ],
)
def test_a_cell_that_is_no_mask_is_refused_and_nothing_is_run(cell, message):
    if message is None:
        assert mask_from_cell(cell, None).kind == "file"
        return
    with pytest.raises(InputError, match=message):
        mask_from_cell(cell, None)


def test_bare_counts_must_fill_the_image():
    with pytest.raises(InputError, match="run lengths cover"):
        mask_from_cell("04", (3, 3))


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        ("640", "480", (480, 640)),
        (640, 480.0, (480, 640)),
        ("640", None, None),
        ("640", "0", None),
        ("640.5", "480", None),
        ("wide", "480", None),
    ],
)
def test_a_size_is_two_positive_whole_numbers(width, height, expected):
    assert size_from_values(width, height) == expected


def test_refused_boxes_are_not_a_whole_image():
    with pytest.raises(InputError):
        box_from_numbers(["10", "", "5", "5"])
    assert math.isfinite(sum(box_from_numbers([1, 2, 3, 4])))
