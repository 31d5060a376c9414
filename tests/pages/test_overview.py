"""The overview: empty, with datasets, and when the workspace cannot be opened."""

import os
import subprocess
import sys
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


def run(**address: str) -> AppTest:
    test = AppTest.from_file(MAIN, default_timeout=20)
    for name, text in address.items():
        test.query_params[name] = text
    test.run()
    assert not test.exception
    return test


def test_an_empty_workspace_says_so() -> None:
    assert run().info[0].value == "This workspace holds no dataset yet."


def test_datasets_are_listed_and_one_is_shown(tmp_path: Path) -> None:
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    served.workspace().add_dataset(made_dataset(tmp_path / "photos", "more"))
    test = run()
    assert test.dataframe[0].value["Dataset"].tolist() == ["discs", "more"]
    assert test.dataframe[0].value["Accepted masks"].tolist() == [10, 10]
    assert test.selectbox[0].value == "discs"
    assert test.get_by_key("rows of discs")


def test_a_clicked_row_goes_into_the_address(tmp_path: Path) -> None:
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    test = run()
    test.session_state["rows of discs"] = {"event": {"id": "s-1", "row": 5}}
    test.run()
    assert test.query_params == {"dataset": "discs", "row": "5"}


def test_a_new_dataset_is_seen_at_once(tmp_path: Path) -> None:
    test = run()
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    test.run()
    assert test.selectbox[0].options == ["discs"]


def test_a_dataset_that_is_not_there_is_told(tmp_path: Path) -> None:
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    test = run(dataset="disks")
    assert "must be one of discs" in test.warning[0].value
    assert test.selectbox[0].value == "discs"


def test_a_workspace_in_use_is_told_and_tried_again(workspace_folder: Path) -> None:
    script = (
        "import sys; from cfr_core.workspace.store import Workspace; from pathlib import Path\n"
        "w = Workspace(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(workspace_folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(MAIN).parents[1])},
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        test = run()
        assert f"is open in process {holder.pid}" in test.error[0].value
        holder.communicate("")
    test.run()
    assert not test.error
    assert test.info
