"""What a worker says while it works: how far it is, how fast, how long it still takes."""

import contextlib
import time
from collections import deque
from collections.abc import Callable

from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.records import JobProgress
from cfr_core.types import Progress

_SAID_EVERY_S = 0.25
_WINDOW_S = 10.0
"""The rate is that of the last seconds, so that it follows a machine that gets busy."""
_EARLIEST_RATE_S = 0.5


class JobCancelledError(Exception):
    """Somebody asked to cancel the job."""


class ProgressFile:
    """Writes progress.json, and notices a wish to cancel; call it as often as you like."""

    def __init__(self, folder: JobFolder, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._clock = clock
        self._stage = ""
        self._said_at = -_SAID_EVERY_S
        self._samples: deque[tuple[float, int]] = deque()

    def __call__(self, progress: Progress) -> None:
        """Say how far a stage is.

        Raises:
            JobCancelledError: if the job is to be cancelled.
        """
        moment = self._clock()
        if progress.stage != self._stage:
            self._stage = progress.stage
            self._samples.clear()
        elif moment - self._said_at < _SAID_EVERY_S and progress.done != progress.total:
            return
        self._said_at = moment
        if self._folder.cancel_asked_at is not None:
            raise JobCancelledError
        self._samples.append((moment, progress.done))
        while moment - self._samples[0][0] > _WINDOW_S and len(self._samples) > 2:
            self._samples.popleft()
        self._say(progress)

    def _say(self, progress: Progress) -> None:
        rate = self._rate()
        said = JobProgress(
            stage=progress.stage,
            done=progress.done,
            total=progress.total,
            unit=progress.unit,
            rate=rate,
            eta_s=(progress.total - progress.done) / rate if rate and progress.total else None,
            updated_at=time.time(),
        )
        # On Windows a file cannot be replaced while the app reads it; the next word will do.
        with contextlib.suppress(PermissionError):
            self._folder.write_progress(said)

    def _rate(self) -> float | None:
        """Units a second, or None where nothing can be said yet."""
        (first_at, first), (last_at, last) = self._samples[0], self._samples[-1]
        if last_at - first_at < _EARLIEST_RATE_S or last <= first:
            return None
        return (last - first) / (last_at - first_at)
