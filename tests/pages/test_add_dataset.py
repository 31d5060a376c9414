"""Adding a dataset: preview, meanings, decisions, the job, and what goes wrong."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.datasets import wildlife
from cfr_core.jobs.records import JobState
from server import workspace as served
from tests.made_dataset import made_dataset, write_photos

PAGE = "add_dataset.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """12 photos of which 3 are missing and 1 is truncated; one shows an unknown animal."""
    photos = write_photos(tmp_path / "herd", 12)
    photos[5].write_bytes(photos[5].read_bytes()[:600])
    lines = ["path,name,when"]
    for i, photo in enumerate(photos):
        name = f"lost{i}.jpg" if i in (1, 4, 8) else photo.name
        who = "unknown" if i == 2 else f"disc {i // 3}"
        lines.append(f"{name},{who},2024-05-{i + 1:02d}")
    (tmp_path / "herd" / "metadata.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "herd"


def numbers(test: AppTest) -> list[str]:
    return [metric.value for metric in test.metric]


def button(test: AppTest, label: str):
    return next(found for found in test.button if found.label == label)


def test_nothing_is_asked_before_a_source_is_named(open_page: Callable[..., AppTest]) -> None:
    test = open_page(PAGE)
    assert test.text_input[0].label == "Folder, table or COCO file"
    assert [header.value for header in test.header] == ["1. Source"]


def test_the_preview_counts_and_marks(open_page: Callable[..., AppTest], folder: Path) -> None:
    test = open_page(PAGE, path=str(folder))
    assert numbers(test) == ["12", "9", "4", "1", "0"]
    table = test.dataframe[0].value
    assert table["Image file"].tolist()[1] == "✗ lost1.jpg"
    assert table["Identity"].tolist()[2] == "! unknown"
    assert table["Image file"].tolist()[5] == "00005.jpg", "not known before it is opened"
    marked = open_page(PAGE, path=str(folder), rows="noticed").dataframe[0].value
    assert marked["Row"].tolist() == [2, 3, 5, 9]
    assert not served.workspace().datasets()


def test_a_column_can_be_given_another_meaning(
    open_page: Callable[..., AppTest], folder: Path
) -> None:
    test = open_page(PAGE, path=str(folder))
    meaning = next(box for box in test.selectbox if box.label == "Identity")
    assert meaning.options == ["Found: name", "No column", "path", "name", "when"]
    meaning.select("when").run()
    assert numbers(test) == ["12", "9", "12", "0", "0"]
    assert test.query_params["column-identity"] == "when"
    meaning = next(box for box in test.selectbox if box.label == "Identity")
    meaning.select("(none)").run()
    assert numbers(test) == ["12", "9", "0", "12", "0"]


def test_two_meanings_of_one_column_are_told(
    open_page: Callable[..., AppTest], folder: Path
) -> None:
    test = open_page(
        PAGE, path=str(folder), **{"column-identity": "when", "column-captured_at": "when"}
    )
    assert "is given two" in test.error[0].value
    assert next(box for box in test.selectbox if box.label == "Date").value == "when"


def test_a_table_without_image_names_can_be_mended(
    open_page: Callable[..., AppTest], folder: Path
) -> None:
    text = (folder / "metadata.csv").read_text().replace("path,", "who knows,").replace(".jpg", "")
    (folder / "metadata.csv").write_text(text)
    test = open_page(PAGE, path=str(folder))
    assert "no column names the image files" in test.error[0].value
    next(box for box in test.selectbox if box.label == "Image file").select("who knows").run()
    assert not test.error
    assert numbers(test)[:2] == ["12", "0"]
    assert "No row can be used" in test.warning[0].value
    assert button(test, "Import").disabled


def test_another_name_for_unknown_counts(open_page: Callable[..., AppTest], folder: Path) -> None:
    test = open_page(PAGE, path=str(folder), unknown='["disc 1"]')
    assert numbers(test) == ["12", "9", "4", "3", "0"]


def test_the_role_starts_as_the_published_one(
    open_page: Callable[..., AppTest], folder: Path
) -> None:
    default = open_page(PAGE, path=str(folder)).radio[0].options[0]
    assert default == "Default: not decided (no table names it)"
    default = open_page(PAGE, path=str(folder), name="ATRW").radio[0].options[0]
    assert default == "Default: no, it is a shortcut (the published table for ATRW)"


def test_a_taken_name_has_to_be_replaced_knowingly(
    open_page: Callable[..., AppTest], folder: Path, tmp_path: Path
) -> None:
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    test = open_page(PAGE, path=str(folder), name="discs")
    assert "choose another name, or replace it" in test.warning[0].value
    assert button(test, "Import").disabled
    test.checkbox[0].check().run()
    assert not button(test, "Import").disabled


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ({"path": "/nowhere/at all"}, "there is no file or folder"),
        ({"path": "photos"}, "write the whole path"),
        ({"path": __file__}, "test_add_dataset.py"),
        ({"path": "/nowhere", "from": "zap"}, "must be one of folder, zip"),
        ({"path": "/" + "x" * 999}, "cannot be read"),
        ({"path": "/\0"}, "there is no file or folder"),
        ({"path": "/nowhere", "unknown": "{"}, "must be a list such as"),
    ],
)
def test_what_cannot_be_read_is_told(
    open_page: Callable[..., AppTest], address: dict[str, str], words: str
) -> None:
    test = open_page(PAGE, **address)
    said = [element.value.replace("\\", "") for element in (*test.error, *test.warning)]
    assert any(words in text for text in said)


def test_a_folder_that_may_not_be_read_is_told(
    open_page: Callable[..., AppTest], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(folder / "secret"))

    monkeypatch.setattr("cfr_core.jobs.imports.read_source", refuse)
    said = open_page(PAGE, path=str(folder)).error[0].value.replace("\\", "")
    assert "cannot be read" in said
    assert "Permission denied" in said


def test_a_name_that_is_none_is_told_at_the_button(
    open_page: Callable[..., AppTest], folder: Path
) -> None:
    test = open_page(PAGE, path=str(folder), name="a/b")
    button(test, "Import").click().run()
    assert "use letters, digits" in test.error[0].value


def test_the_other_package_is_offered_where_it_is_installed(
    open_page: Callable[..., AppTest], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not wildlife.is_wildlife_installed()
    monkeypatch.setattr("components.import_source.is_wildlife_installed", lambda: True)
    test = open_page(PAGE, **{"from": "package", "path": str(folder), "class": "StripeSpotter"})
    assert "is not installed" in test.error[0].value


def finished(job_id: str) -> JobState:
    deadline = time.monotonic() + 60
    while served.jobs().job(job_id).state.is_active and time.monotonic() < deadline:
        time.sleep(0.2)
    return served.jobs().job(job_id).state


def test_the_import_is_a_job_that_ends_at_the_report(
    open_page: Callable[..., AppTest], folder: Path
) -> None:
    test = open_page(PAGE, path=str(folder))
    button(test, "Import").click().run()
    assert "every photo is opened" in test.info[0].value
    job_id = test.query_params["job"]
    assert finished(job_id) is JobState.FINISHED
    test.run()
    assert test.title[0].value == "Dataset"
    assert numbers(test) == ["8", "8", "4", "1", "0"]
    assert "3 missing file" in test.warning[1].value.replace("\\", "")
    assert "1 damaged image" in test.warning[1].value.replace("\\", "")


def test_a_failed_import_says_why_and_leads_back(
    open_page: Callable[..., AppTest], folder: Path
) -> None:
    for photo in folder.glob("*.jpg"):
        photo.write_bytes(photo.read_bytes()[:300])
    test = open_page(PAGE, path=str(folder))
    button(test, "Import").click().run()
    assert finished(test.query_params["job"]) is JobState.FAILED
    test.run()
    assert "no row of" in test.error[0].value
    button(test, "Back to the import").click().run()
    assert numbers(test)[0] == "12"
