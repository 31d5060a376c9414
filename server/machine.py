"""What the server's machine can compute on, found out once, beside everything else."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

from cfr_core.jobs.machine import Machine, probe_machine


class _Probe:
    """Asks in a thread that nobody has to wait for, on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="machine")
        self._answer: Future[Machine] | None = None

    def get(self) -> Machine | None:
        with self._lock:
            if self._answer is None:
                self._answer = self._thread.submit(probe_machine)
            return self._answer.result() if self._answer.done() else None


_PROBE = _Probe()


def machine() -> Machine | None:
    """What this machine can compute on; None for the first seconds, while it is not known.

    Raises:
        DeviceError: if it cannot be found out.
    """
    return _PROBE.get()
