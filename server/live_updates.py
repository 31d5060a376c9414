"""Runs that are brought to the masks of now, one after another, beside the pages that ask it."""

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from cfr_core.audit.live import LiveAudits
from cfr_core.audit.live_update import LiveUpdate
from cfr_core.errors import CfrError
from cfr_core.types import Progress

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class UpdateState:
    """How far the update of a run is.

    Attributes:
        is_active: True while it waits or works.
        progress: The last that was told; None before the first.
        update: What the last finished update brought; None if there was none.
        problem: Why the last one failed, for people; empty if it did not.
    """

    is_active: bool
    progress: Progress | None = None
    update: LiveUpdate | None = None
    problem: str = ""


class _ClosingError(Exception):
    """The server lets go of the workspace; nothing of an unfinished update is kept."""


class LiveUpdates:
    """Updates of the runs of a workspace; threads may share it."""

    def __init__(self, audits: LiveAudits) -> None:
        """Nothing is loaded before an update is asked for."""
        self._audits = audits
        self._lock = threading.Lock()
        self._states: dict[str, UpdateState] = {}
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="live-update")
        self._is_closing = False

    def start(self, run_ids: Sequence[str]) -> None:
        """Bring runs to the masks of now, in this order; those under way are left."""
        for run_id in run_ids:
            with self._lock:
                before = self._states.get(run_id, UpdateState(is_active=False))
                if before.is_active:
                    continue
                self._states[run_id] = replace(before, is_active=True, progress=None, problem="")
            self._worker.submit(self._update, run_id)

    def state(self, run_id: str) -> UpdateState:
        """How far the update of a run is."""
        with self._lock:
            return self._states.get(run_id, UpdateState(is_active=False))

    def close(self) -> None:
        """Stop, and wait until nothing uses the workspace any more."""
        self._is_closing = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _update(self, run_id: str) -> None:
        try:
            update = self._audits.update(run_id, lambda progress: self._told(run_id, progress))
        except CfrError as error:
            self._ended(run_id, problem=str(error))
        except _ClosingError:
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, the page tells of it
            _LOG.exception("run %s cannot be updated", run_id)
            self._ended(run_id, problem=f"{type(error).__name__}: {error}")
        else:
            self._ended(run_id, update=update)

    def _told(self, run_id: str, progress: Progress) -> None:
        if self._is_closing:
            raise _ClosingError
        with self._lock:
            self._states[run_id] = replace(self._states[run_id], progress=progress)

    def _ended(self, run_id: str, update: LiveUpdate | None = None, problem: str = "") -> None:
        with self._lock:
            before = self._states[run_id].update
            self._states[run_id] = UpdateState(False, None, update or before, problem)
