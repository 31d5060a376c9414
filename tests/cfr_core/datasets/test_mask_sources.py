import json
from pathlib import Path

import numpy as np
import pytest

from cfr_core.datasets.mask_sources import with_mask_folder, with_mask_table
from cfr_core.datasets.raw import raw_table
from cfr_core.datasets.records import MaskReference, Severity
from cfr_core.datasets.table_source import source_from_table
from cfr_core.errors import InputError


def table_of(name, columns):
    rows = list(zip(*columns.values(), strict=True))
    return raw_table(name, list(columns), rows, np.arange(1, len(rows) + 1))


def source_of(paths, root=Path("photos"), **columns):
    columns = {"path": paths, "identity": ["Max"] * len(paths), **columns}
    return source_from_table(table_of("metadata.csv", columns), kind="csv", root=root)


def with_files(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def files_of(source, folder):
    """Mask files relative to the folder."""
    return [m and Path(m.value).relative_to(folder.resolve()).as_posix() for m in source.masks]


@pytest.mark.parametrize(
    ("image", "mask"),
    [
        ("images/A/1.jpg", "A/1.png"),
        ("A/1.jpg", "A/1.png"),
        ("images/A/1.jpg", "images/A/1.png"),
        ("A/1.jpg", "A/1_mask.png"),
        ("A\\1.jpg", "A/1.png"),  # written on Windows
        ("deep/er/unique.jpg", "unique.png"),  # a name that occurs once on both sides
    ],
)
def test_a_mask_is_found_by_the_name_of_its_image(tmp_path, image, mask):
    source = with_mask_folder(source_of([image]), with_files(tmp_path, mask))
    assert files_of(source, tmp_path) == [mask]


def test_the_same_name_in_two_folders_is_never_confused(tmp_path):
    with_files(tmp_path, "A/1.png", "B/1.png", "2.png")
    source = with_mask_folder(
        source_of(["x/A/1.jpg", "x/C/1.jpg", "x/A/2.jpg", "x/B/2.jpg"]), tmp_path
    )
    assert files_of(source, tmp_path) == ["A/1.png", None, None, None]


def test_a_png_comes_before_a_jpeg_of_the_mask(tmp_path):
    with_files(tmp_path, "1.jpg", "1.png")
    assert files_of(with_mask_folder(source_of(["1.jpg"]), tmp_path), tmp_path) == ["1.png"]


def test_absolute_image_paths_are_matched_from_the_root(tmp_path):
    folder = with_files(tmp_path / "masks", "A/1.png", "B/1.png")
    source = source_of([str(tmp_path / "A" / "1.jpg"), ""], root=tmp_path)
    assert files_of(with_mask_folder(source, folder), folder) == ["A/1.png", None]


def test_masks_of_the_source_stay_where_the_folder_has_none(tmp_path):
    source = source_of(["1.jpg", "2.jpg"], mask_path=["m/1.png", "m/2.png"])
    found = with_mask_folder(source, with_files(tmp_path, "1.png"))
    assert found.masks[0].value == str(tmp_path.resolve() / "1.png")
    assert found.masks[1] == MaskReference("file", "m/2.png")
    assert "1 of 2 rows have a mask file" in found.findings[-1].message


def test_a_missing_folder_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="there is no mask folder"):
        with_mask_folder(source_of(["1.jpg"]), tmp_path / "gone")


COUNTS = {"size": [2, 2], "counts": "04"}


@pytest.mark.parametrize(
    "columns",
    [
        {"path": ["./b.jpg", "a.jpg"], "rle": [json.dumps(COUNTS)] * 2},
        {"image_id": ["2", "1"], "segmentation": [json.dumps(COUNTS)] * 2},
        {"image_id": ["2", "1"], "counts": ["04", "04"], "size": ["[2, 2]", "[2, 2]"]},
        {"image_id": ["2", "1"], "counts": ["04", "04"], "height": ["2", "2"], "width": ["2", "2"]},
        {"filename": ["b.jpg", "a.jpg"], "mask": [str(COUNTS)] * 2},
    ],
)
def test_a_table_of_masks_is_joined_by_id_or_path(columns):
    source = source_of(["a.jpg", "b.jpg", "c.jpg"], image_id=["1", "2", "3"])
    found = with_mask_table(source, table_of("masks.csv", columns))
    assert found.masks == (*[MaskReference("rle", COUNTS, (2, 2))] * 2, None)
    assert "2 of 3 rows have a mask" in found.findings[-1].message


def test_bare_counts_take_the_size_that_the_source_states():
    source = source_of(["a.jpg"], width=["2"], height=["2"])
    found = with_mask_table(source, table_of("masks.csv", {"path": ["a.jpg"], "rle": ["04"]}))
    assert found.masks == (MaskReference("rle", COUNTS, (2, 2)),)


def test_masks_that_fit_no_row_or_several_are_said():
    source = source_of(["a.jpg", "b.jpg", "b.jpg", "c.jpg", "d.jpg"])
    masks = table_of(
        "masks.csv",
        {
            "path": ["a.jpg", "b.jpg", "c.jpg", "c.jpg", "z.jpg", "d.jpg"],
            "rle": ["[1", *[json.dumps(COUNTS)] * 5],
        },
    )
    found = with_mask_table(source, masks)
    assert [m is not None for m in found.masks] == [False, False, False, False, True]
    refused = [(f.file, f.source_row) for f in found.findings if f.severity is Severity.NO_MASK]
    assert refused == [("a.jpg", 1), ("b.jpg", 2), ("b.jpg", 3), ("c.jpg", 4)]
    assert "1 masks belong to no row" in found.findings[-1].message


@pytest.mark.parametrize("columns", [{"path": ["a.jpg"]}, {"key": ["a"], "rle": ["04"]}])
def test_a_table_without_masks_or_key_is_refused(columns):
    with pytest.raises(InputError, match=r"masks\.csv must have a column with masks"):
        with_mask_table(source_of(["a.jpg"]), table_of("masks.csv", columns))
