"""The preview of a source: what can be known without opening a photo, at its cell."""

from pathlib import Path

import pytest

from cfr_core.datasets.check import check
from cfr_core.datasets.preview import NOTICED, Mark, Preview, preview
from cfr_core.datasets.records import UNKNOWN_IDENTITIES, Severity
from cfr_core.datasets.sources import read_source
from tests.made_dataset import write_photos

TABLE = """path,identity,date,bbox,mask_path,weather
00000.jpg,ana,2024-05-01,"0,0,50,50",m/0.png,dry
00001.jpg,ana,2024-05-02,"0,0,5",m/1.png,dry
absent.jpg,bea,2024-05-03,"0,0,50,50",,wet
00002.jpg,unknown,2024-02-31,"0,0,50,50",,wet
00003.jpg,,2024-05-05,,m/absent.png,
empty.jpg,bea,2024-05-06,"0,0,50,50",,
00004.jpg,bea,2024-05-07,"0,0,50,50",,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    photos = write_photos(tmp_path, 5)
    photos[4].write_bytes(photos[4].read_bytes()[:400])  # truncated
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "m").mkdir()
    for i in (0, 1):
        (tmp_path / "m" / f"{i}.png").touch()
    (tmp_path / "metadata.csv").write_text(TABLE)
    return tmp_path


def seen(folder: Path) -> Preview:
    return preview(read_source(folder), UNKNOWN_IDENTITIES)


def test_every_bad_cell_is_marked_and_no_other(folder: Path) -> None:
    shown = seen(folder)
    marked = {
        (int(shown.table["Row"].iloc[row]), column): shown.marks.iloc[row][column]
        for row in range(len(shown.table))
        for column in shown.marks.columns
        if shown.marks.iloc[row][column]
    }
    assert marked == {
        (2, "Box (x, y, width, height)"): Mark.BAD,
        (3, "Image file"): Mark.BAD,
        (4, "Identity"): Mark.LOOK,
        (4, "Date"): Mark.LOOK,
        (5, "Identity"): Mark.LOOK,
        (5, "Mask"): Mark.BAD,
        (6, "Image file"): Mark.BAD,
    }


def test_counts_and_words(folder: Path) -> None:
    shown = seen(folder)
    assert (shown.n_used, shown.n_identities, shown.n_unknown) == (4, 2, 2)
    assert shown.n_masks == 1  # row 1; the row of the other has no readable box
    words = dict(zip(shown.table["Row"], shown.table[NOTICED], strict=True))
    assert words[1] == ""
    assert words[3].startswith("Missing file: there is no such file")
    assert words[4].count("Unknown identity") == 1
    assert "0 bytes" in words[6]
    assert words[7] == "", "a truncated photo is not known before it is opened"


def test_what_is_read_is_shown_as_written(folder: Path) -> None:
    table = seen(folder).table
    assert table.columns.tolist() == [
        *("Row", "Image file", "Identity", "Date", "Box (x, y, width, height)", "Mask"),
        *("date", "weather", NOTICED),
    ]
    assert table["Identity"].tolist() == ["ana", "ana", "bea", "unknown", "", "bea", "bea"]
    assert table["Box (x, y, width, height)"].tolist()[:2] == ["0, 0, 50, 50", "unreadable"]
    assert table["Date"].tolist()[:4] == ["2024-05-01", "2024-05-02", "2024-05-03", ""]
    assert table["Mask"].tolist()[0] == "m/0.png"
    assert seen(folder).columns["captured_at"] == "date"


def test_the_check_agrees_on_what_the_preview_marks(folder: Path) -> None:
    source = read_source(folder)
    shown = preview(source, UNKNOWN_IDENTITIES)
    set_aside = {
        f.source_row
        for f in check(source, name="x").report.findings
        if f.severity is Severity.SET_ASIDE
    }
    bad = (shown.marks["Image file"] == Mark.BAD) | (
        shown.marks["Box (x, y, width, height)"] == Mark.BAD
    )
    assert set_aside == {*shown.table["Row"][bad], 7}, "7 is the truncated photo"


def test_a_part_of_the_table(folder: Path) -> None:
    shown = seen(folder)
    table, marks = shown.part(only_noticed=True, max_rows=2)
    assert table["Row"].tolist() == [2, 3]
    assert marks.index.tolist() == table.index.tolist()
    assert len(shown.part(only_noticed=False, max_rows=3)[0]) == 3
    assert shown.n_noticed == 5


def test_a_further_column_may_have_any_name(tmp_path: Path) -> None:
    write_photos(tmp_path, 1)
    (tmp_path / "metadata.csv").write_text("path,identity,Row,Noticed,Mask\n00000.jpg,a,1,2,\n")
    shown = seen(tmp_path)
    assert shown.table["Row"].tolist() == [1]
    assert {"Row (source)", "Noticed (source)"} <= set(shown.table.columns)
    assert shown.table[NOTICED].tolist() == [""]


def test_findings_on_the_whole_source_stand_apart(folder: Path) -> None:
    (folder / "other.csv").write_text("path\n")
    (finding,) = (f for f in seen(folder).general if f.reason == "other tables")
    assert "other.csv" in finding.message
