import math
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfr_core.datasets.raw import frame_table, raw_table
from cfr_core.datasets.records import MaskReference, Severity
from cfr_core.datasets.table_source import source_from_table
from cfr_core.errors import InputError


def source_of(columns, given=None):
    """A source from {name: cells}."""
    rows = list(zip(*columns.values(), strict=True))
    table = raw_table("metadata.csv", list(columns), rows, np.arange(1, len(rows) + 1))
    return source_from_table(table, kind="csv", root=Path("photos"), given=given)


def listed(source, severity):
    return [(f.reason, f.file, f.source_row) for f in source.findings if f.severity is severity]


def test_columns_become_annotations_and_the_rest_is_kept():
    source = source_of(
        {
            "Image": ["a.jpg", "b.jpg"],
            "Individual": ["007", ""],
            "Date": ["2019-07-14", ""],
            "Viewpoint": ["left", ""],
            "frame": ["1", "02"],
            "width": ["640", "640"],
            "height": ["480", "480"],
            "exif_orientation": ["6", "1"],
        }
    )
    table = source.table
    assert table["path"].tolist() == ["a.jpg", "b.jpg"]
    assert table["identity"][0] == "007"
    assert table["identity"][1] is pd.NA
    assert table["captured_at"].dtype == "datetime64[s]"
    assert table["captured_at"][0] == datetime(2019, 7, 14)
    assert pd.isna(table["captured_at"][1])
    assert table["orientation"].tolist() == ["left", pd.NA]
    assert table["encounter"].isna().all()
    assert table["frame"].tolist() == ["1", "02"]
    assert table["source_exif_orientation"].tolist() == ["6", "1"]
    assert source.sizes_hw == ((480, 640), (480, 640))
    assert source.boxes == (None, None)
    assert source.masks == (None, None)
    assert source.column_roles["Individual"] == "identity"
    assert list(table.columns) == [
        *("source_row", "path", "identity", "captured_at", "encounter", "camera", "orientation"),
        *("split", "species", "frame", "source_exif_orientation"),
    ]


def test_a_row_without_a_file_is_set_aside_and_stays_counted():
    source = source_of({"path": ["a.jpg", ""], "identity": ["Max", "Max"]})
    assert len(source.table) == 2
    assert listed(source, Severity.SET_ASIDE) == [("no file named", "metadata.csv", 2)]


def test_boxes_are_read_as_written_and_a_bad_one_is_never_the_whole_image():
    source = source_of(
        {
            "path": ["a.jpg", "b.jpg", "c.jpg", "d.jpg"],
            "identity": ["Max"] * 4,
            "bbox": ["[1.5, 2, 30, 40]", "", "[1, 2, 3]", "-5 0 9 9"],
        }
    )
    assert source.boxes[0] == (1.5, 2, 30, 40)
    assert source.boxes[1] is None
    assert all(math.isnan(side) for side in source.boxes[2])
    assert source.boxes[3] == (-5, 0, 9, 9)
    assert listed(source, Severity.SET_ASIDE) == [("unreadable box", "c.jpg", 3)]
    assert "1 of 4 rows have no box" in source.findings[-1].message


@pytest.mark.parametrize(
    ("names", "row"), [("x y w h", "1 2 3 4"), ("xmin ymin xmax ymax", "1 2 4 6")]
)
def test_boxes_in_four_columns(names, row):
    cells = {name: [value, ""] for name, value in zip(names.split(), row.split(), strict=True)}
    source = source_of({"path": ["a.jpg", "b.jpg"], "identity": ["1", "1"], **cells})
    assert source.boxes == ((1, 2, 3, 4), None)


def test_a_box_with_one_number_missing_is_set_aside():
    cells = {"x": ["1"], "y": [""], "w": ["3"], "h": ["4"]}
    source = source_of({"path": ["a.jpg"], "identity": ["1"], **cells})
    assert listed(source, Severity.SET_ASIDE) == [("unreadable box", "a.jpg", 1)]


def test_boxes_relative_to_the_image_are_not_taken_for_pixels():
    source = source_of(
        {"path": ["a.jpg", "b.jpg"], "identity": ["1", "1"], "bbox": ["0.1 0.2 0.5 0.5", "0 0 1 1"]}
    )
    assert all(math.isnan(side) for box in source.boxes for side in box)
    assert len(listed(source, Severity.SET_ASIDE)) == 2


def test_masks_are_referred_to_and_a_bad_one_costs_the_mask_only():
    source = source_of(
        {
            "path": ["a.jpg", "b.jpg", "c.jpg"],
            "identity": ["1", "1", "1"],
            "segmentation": ["masks/a.png", "[1, 2, 3]", ""],
        }
    )
    assert source.masks == (MaskReference("file", "masks/a.png"), None, None)
    assert listed(source, Severity.NO_MASK) == [("unreadable mask", "b.jpg", 2)]


def test_unreadable_dates_are_listed_with_row_and_value_and_their_text_is_kept():
    source = source_of(
        {"path": ["a.jpg", "b.jpg"], "identity": ["1", "1"], "date": ["2019-07-14", "last summer"]}
    )
    assert listed(source, Severity.NOTE) == [("unreadable date", "b.jpg", 2)]
    assert '"last summer"' in source.findings[0].message
    assert source.table["date"].tolist() == ["2019-07-14", "last summer"]


def test_a_time_of_day_in_its_own_column_is_joined():
    columns = {"path": ["a.jpg", "b.jpg"], "identity": ["1", "1"], "Time": ["08:30:15", ""]}
    source = source_of({**columns, "Date": ["14/07/2019", "15/07/2019"]})
    assert source.table["captured_at"].tolist() == [
        datetime(2019, 7, 14, 8, 30, 15),
        datetime(2019, 7, 15),
    ]
    with_clock = source_of({**columns, "Date": ["14/07/2019 09:00", "15/07/2019 09:00"]})
    assert with_clock.table["captured_at"][0] == datetime(2019, 7, 14, 9)


def test_typed_tables_become_text_without_inventing_values():
    frame = pd.DataFrame(
        {
            "path": ["a.jpg", "b.jpg"],
            "identity": [7.0, np.nan],  # whole numbers beside a missing one
            "date": pd.to_datetime(["2019-07-14 08:30", None]),
            "bbox": [np.array([1, 2, 3, 4]), [np.nan] * 4],
            "segmentation": [{"size": [2, 2], "counts": b"04"}, None],
            "flag": [True, False],
        }
    )
    source = source_from_table(frame_table("frame", frame), kind="csv", root=Path())
    assert source.table["identity"].tolist() == ["7", pd.NA]
    assert source.table["captured_at"][0] == datetime(2019, 7, 14, 8, 30)
    assert source.boxes == ((1, 2, 3, 4), None)
    assert source.masks[0].value == {"size": [2, 2], "counts": "04"}
    assert source.table["flag"].tolist() == ["True", "False"]


def test_a_table_with_columns_but_no_rows_is_refused():
    with pytest.raises(InputError, match="has columns but no rows: path"):
        frame_table("empty.parquet", pd.DataFrame({"path": []}))
