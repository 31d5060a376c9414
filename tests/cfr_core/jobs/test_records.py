"""The state of a job is what its files amount to."""

import pytest

from cfr_core.jobs.records import FoundFiles, JobEnd, JobOrder, JobState, NewJob, job_state

DONE = JobEnd(JobState.FINISHED, "", {}, "2026-01-01T00:00:00+00:00")
FAILED = JobEnd(JobState.FAILED, "no photo", {}, "2026-01-01T00:00:00+00:00")


@pytest.mark.parametrize(
    ("started", "alive", "cancel", "outcome", "end", "state"),
    [
        (False, False, False, None, None, JobState.QUEUED),
        (True, True, False, None, None, JobState.RUNNING),
        (True, False, False, None, None, JobState.STOPPED),  # killed: nobody said anything
        (True, True, True, None, None, JobState.CANCELLING),
        (False, False, True, None, None, JobState.CANCELLING),  # cancelled before it started
        (True, False, True, None, None, JobState.CANCELLING),  # killed, the app has to note it
        (True, True, False, DONE, None, JobState.STORING),  # the process is about to leave
        (True, False, False, DONE, None, JobState.STORING),  # the app was away when it left
        (True, False, True, DONE, None, JobState.STORING),  # done before the wish was heard
        (True, False, False, DONE, DONE, JobState.FINISHED),
        (True, False, False, DONE, FAILED, JobState.FAILED),  # done, but it cannot be stored
        (True, False, False, FAILED, FAILED, JobState.FAILED),
    ],
)
def test_state(
    started: bool,
    alive: bool,
    cancel: bool,
    outcome: JobEnd | None,
    end: JobEnd | None,
    state: JobState,
) -> None:
    assert job_state(FoundFiles(started, alive, cancel, outcome, end)) is state


def test_a_state_is_active_or_may_be_resumed_or_is_finished() -> None:
    for state in JobState:
        assert [state.is_active, state.can_resume, state is JobState.FINISHED].count(True) == 1


def test_records_come_back_from_their_json() -> None:
    assert JobEnd.from_json(FAILED.to_json()) == FAILED
    new = NewJob("import", "import pigs", "Import of pigs", {"columns": {"identity": "Name"}})
    order = JobOrder(**vars(new), created_at="2026-01-01T00:00:00+00:00", queued_at=1.5)
    assert JobOrder.from_json(order.to_json()) == order
