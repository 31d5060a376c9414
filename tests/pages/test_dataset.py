"""The page of a dataset: none there, the report, the photos with filters, wrong addresses."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.datasets.records import DatasetCard, Finding, ImportReport, Severity
from cfr_core.types import SilhouetteRole
from components import cached
from server import workspace as served
from tests.made_dataset import made_dataset

FINDINGS = (
    Finding(Severity.SET_ASIDE, "missing file", "gone.jpg", 13, "no such file", "Copy it."),
    Finding(Severity.NOTE, "duplicate files, same identity", "a.jpg", 2, "2 files", "Keep one."),
    Finding(Severity.NOTE, "dates", "t.csv", None, "as written", "Nothing."),
)


def numbers(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


@pytest.fixture
def discs(tmp_path: Path) -> None:
    result = made_dataset(tmp_path / "photos")
    report = ImportReport(13, 12, 11, FINDINGS)
    served.workspace().add_dataset(dataclasses.replace(result, report=report))


def test_an_empty_workspace_leads_to_the_import(open_page: Callable[..., AppTest]) -> None:
    test = open_page("dataset.py")
    assert "no dataset yet" in test.info[0].value
    test.button[0].click().run()
    assert test.title[0].value == "Add a dataset"


@pytest.mark.usefixtures("discs")
def test_the_report_counts_rows_and_files(open_page: Callable[..., AppTest]) -> None:
    test = open_page("dataset.py")
    assert numbers(test) == {
        "Rows": "12",
        "Image files": "12",
        "Individuals": "4",
        "Unknown": "1",
        "In audits": "9",
    }
    said = [caption.value for caption in test.caption]
    assert any("2024-05-01 to 2024-05-01" in text for text in said)
    assert any("1 wait for review" in text and "1 without a mask" in text for text in said)
    warnings = [warning.value for warning in test.warning]
    assert warnings[0].replace("\\", "") == ("1 of 13 rows are not in the dataset: 1 missing file.")
    assert "1 groups of duplicate" in warnings[1]
    table = test.dataframe[0].value
    assert table["Reason"].tolist() == [
        *("missing file", "duplicate files, same identity", "dates")
    ]


@pytest.mark.usefixtures("discs")
def test_findings_are_filtered_by_reason(open_page: Callable[..., AppTest]) -> None:
    test = open_page("dataset.py")
    test.multiselect[0].select("dates").run()
    assert test.dataframe[0].value["Reason"].tolist() == ["dates"]


@pytest.mark.usefixtures("discs")
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ({}, "Every row"),
        ({"search": '"disc 0"'}, "3 of 12 rows"),
        ({"search": "00007"}, "1 of 12 rows"),
        ({"mask": "proposed"}, "1 of 12 rows"),
        ({"identity": "unknown"}, "1 of 12 rows"),
    ],
)
def test_photos_are_filtered_by_the_address(
    open_page: Callable[..., AppTest], address: dict[str, str], words: str
) -> None:
    test = open_page("dataset.py", part="photos", **address)
    assert any(caption.value.startswith(words) for caption in test.caption)
    assert test.get_by_key("rows of discs")


@pytest.mark.usefixtures("discs")
def test_no_photo_is_told(open_page: Callable[..., AppTest]) -> None:
    test = open_page("dataset.py", part="photos", search="nowhere")
    assert test.info[0].value == "No row is like that."


@pytest.mark.usefixtures("discs")
def test_a_clicked_photo_goes_into_the_address(open_page: Callable[..., AppTest]) -> None:
    test = open_page("dataset.py", part="photos")
    test.session_state["rows of discs"] = {"event": {"id": "s-1", "row": 5}}
    test.run()
    assert test.query_params == {"dataset": "discs", "part": "photos", "row": "5"}


@pytest.mark.usefixtures("discs")
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ({"dataset": "disks"}, "must be one of discs"),
        ({"part": "x"}, "must be one of report, photos"),
        ({"part": "photos", "mask": "x"}, "must be one of"),
        ({"part": "photos", "row": "x"}, "must be the number of a row"),
    ],
)
def test_a_wrong_address_is_told(
    open_page: Callable[..., AppTest], address: dict[str, str], words: str
) -> None:
    test = open_page("dataset.py", **address)
    assert words in test.warning[0].value.replace("\\", "")


def test_the_role_is_explained_with_its_source(
    open_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    result = made_dataset(tmp_path / "photos", "ATRW")
    card = DatasetCard("ATRW", str(tmp_path / "photos"), SilhouetteRole.IDENTITY, "given")
    served.workspace().add_dataset(dataclasses.replace(result, card=card))
    test = open_page("dataset.py")
    assert any("decided at the import" in text.value for text in test.markdown)
    assert any("The published table says: no" in warning.value for warning in test.warning)


def test_a_new_dataset_is_seen_at_once(open_page: Callable[..., AppTest], tmp_path: Path) -> None:
    test = open_page("dataset.py")
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    test.run()
    assert test.selectbox[0].options == ["discs"]
    assert cached.covers("discs", 2) == (0, 9)
