"""Updates of runs beside the pages: one after another, told, and stopped with the workspace."""

import threading
import time
from collections.abc import Callable

import pytest

from cfr_core.errors import InputError
from cfr_core.types import OnProgress, Progress
from server.live_updates import LiveUpdates


class Audits:
    """Stands for `LiveAudits`: waits until it may go on, then answers or fails."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_go_on = threading.Event()
        self.error: Exception | None = None

    def update(self, run_id: str, on_progress: OnProgress) -> str:
        self.asked.append(run_id)
        on_progress(Progress("Embedding", 1, 2))
        while not self.may_go_on.wait(0.02):
            on_progress(Progress("Embedding", 1, 2))
        if self.error is not None:
            raise self.error
        return f"update of {run_id}"


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def audits() -> Audits:
    return Audits()


@pytest.fixture
def updates(audits: Audits):
    made = LiveUpdates(audits)
    yield made
    audits.may_go_on.set()
    made.close()


def test_runs_are_updated_one_after_another(audits: Audits, updates: LiveUpdates) -> None:
    assert not updates.state("a").is_active
    updates.start(["a", "b"])
    updates.start(["a"])  # under way already
    until(lambda: updates.state("a").progress is not None)
    assert updates.state("a").progress == Progress("Embedding", 1, 2)
    assert updates.state("b").is_active
    assert updates.state("b").progress is None
    audits.may_go_on.set()
    until(lambda: not updates.state("b").is_active)
    assert audits.asked == ["a", "b"]
    assert updates.state("a").update == "update of a"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (InputError("no row would be left"), "no row would be left"),
        (RuntimeError("boom"), "RuntimeError: boom"),
    ],
)
def test_a_failure_is_told_until_the_next_try(
    audits: Audits, updates: LiveUpdates, error: Exception, words: str
) -> None:
    audits.error = error
    audits.may_go_on.set()
    updates.start(["a"])
    until(lambda: not updates.state("a").is_active)
    assert updates.state("a").problem == words
    audits.error = None
    updates.start(["a"])
    until(lambda: updates.state("a").update is not None)
    assert updates.state("a").problem == ""


def test_closing_does_not_wait_for_the_rest(audits: Audits) -> None:
    updates = LiveUpdates(audits)
    updates.start(["a", "b"])
    until(lambda: audits.asked == ["a"])
    updates.close()
    assert audits.asked == ["a"]
