"""The overview: empty, with datasets and runs, and when the workspace cannot be opened."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from cfr_core.jobs.records import NewJob
from cfr_core.workspace.store import RunRecord
from components.cards import cards
from components.overview_cards import _run_card
from server import workspace as served
from tests.made_dataset import made_dataset

REPOSITORY = Path(__file__).parents[2]


def buttons(test: AppTest) -> set[str]:
    return {button.label for button in test.button}


def test_an_empty_workspace_offers_two_ways_on(open_page: Callable[..., AppTest]) -> None:
    test = open_page("overview.py")
    assert test.info[0].value == "This workspace holds no dataset yet."
    assert {"Open the demo", "Add a dataset"} <= buttons(test)


def test_the_demo_is_queued_once_and_announced(
    open_page: Callable[..., AppTest], monkeypatch
) -> None:
    submitted: list[NewJob] = []
    monkeypatch.setattr(served.jobs(), "submit", submitted.append)
    test = open_page("overview.py")
    next(button for button in test.button if button.label == "Open the demo").click().run()
    assert [job.kind for job in submitted] == ["demo"]


def test_the_other_way_leads_to_the_import(open_page: Callable[..., AppTest]) -> None:
    test = open_page("overview.py")
    next(button for button in test.button if button.label == "Add a dataset").click().run()
    assert test.title[0].value == "Add a dataset"


def test_datasets_are_cards(open_page: Callable[..., AppTest], tmp_path: Path) -> None:
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    test = open_page("overview.py")
    assert test.get_by_key("dataset cards")
    assert not test.info
    assert "Runs" not in [header.value for header in test.header]


def test_a_run_whose_files_are_gone_is_still_a_card(
    open_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    run = RunRecord("discs-x-0123456789", "discs", "x", "2026-01-02T03:04:05+00:00")
    served.workspace().register_run(run)
    assert open_page("overview.py").get_by_key("run cards")
    assert "run the audit again" in _run_card(run).lines[0]


def test_a_card_is_opened_by_its_own_key_only(monkeypatch) -> None:
    def component(**_: object) -> object:
        return type("Result", (), {"opened": "gone"})()

    monkeypatch.setattr("components.cards._COMPONENT", component)
    assert cards([], key="none") is None


def test_a_workspace_in_use_is_told_and_tried_again(
    open_page: Callable[..., AppTest], workspace_folder: Path
) -> None:
    script = (
        "import sys; from cfr_core.workspace.store import Workspace; from pathlib import Path\n"
        "w = Workspace(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(workspace_folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        test = open_page("overview.py")
        assert f"is open in process {holder.pid}" in test.error[0].value
        holder.communicate("")
    test.run()
    assert not test.error
    assert test.info
