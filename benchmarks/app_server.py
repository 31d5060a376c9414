"""The product's server in a process of its own, for measurements from outside."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cfr_core.workspace.location import VARIABLE

_REPOSITORY = Path(__file__).parents[1]
_START_S = 120
_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_BYTES_IN_MB = 1e6


@dataclass(frozen=True)
class AppServer:
    """A running server.

    Attributes:
        address: Its URL, without a slash at the end.
        pid: Its process.
    """

    address: str
    pid: int

    @property
    def memory_mb(self) -> float:
        """Megabytes of memory that the process holds now (Linux)."""
        return resident_bytes(Path(f"/proc/{self.pid}/status").read_text("ascii")) / _BYTES_IN_MB

    @property
    def cpu_s(self) -> float:
        """Seconds of a core that the process has used so far (Linux)."""
        return cpu_ticks(Path(f"/proc/{self.pid}/stat").read_text("utf-8")) / os.sysconf(
            "SC_CLK_TCK"
        )


def cpu_ticks(stat: str) -> int:
    """Time that a process has used for itself and in the system, from its `/proc/<pid>/stat`."""
    # The name of the program stands in parentheses and may hold any sign.
    fields = stat.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def resident_bytes(status: str) -> int:
    """Memory that a process holds, from its `/proc/<pid>/status`.

    Raises:
        ValueError: if the text does not say.
    """
    for line in status.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise ValueError("the status of the process has no line VmRSS")


@contextmanager
def app_server(workspace: Path) -> Iterator[AppServer]:
    """Start the server on a workspace and stop it at the end.

    Raises:
        RuntimeError: if it does not start; the message has its log.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--server.port={port}", "--server.headless=true", "--server.fileWatcherType=none"]
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", *options],
            cwd=_REPOSITORY,
            env=os.environ | {VARIABLE: str(workspace)},
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            if not _answers(f"{address}/_stcore/health", process):
                log.seek(0)
                raise RuntimeError(f"the server did not start; its log:\n{log.read()}")
            yield AppServer(address, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def chromium() -> str:
    """Path of the system's Chromium.

    Raises:
        RuntimeError: if there is none.
    """
    path = next(filter(None, map(shutil.which, _CHROMIUM_NAMES)), None)
    if path is None:
        raise RuntimeError(f"needs one of these programs: {', '.join(_CHROMIUM_NAMES)}")
    return path


def _answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    return False
