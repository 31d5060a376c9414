"""What is known of a job, and its state as a pure function of the files of its folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    STORING = "storing"  # the work is done, the workspace takes its result
    CANCELLING = "cancelling"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STOPPED = "stopped"  # the process ended without a word: killed, or the machine went off

    @property
    def is_active(self) -> bool:
        """True if something still happens without anybody's doing."""
        return self in (
            JobState.QUEUED,
            JobState.RUNNING,
            JobState.STORING,
            JobState.CANCELLING,
        )

    @property
    def can_resume(self) -> bool:
        """True if the work ended before it was done."""
        return self in (JobState.FAILED, JobState.CANCELLED, JobState.STOPPED)


@dataclass(frozen=True)
class NewJob:
    """Work to be queued.

    Attributes:
        kind: Name of what is done.
        key: Equal for jobs that would do the same; only one of them is queued or runs.
        label: What is done, in words for the screen.
        spec: Plain values that say all the rest.
    """

    kind: str
    key: str
    label: str
    spec: Mapping[str, Any]


@dataclass(frozen=True)
class JobOrder(NewJob):
    """A job as it was queued: the content of job.json.

    Attributes:
        created_at: ISO 8601, UTC.
        queued_at: When it was queued last, in seconds since 1970; jobs start in this order.
    """

    created_at: str
    queued_at: float

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return vars(self) | {"spec": dict(self.spec)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """The order that `to_json` wrote."""
        return cls(**value)


@dataclass(frozen=True)
class JobProgress:
    """How far a job is: the content of progress.json.

    Attributes:
        stage: What is being done, in words for the screen.
        done: Finished units of this stage.
        total: All units, or 0 if not known.
        unit: What is counted, in the plural; "B" for bytes.
        rate: Units a second over the last seconds, or None if too early to say.
        eta_s: Seconds left in this stage, or None if not known.
        updated_at: Seconds since 1970.
    """

    stage: str
    done: int
    total: int
    unit: str
    rate: float | None
    eta_s: float | None
    updated_at: float


@dataclass(frozen=True)
class JobEnd:
    """How a job ended: the content of end.json, and of outcome.json before the result is stored.

    Attributes:
        state: FINISHED, FAILED or CANCELLED.
        reason: One line for people: what came out, or why it did not.
        detail: Plain values for whoever wants more.
        ended_at: ISO 8601, UTC.
    """

    state: JobState
    reason: str
    detail: Mapping[str, Any]
    ended_at: str

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return vars(self) | {"state": self.state.value, "detail": dict(self.detail)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """The end that `to_json` wrote."""
        return cls(**value | {"state": JobState(value["state"])})


@dataclass(frozen=True)
class FoundFiles:
    """What a job's folder shows at one moment.

    Attributes:
        has_started: A process was started for it since it was queued last.
        is_alive: That process still runs.
        is_cancel_asked: Somebody asked to cancel it.
        outcome: The last word of the process.
        end: The end, once the workspace has the result or nothing is to be stored.
    """

    has_started: bool
    is_alive: bool
    is_cancel_asked: bool
    outcome: JobEnd | None
    end: JobEnd | None


def job_state(found: FoundFiles) -> JobState:
    """The state that the files amount to.

    A process may die at any point, so no file is taken for more than it says: work that nobody
    does and that nobody reported on is stopped.
    """
    if found.end is not None:
        return found.end.state
    if found.outcome is not None:
        return JobState.STORING
    if found.is_cancel_asked:
        return JobState.CANCELLING
    if not found.has_started:
        return JobState.QUEUED
    return JobState.RUNNING if found.is_alive else JobState.STOPPED


@dataclass(frozen=True)
class Job:
    """A job at one moment.

    Attributes:
        job_id: Name of its folder.
        order: What is to be done.
        state: Where it stands.
        is_alive: Its process runs.
        progress: How far it is; None before the first word of the process.
        outcome: The last word of the process.
        end: How it ended.
    """

    job_id: str
    order: JobOrder
    state: JobState
    is_alive: bool
    progress: JobProgress | None
    outcome: JobEnd | None
    end: JobEnd | None
