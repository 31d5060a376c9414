"""The page of views: empty, one photo, many photos, and what an address cannot mean."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.workspace.location import VARIABLE
from server import workspace as served
from tests.made_dataset import made_dataset

MAIN = str(Path(__file__).parents[2] / "pages" / "main.py")


@pytest.fixture(autouse=True)
def workspace_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "workspace"))
    yield tmp_path / "workspace"
    served.close()


@pytest.fixture
def discs(tmp_path: Path) -> None:
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    served.workspace().add_dataset(made_dataset(tmp_path / "photos", "more"))


def run(**address: str) -> AppTest:
    test = AppTest.from_file(MAIN, default_timeout=20)
    test.switch_page("views.py")
    for name, text in address.items():
        test.query_params[name] = text
    test.run()
    assert not test.exception
    return test


def number(test: AppTest) -> int:
    return test.number_input[0].value


def test_an_empty_workspace_says_so() -> None:
    assert "holds no dataset yet" in run().info[0].value


@pytest.mark.usefixtures("discs")
def test_the_first_photo_is_shown_first() -> None:
    test = run()
    assert number(test) == 1
    assert test.query_params["row"] == "0"
    assert not test.warning


@pytest.mark.usefixtures("discs")
def test_steps_go_into_the_address() -> None:
    test = run(row="5")
    test.button(key="Next photo").click().run()
    assert test.query_params["row"] == "6"
    test.button(key="Previous photo").click().run()
    test.button(key="Previous photo").click().run()
    assert test.query_params["row"] == "4"
    test.number_input[0].set_value(12).run()
    assert test.query_params["row"] == "11"
    assert test.button(key="Next photo").disabled


@pytest.mark.usefixtures("discs")
def test_the_number_box_stays_the_same_one() -> None:
    test = run(row="5")
    before = test.number_input[0].id
    test.button(key="Next photo").click().run()
    assert number(test) == 7
    # Another one would stand beside it until the page is drawn, and take the focus away.
    assert test.number_input[0].id == before


@pytest.mark.usefixtures("discs")
def test_a_key_in_the_component_steps_once_and_not_past_the_end() -> None:
    test = run(row="5")
    test.session_state["four views"] = {"event": {"id": "s-1", "place": 7}}
    test.run()
    assert test.query_params["row"] == "7"
    test.button(key="Next photo").click().run()
    assert test.query_params["row"] == "8"
    test.session_state["four views"] = {"event": {"id": "s-2", "place": 99}}
    test.run()
    assert test.query_params["row"] == "11"


@pytest.mark.usefixtures("discs")
def test_words_find_the_next_photo_that_fits() -> None:
    test = run(row="5")
    find = test.text_input(key="choice of find")
    find.set_value("DISC 3").run()
    assert test.query_params["row"] == "9"
    test.text_input(key="choice of find").set_value("00002.jpg").run()
    assert test.query_params["row"] == "2"
    test.text_input(key="choice of find").set_value("*zebra*").run()
    assert test.query_params["row"] == "2"
    assert "No photo fits “\\*zebra\\*”" in test.info[0].value


@pytest.mark.usefixtures("discs")
@pytest.mark.parametrize(("row", "is_told"), [("1", True), ("2", True), ("4", False)])
def test_a_photo_without_an_accepted_mask_says_so(row: str, *, is_told: bool) -> None:
    told = [text for text in run(row=row).markdown if "no accepted mask" in text.value]
    assert bool(told) is is_told


@pytest.mark.usefixtures("discs")
def test_many_photos_in_one_view_open_one() -> None:
    test = run(show="many photos", view="shortcut")
    test.session_state["discs in views"] = {"event": {"id": "s-1", "row": 6}}
    test.run()
    assert test.query_params["row"] == "6"
    assert "show" not in test.query_params
    assert number(test) == 7


@pytest.mark.usefixtures("discs")
def test_another_dataset_starts_with_its_first_photo_without_a_warning() -> None:
    test = run(row="5")
    test.selectbox[0].set_value("more").run()
    assert number(test) == 1
    assert test.query_params["row"] == "12"
    assert not test.warning


@pytest.mark.usefixtures("discs")
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ({"row": "999"}, "There is no row 999 in discs"),
        ({"row": "x"}, "row='x'"),
        ({"fill": "red"}, "a colour as six hexadecimal digits"),
        ({"show": "all"}, "one of one photo, many photos"),
        ({"dataset": "disks"}, "must be one of discs, more"),
    ],
)
def test_what_an_address_cannot_mean_is_told(address: dict[str, str], words: str) -> None:
    assert words in run(**address).warning[0].value.replace("\\", "")


@pytest.mark.usefixtures("discs")
def test_colours_come_from_the_address() -> None:
    test = run(fill="ff8800")
    assert [picker.value for picker in test.color_picker] == ["#ff8800", "#000000"]
    test.color_picker[1].set_value("#ffffff").run()
    assert test.query_params["silhouette"] == "ffffff"
