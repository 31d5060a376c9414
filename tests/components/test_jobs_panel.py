"""The jobs in the sidebar, over job folders in each state."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.records import JobOrder, JobProgress, JobState
from cfr_core.workspace.location import VARIABLE
from server import workspace as served

MAIN = str(Path(__file__).parents[2] / "pages" / "main.py")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable]:
    """Make folders of jobs as they are found on disk; a running one is held by this process."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "workspace"))
    with ExitStack() as stack:

        def make(job_id: str, label: str, state: JobState, reason: str = "") -> JobFolder:
            folder = JobFolder(tmp_path / "workspace" / "jobs" / job_id)
            order = JobOrder("audit", label, label, {}, "2026-01-01T00:00:00+00:00", len(job_id))
            folder.write_order(order)
            if state is not JobState.QUEUED:
                folder.write_pid(2**30)
            if state in (JobState.RUNNING, JobState.CANCELLING):
                stack.enter_context(folder.held())
            elif state in (JobState.FINISHED, JobState.FAILED, JobState.CANCELLED):
                folder.write_end(state, reason, {})
            return folder

        yield make
        served.close()


def run() -> AppTest:
    test = AppTest.from_file(MAIN, default_timeout=20).run()
    assert not test.exception
    return test


def words(test: AppTest) -> str:
    return "\n".join(element.value for element in [*test.sidebar.markdown, *test.sidebar.caption])


@pytest.mark.usefixtures("made")
def test_without_jobs_there_is_nothing() -> None:
    assert not run().sidebar.subheader


def test_a_running_job_says_how_far_it_is(made: Callable) -> None:
    folder = made("a", "pigs with effnet-lite0", JobState.RUNNING)
    folder.write_progress(JobProgress("Embedding", 320, 860, "images", 117.6, 4.6, 0.0))
    test = run()
    assert test.sidebar.subheader[0].value == "Jobs"
    assert "pigs with effnet\\-lite0" in words(test)
    assert "320 of 860 images\n118 images/s · 5 s left" in words(test)
    assert [button.label for button in test.sidebar.button] == ["Cancel"]


def test_others_wait_for_it(made: Callable) -> None:
    made("a", "first", JobState.RUNNING)
    made("bb", "second", JobState.QUEUED)
    test = run()
    assert "Starting" in words(test)
    assert "Waits for the job before it" in words(test)


def test_cancel_is_passed_on(made: Callable) -> None:
    folder = made("a", "pigs", JobState.RUNNING)
    test = run()
    test.sidebar.button[0].click().run()
    assert folder.cancel_asked_at is not None
    assert "Stopping" in words(test)
    assert test.sidebar.button[0].disabled


@pytest.mark.parametrize(
    ("state", "reason", "buttons"),
    [
        (JobState.FINISHED, "CFR 0.23, SSI 0.79", ["Remove"]),
        (JobState.FAILED, "no photo is there", ["Resume", "Remove"]),
        (JobState.CANCELLED, "Cancelled.", ["Resume", "Remove"]),
        (JobState.STOPPED, "", ["Resume", "Remove"]),
    ],
)
def test_an_ended_job_says_why(
    made: Callable, state: JobState, reason: str, buttons: list[str]
) -> None:
    folder = made("a", "pigs", state, reason)
    folder.log_path.write_text("line of the log")
    test = run()
    told = reason[:1].upper() + reason[1:] or "its process ended without a word"
    assert told in words(test).replace("\\", "")
    assert [button.label for button in test.sidebar.button] == buttons
    assert test.sidebar.code[0].value == "line of the log"


def test_an_end_is_told_once_in_each_session_that_saw_the_job(made: Callable) -> None:
    folder = made("a", "pigs", JobState.RUNNING)
    first, second = run(), run()
    folder.write_end(JobState.FINISHED, "CFR 0.23", {})
    for test in (first, second):
        test.run()
        assert [toast.value for toast in test.toast] == [
            ":green[:material/check_circle:] Finished: pigs: CFR 0.23"
        ]
        test.run()
        assert not test.toast
    assert not run().toast  # it was told


def test_an_end_that_nobody_saw_is_told_once(made: Callable) -> None:
    made("a", "pigs", JobState.FAILED, "no photo")
    assert len(run().toast) == 1
    assert not run().toast


def test_removed_jobs_are_gone(made: Callable) -> None:
    folder = made("a", "pigs", JobState.FAILED, "no photo")
    test = run()
    test.sidebar.button[1].click().run()
    assert not folder.path.exists()
    assert not test.sidebar.subheader


def test_many_ended_jobs_take_little_room(made: Callable) -> None:
    for n in range(1, 8):
        made("x" * n, f"job {n}", JobState.FINISHED, "done")
    test = run()
    assert test.sidebar.expander[0].label == "3 earlier jobs"
