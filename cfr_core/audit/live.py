"""The live audit: a finished run follows the masks while somebody edits them.

Only the vectors of edited rows are computed, and the rankings are repaired; the result is that of
the whole audit run again (CFR sec. 3.3 to 3.5), in a second where that takes minutes.
"""

import threading

from cfr_core.audit.live_run import LiveRun
from cfr_core.audit.live_update import LiveUpdate
from cfr_core.audit.live_vectors import LiveVectors
from cfr_core.audit.next_state import finish_state
from cfr_core.audit.stored import read_profile
from cfr_core.types import DeviceChoice, OnProgress, no_progress
from cfr_core.workspace.store import Workspace


class LiveAudits:
    """Keeps the run that is being followed ready in memory; threads may share it.

    With 20,000 rows of 1,280 numbers it holds half a gigabyte.
    """

    def __init__(self, workspace: Workspace, device: DeviceChoice = "auto") -> None:
        """Follow the runs of a workspace; nothing is loaded yet.

        Args:
            workspace: Open workspace.
            device: Where to embed.
        """
        self._workspace = workspace
        self._vectors = LiveVectors(workspace.root, device)
        self._lock = threading.Lock()
        self._run: LiveRun | None = None

    def update(self, run_id: str, on_progress: OnProgress = no_progress) -> LiveUpdate:
        """Bring a finished run to the masks of now; it is stored, with its old profile beside it.

        Args:
            run_id: A run of the workspace.
            on_progress: Told of every stage.

        Raises:
            InputError: if the run cannot be read, or no row or query would be left.
            WeightsError, DeviceError: if an edited row cannot be embedded as the run was.
        """
        with self._lock:
            folder = self._workspace.runs_dir / run_id
            finish_state(folder)
            profile = read_profile(folder)
            run = self._run
            self._run = None  # let go of, if anything goes wrong
            if run is None or run.profile.to_json() != profile.to_json():
                run = LiveRun(self._workspace, self._vectors, profile)
            update = run.update(on_progress)
            self._run = run
            return update


def update_run(
    workspace: Workspace,
    run_id: str,
    *,
    device: DeviceChoice = "auto",
    on_progress: OnProgress = no_progress,
) -> LiveUpdate:
    """Bring one finished run to the masks of now; see `LiveAudits.update`.

    Args:
        workspace: Open workspace.
        run_id: A run of it.
        device: Where to embed.
        on_progress: Told of every stage.
    """
    return LiveAudits(workspace, device).update(run_id, on_progress)
