"""What a kind of job consists of: the work in its process, and what the workspace takes from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cfr_core.jobs.records import JobOrder, NewJob

if TYPE_CHECKING:
    from cfr_core.jobs.folder import JobFolder
    from cfr_core.types import OnProgress
    from cfr_core.workspace.store import Workspace


@dataclass(frozen=True)
class Stored:
    """What the workspace has taken.

    Attributes:
        words: One line for people: what came out.
        detail: Plain values for whoever wants more.
        then: Jobs that follow.
    """

    words: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    then: tuple[NewJob, ...] = ()


@dataclass(frozen=True)
class Kind:
    """A kind of job.

    Attributes:
        work: Runs in the worker process; writes files and returns plain values. It raises
            `CfrError` for what people can mend.
        store: Runs in the app once the work is done. It may be called again if the app ended in
            between, and must then come to the same.
    """

    work: "Callable[[JobFolder, JobOrder, OnProgress], Mapping[str, Any]]"
    store: "Callable[[Workspace, JobFolder, JobOrder], Stored]"
