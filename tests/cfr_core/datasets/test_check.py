"""The check of a whole source: what is used, what is set aside, and that all of it is said."""

import os
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from cfr_core.datasets.check import check
from cfr_core.datasets.records import COLUMNS, Finding, ImportResult, Severity
from cfr_core.types import SilhouetteRole


def reasons(result: ImportResult, severity: Severity) -> dict[str, int]:
    return result.report.counts(severity)


def found(result: ImportResult, reason: str) -> list[Finding]:
    return [f for f in result.report.findings if f.reason == reason]


def test_497_of_500_load_and_the_nearest_names_are_offered(tmp_path, photo, source_of):
    names = [photo(f"images/{n:03}.jpg", (4, 4), seed=n) for n in range(498)]
    names[5] = "images/0055.jpg"  # a digit too many
    names[7] = "images/007.jpeg"  # another ending
    names[9] = "009.jpg"  # without its folder
    names += ["images/010.jpg", "images/011.jpg"]  # two animals on one photo

    result = check(source_of(tmp_path, [{"path": name} for name in names]), name="d")

    assert (result.report.n_read, result.report.n_used, result.report.n_set_aside) == (500, 497, 3)
    missing = {f.source_row: f for f in found(result, "missing file")}
    assert "images/005.jpg" in missing[6].action or "images/055.jpg" in missing[6].action
    assert missing[8].action == "Did you mean images/007.jpg?"
    assert missing[10].action == "Did you mean images/009.jpg?"
    table = result.annotations.table
    assert table["row_id"].tolist() == list(range(497))
    assert table["source_row"].tolist() == [n for n in range(1, 501) if n not in (6, 8, 10)]


def test_awkward_files_are_set_aside_each_with_its_reason(tmp_path, photo, source_of):
    good = photo("good.jpg", (200, 300))
    (tmp_path / "cut.jpg").write_bytes((tmp_path / good).read_bytes()[:-3000])
    (tmp_path / "empty.jpg").write_bytes(b"")
    (tmp_path / "page.jpg").write_bytes(b"<!DOCTYPE html><html>404</html>")
    (tmp_path / "text.jpg").write_bytes(b"no image" * 50)
    Image.new("1", (14000, 14000)).save(tmp_path / "bomb.png")
    (tmp_path / "folder.jpg").mkdir()
    names = ["cut.jpg", "empty.jpg", "page.jpg", "text.jpg", "bomb.png", "folder.jpg", "\0.jpg"]

    result = check(source_of(tmp_path, [{"path": n} for n in [*names, "x" * 5000, good]]), name="d")

    assert result.report.n_used == 1
    assert result.annotations.table["path"].tolist() == [good]
    assert reasons(result, Severity.SET_ASIDE) == {
        "missing file": 3,
        "damaged image": 1,
        "empty file": 1,
        "web page": 1,
        "not an image": 1,
        "too large": 1,
    }
    for finding in result.report.findings:
        if finding.severity is Severity.SET_ASIDE:
            assert finding.message
            assert finding.action
            assert finding.file in names or finding.file == "x" * 5000


def test_conversions_are_said_once_a_file(tmp_path, source_of):
    Image.new("RGBA", (8, 6), (200, 0, 0, 0)).save(tmp_path / "clear.png")
    Image.new("CMYK", (8, 6)).save(tmp_path / "print.jpg")
    deep = np.arange(48, dtype=np.uint16).reshape(6, 8)
    Image.fromarray(deep * 1000).save(tmp_path / "deep16.png")
    Image.fromarray(deep * 80).save(tmp_path / "deep12.png")
    names = ["clear.png", "clear.png", "print.jpg", "deep16.png", "deep12.png"]
    boxes = [(0, 0, 4, 4), (4, 0, 4, 4), None, None, None]

    rows = [{"path": n, "box": b} for n, b in zip(names, boxes, strict=True)]
    result = check(source_of(tmp_path, rows), name="d")

    assert result.report.n_used == 5
    assert reasons(result, Severity.CHANGED) == {
        "transparent pixels composited on white": 1,
        "CMYK converted to RGB": 1,
        "16-bit greyscale scaled to 8 bits": 1,
        "12-bit greyscale scaled to 8 bits": 1,
    }


def test_the_same_file_name_in_two_folders_is_two_files(tmp_path, photo, source_of):
    names = [photo("a/1.png", seed=1), photo("b/1.png", seed=2)]
    result = check(source_of(tmp_path, [{"path": n} for n in names]), name="d")
    assert result.annotations.table["file_sha256"].nunique() == 2
    assert not found(result, "duplicate files, same identity")


def test_paths_are_kept_as_written(tmp_path, photo, source_of):
    names = [str(tmp_path / photo("images/a/1.png")), "./images//a/1.png"]
    result = check(source_of(tmp_path, [{"path": name} for name in names]), name="d")
    assert result.annotations.table["path"].tolist() == names


@pytest.mark.skipif(os.sep == "\\", reason="on Windows backslashes are separators as they are")
def test_backslashes_become_slashes_so_that_the_file_is_found_again(tmp_path, photo, source_of):
    photo("images/a/1.png")
    result = check(source_of(tmp_path, [{"path": r"images\a\1.png"}]), name="d")
    assert result.annotations.table["path"].tolist() == ["images/a/1.png"]
    assert "1 paths" in found(result, "backslashes")[0].message


def test_sizes_and_fractions_that_differ_are_noted(tmp_path, photo, source_of):
    name = photo("1.png")
    rows = [{"path": name, "size_hw": (24, 33)}, {"path": name, "box": (1.5, 2, 8, 8)}]
    result = check(source_of(tmp_path, rows), name="d")
    assert "33 x 24 px, the file has 32 x 24" in found(result, "stated size differs")[0].message
    assert "1 boxes" in found(result, "boxes rounded")[0].message


def test_the_table_has_every_column_in_its_type(tmp_path, photo, source_of):
    rows = [
        {"path": photo("1.png"), "identity": "007", "box": (2, 3, 10, 12), "weather": "rain"},
        {"path": photo("2.png"), "captured_at": "2019-07-14T08:30:00"},
    ]
    table = check(source_of(tmp_path, rows), name="d").annotations.table

    assert tuple(table.columns) == (*COLUMNS, "weather")
    kinds = {name: str(dtype) for name, dtype in table.dtypes.items()}
    for name in ("row_id", "source_row", "width", "height", "file_bytes", "exif_orientation"):
        assert kinds[name] == "int64"
    for name in ("path", "identity", "encounter", "camera", "split", "file_sha256", "weather"):
        assert kinds[name] == "string"
    assert kinds["bbox_x"] == "Int64"
    assert kinds["captured_at"] == "datetime64[s]"
    assert kinds["is_known"] == "bool"
    assert table.loc[0, ["bbox_x", "bbox_y", "bbox_w", "bbox_h"]].tolist() == [2, 3, 10, 12]
    assert table["bbox_w"].isna().tolist() == [False, True]
    assert (table["width"].tolist(), table["height"].tolist()) == ([32, 32], [24, 24])
    assert table["weather"].isna().tolist() == [False, True]


def test_an_import_without_a_usable_row_still_reports(tmp_path, source_of):
    result = check(source_of(tmp_path, [{"path": "gone.jpg"}]), name="d")
    assert (result.report.n_read, result.report.n_used, len(result.annotations)) == (1, 0, 0)
    assert str(result.annotations.table["captured_at"].dtype) == "datetime64[s]"


def test_rows_that_parsing_set_aside_are_not_reported_twice(tmp_path, photo, source_of):
    parsed = Finding(Severity.SET_ASIDE, "ragged row", "t.csv", 2, "3 cells for 4", "Correct it.")
    source = source_of(tmp_path, [{"path": photo("1.png")}, {"path": "gone.png"}], [parsed])
    report = check(source, name="d").report
    assert (report.n_read, report.n_used) == (2, 1)
    assert [f for f in report.findings if f.severity is Severity.SET_ASIDE] == [parsed]


@pytest.mark.parametrize(
    ("identity", "is_known"),
    [
        ("007", True),
        ("NA", True),
        ("None", True),
        ("nan", True),
        ("0", True),
        ("UNKNOWN", True),  # not among the unknown names as typed; said in a note
        ("unknown", False),
        ("Unknown", False),
        ("?", False),
        (None, False),
        ("", False),
    ],
)
def test_who_is_known(tmp_path, photo, source_of, identity, is_known):
    source = source_of(tmp_path, [{"path": photo("1.png"), "identity": identity}])
    table = check(source, name="d").annotations.table
    assert table["is_known"].tolist() == [is_known]
    assert table["identity"].fillna("").tolist() == [identity or ""]


def test_unknown_names_can_be_given_and_are_stated(tmp_path, photo, source_of):
    rows = [{"path": photo("1.png"), "identity": "x"}, {"path": photo("2.png"), "identity": "?"}]
    result = check(source_of(tmp_path, rows), name="d", unknown_identities=["x"])
    assert result.annotations.table["is_known"].tolist() == [False, True]
    assert result.card.unknown_identities == ("x",)
    assert "1 of 2 rows" in found(result, "unknown identities")[0].message
    assert "'x'" in found(result, "unknown identities")[0].message


def test_look_alike_names_are_kept_apart_and_noted(tmp_path, photo, source_of):
    identities = ["Ada", "ada", "Ada ", "07", "007", "UNKNOWN", "Bo"]
    rows = [{"path": photo(f"{n}.png"), "identity": i} for n, i in enumerate(identities)]
    result = check(source_of(tmp_path, rows), name="d")
    assert result.annotations.table["identity"].tolist() == identities
    alike = found(result, "identities alike")
    assert len(alike) == 1
    assert "'Ada', 'Ada ', 'ada'" in alike[0].message
    assert "'UNKNOWN' (1 rows)" in found(result, "identity looks unknown")[0].message


def test_duplicate_files_are_grouped_with_whether_identities_agree(tmp_path, photo, source_of):
    rows = [
        {"path": photo("a/1.png", seed=1), "identity": "Ada"},
        {"path": photo("b/1.png", seed=1), "identity": "Ada"},
        {"path": photo("2.png", seed=2), "identity": "Ada"},
        {"path": photo("2 copy.png", seed=2), "identity": "Bo"},
        {"path": photo("3.png", seed=3), "identity": "Bo"},
    ]
    result = check(source_of(tmp_path, rows), name="d")
    assert result.report.n_used == 5
    (same,) = found(result, "duplicate files, same identity")
    assert "a/1.png, b/1.png" in same.message
    (differ,) = found(result, "duplicate files, identities differ")
    assert differ.source_row == 3
    assert "2 copy.png, 2.png" in differ.message
    assert "'Ada', 'Bo'" in differ.message


def test_repeated_rows_are_noted_but_two_animals_on_a_photo_are_not(tmp_path, photo, source_of):
    name = photo("1.png")
    rows = [
        {"path": name, "identity": "Ada", "box": (0, 0, 10, 10)},
        {"path": name, "identity": "Bo", "box": (12, 0, 10, 10)},
        {"path": f"./{name}", "identity": "Cy", "box": (12, 0, 10, 10)},
        {"path": name},
        {"path": name, "box": (0, 0, 32, 24)},  # all of it, in other words
    ]
    result = check(source_of(tmp_path, rows), name="d")
    (differ,) = found(result, "repeated row, identities differ")
    assert "rows 2, 3" in differ.message
    (same,) = found(result, "repeated row, same identity")
    assert "rows 4, 5" in same.message
    assert not [f for f in result.report.findings if f.reason.startswith("duplicate files")]


def with_exif_time(path: Path, time: str) -> None:
    exif = Image.Exif()
    exif[0x0132] = time
    Image.new("RGB", (8, 6)).save(path, exif=exif)


def test_dates_come_from_exif_only_where_the_source_has_none(tmp_path, source_of):
    with_exif_time(tmp_path / "1.jpg", "2019:07:14 08:30:00")
    with_exif_time(tmp_path / "2.jpg", "0000:00:00 00:00:00")
    rows = [{"path": "1.jpg"}, {"path": "2.jpg"}]

    result = check(source_of(tmp_path, rows), name="d")
    dates = result.annotations.table["captured_at"]
    assert dates[0] == pd.Timestamp("2019-07-14T08:30:00")
    assert pd.isna(dates[1])
    assert "1 of 2 rows" in found(result, "dates from EXIF")[0].message

    rows[1]["captured_at"] = "2020-01-01"
    result = check(source_of(tmp_path, rows), name="d")
    assert result.annotations.table["captured_at"].isna().tolist() == [True, False]
    assert not found(result, "dates from EXIF")


def test_a_date_that_contradicts_exif_is_noted(tmp_path, source_of):
    with_exif_time(tmp_path / "1.jpg", "2019:07:14 08:30:00")
    rows = [
        {"path": "1.jpg", "captured_at": "2019-07-15T08:00:00"},  # within a day: time zones
        {"path": "1.jpg", "captured_at": "2021-07-14T08:30:00", "box": (0, 0, 4, 4)},
    ]
    result = check(source_of(tmp_path, rows), name="d")
    (note,) = found(result, "date differs from EXIF")
    assert note.source_row == 2
    assert "2021-07-14" in note.message
    assert "2019-07-14" in note.message
    assert result.annotations.table["captured_at"][1] == pd.Timestamp("2021-07-14T08:30:00")


def test_the_lynx_whose_camera_clock_was_wrong(shared_data, source_of):
    name = "images/lynx-id__B439_OCS_NA_2017-09-20_NA_4.JPG"
    rows = [{"path": name, "identity": "B439", "captured_at": datetime(2017, 9, 20)}]
    result = check(source_of(shared_data / "extras_formats", rows), name="lynx")
    assert "EXIF 2006-04-19" in found(result, "date differs from EXIF")[0].message


def test_role_and_its_origin_are_stated(tmp_path, photo, source_of):
    source = source_of(tmp_path, [{"path": photo("1.png")}])
    for role, name, expected in (
        (SilhouetteRole.IDENTITY, "d", "identity (given)"),
        (None, "SeaTurtleID2022", "shortcut (published table)"),
        (None, "my photos", "ambiguous (default)"),
    ):
        result = check(source, name=name, role=role)
        assert expected in found(result, "silhouette role")[0].message


def test_progress_counts_every_file_once(tmp_path, photo, source_of):
    names = [photo(f"{n}.png") for n in range(5)]
    seen = []
    source = source_of(tmp_path, [{"path": n} for n in [*names, names[0]]])
    check(source, name="d", on_progress=seen.append)
    assert [(p.stage, p.done, p.total) for p in seen] == [
        ("Checking images", n, 5) for n in range(1, 6)
    ]


def test_two_checks_give_the_same(tmp_path, photo, source_of):
    rows = [{"path": photo(f"{n}.png"), "identity": "a"} for n in range(30)]
    source = source_of(tmp_path, [*rows, {"path": "gone.png"}])
    first, second = (check(source, name="d") for _ in range(2))
    pd.testing.assert_frame_equal(first.annotations.table, second.annotations.table)
    assert first.report == second.report


def test_real_photos_in_awkward_formats_all_load(shared_data, source_of):
    folder = shared_data / "extras_formats"
    names = sorted(str(path.relative_to(folder)) for path in (folder / "images").iterdir())
    result = check(source_of(folder, [{"path": n} for n in names]), name="extras")
    assert result.report.n_used == len(names) == 18
    table = result.annotations.table.set_index("path")
    turned = table[table["exif_orientation"] > 1]
    assert turned["exif_orientation"].tolist() == [5, 8, 6]  # landscape_5, landscape_8, portrait_6
    assert (
        turned.loc["images/exif-samples__portrait_6.jpg", ["width", "height"]] == [450, 600]
    ).all()
    assert "3 rows" in found(result, "EXIF orientation")[0].message
