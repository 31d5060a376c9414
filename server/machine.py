"""What the server's machine can compute on, found out once, beside everything else."""

import threading
from concurrent.futures import Future

from cfr_core.errors import DeviceError
from cfr_core.jobs.machine import Machine, probe_machine


class _Probe:
    """Asks in a thread that nobody has to wait for, on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answer: Future[Machine] | None = None

    def get(self) -> Machine | None:
        with self._lock:
            if self._answer is None:
                self._answer = Future()
                threading.Thread(target=self._ask, args=(self._answer,), daemon=True).start()
            return self._answer.result() if self._answer.done() else None

    def _ask(self, answer: "Future[Machine]") -> None:
        try:
            answer.set_result(probe_machine())
        except (DeviceError, OSError, ValueError, TypeError) as error:
            answer.set_exception(DeviceError(str(error)))


_PROBE = _Probe()


def machine() -> Machine | None:
    """What this machine can compute on; None for the first seconds, while it is not known.

    Raises:
        DeviceError: if it cannot be found out.
    """
    return _PROBE.get()
