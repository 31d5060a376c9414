"""What a worker says of its progress."""

from pathlib import Path

import pytest

from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.progress import JobCancelledError, ProgressFile
from cfr_core.jobs.records import JobProgress
from cfr_core.types import Progress
from cfr_core.workspace.files import read_json


class Clock:
    """Seconds that pass when told."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> JobFolder:
    return JobFolder(tmp_path)


@pytest.fixture
def say(folder: JobFolder, clock: Clock) -> ProgressFile:
    return ProgressFile(folder, clock)


def said(folder: JobFolder) -> JobProgress:
    return JobProgress(**read_json(folder.path / "progress.json"))


def test_rate_and_time_left_follow_the_last_seconds(
    folder: JobFolder, say: ProgressFile, clock: Clock
) -> None:
    say(Progress("Embedding", 0, 1000))
    assert said(folder).rate is None
    assert said(folder).eta_s is None
    for done in range(10, 110, 10):  # 10 a second for 10 s
        clock.now_s += 1
        say(Progress("Embedding", done, 1000))
    assert said(folder).rate == pytest.approx(10)
    assert said(folder).eta_s == pytest.approx(90)
    for done in range(150, 650, 50):  # then 50 a second for 10 s
        clock.now_s += 1
        say(Progress("Embedding", done, 1000))
    assert said(folder).rate == pytest.approx(50)
    assert said(folder).eta_s == pytest.approx(8)


def test_a_new_stage_starts_its_rate_anew(
    folder: JobFolder, say: ProgressFile, clock: Clock
) -> None:
    say(Progress("Embedding", 0, 100))
    clock.now_s += 2
    say(Progress("Embedding", 100, 100))
    assert said(folder).rate == pytest.approx(50)
    say(Progress("retrieving", 1, 4, "views"))
    assert said(folder).rate is None
    assert (said(folder).stage, said(folder).unit) == ("retrieving", "views")


def test_an_unknown_total_has_no_time_left(
    folder: JobFolder, say: ProgressFile, clock: Clock
) -> None:
    say(Progress("download", 0, 0, "B"))
    clock.now_s += 2
    say(Progress("download", 500, 0, "B"))
    assert said(folder).rate == pytest.approx(250)
    assert said(folder).eta_s is None


def test_words_in_quick_succession_are_left_out_but_not_the_last(
    folder: JobFolder, say: ProgressFile, clock: Clock
) -> None:
    say(Progress("Embedding", 0, 1000))
    for done in range(1, 1000):
        clock.now_s += 0.0001
        say(Progress("Embedding", done, 1000))
    assert said(folder).done == 0
    say(Progress("Embedding", 1000, 1000))
    assert said(folder).done == 1000


def test_a_wish_to_cancel_is_heard(folder: JobFolder, say: ProgressFile, clock: Clock) -> None:
    say(Progress("Embedding", 0, 1000))
    folder.ask_to_cancel()
    clock.now_s += 1
    with pytest.raises(JobCancelledError):
        say(Progress("Embedding", 1, 1000))
