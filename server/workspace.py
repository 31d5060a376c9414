"""The server's workspace: no other module opens one, since a database has one opener.

Its jobs are looked after as long as it is open.
"""

import threading
from dataclasses import dataclass
from pathlib import Path

from cfr_core.audit.live import LiveAudits
from cfr_core.jobs.queue import JobQueue
from cfr_core.jobs.uploads import remove_uploads, unused_uploads
from cfr_core.workspace.cache import FileCache
from cfr_core.workspace.location import default_root
from cfr_core.workspace.store import Workspace
from server.engines import Engines
from server.live_updates import LiveUpdates

_PICTURES_LIMIT_BYTES = 4 * 1024**3
"""About 100,000 pictures of 320 px; the folder can be deleted at any time."""


@dataclass(frozen=True)
class _Opened:
    folder: Path
    workspace: Workspace
    pictures: FileCache
    jobs: JobQueue
    engines: Engines
    live_updates: LiveUpdates


class _Holder:
    """Opens the workspace on first use, and another one if the environment names another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: _Opened | None = None

    def get(self) -> _Opened:
        folder = default_root()
        with self._lock:
            if self._opened is None or self._opened.folder != folder:
                self._close()
                workspace = Workspace(folder)
                pictures = FileCache(
                    workspace.cache_dir / "pictures", limit_bytes=_PICTURES_LIMIT_BYTES
                )
                jobs = JobQueue(workspace)
                _forget_uploads(workspace, jobs)
                self._opened = _Opened(
                    folder,
                    workspace,
                    pictures,
                    jobs,
                    Engines(workspace.checkpoints_dir, workspace.cache_dir / "segmenters"),
                    LiveUpdates(LiveAudits(workspace)),
                )
            return self._opened

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._opened is not None:
            self._opened.jobs.close()
            self._opened.engines.close()
            self._opened.live_updates.close()
            self._opened.workspace.close()
            self._opened = None


def _forget_uploads(workspace: Workspace, jobs: JobQueue) -> None:
    """Delete old uploads that nothing needs, beside everything else: they may be large."""
    unused = unused_uploads(workspace, jobs.jobs())
    if unused:
        threading.Thread(target=remove_uploads, args=(unused,), name="uploads", daemon=True).start()


_HOLDER = _Holder()


def workspace() -> Workspace:
    """The workspace of this process, for any thread.

    Raises:
        WorkspaceError: if it cannot be opened; the next call tries again.
    """
    return _HOLDER.get().workspace


def pictures() -> FileCache:
    """Pictures that have been drawn; errors as of `workspace`."""
    return _HOLDER.get().pictures


def jobs() -> JobQueue:
    """Long work on the workspace; errors as of `workspace`."""
    return _HOLDER.get().jobs


def engines() -> Engines:
    """Engines that propose masks; errors as of `workspace`."""
    return _HOLDER.get().engines


def live_updates() -> LiveUpdates:
    """Runs that follow the masks; errors as of `workspace`."""
    return _HOLDER.get().live_updates


def close() -> None:
    """Let go of the workspace, so that another process may open it."""
    _HOLDER.close()
