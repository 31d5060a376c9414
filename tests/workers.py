"""Workers outlive the app that started them, by design; a test ends those of its workspace."""

import os
import signal
import time
from pathlib import Path

from cfr_core.jobs.folder import JobFolder


def end_workers(workspace: Path) -> None:
    """Kill what still works on the jobs of a workspace, and wait until it is gone."""
    for path in workspace.glob("jobs/*"):
        folder = JobFolder(path)
        while folder.is_held():
            if folder.pid is not None:
                os.killpg(folder.pid, signal.SIGKILL)
            time.sleep(0.05)
