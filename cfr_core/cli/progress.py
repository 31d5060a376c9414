"""Progress bars on the terminal: rate and time left for anything over a second."""

import sys
from types import TracebackType
from typing import NoReturn, Self

from tqdm import tqdm

from cfr_core.types import Progress

_DELAY_S = 0.5
_REDRAW_S = 0.2
_LOG_S = 10.0
"""A log file gets a line now and then, since it keeps each of them."""


class Bars:
    """One bar a stage, on standard error, so that `--json -` stays clean on standard output."""

    def __init__(self) -> None:
        self._bar: tqdm[NoReturn] | None = None
        self._stage = ""

    def __enter__(self) -> Self:
        """The bars themselves."""
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the bar that is open."""
        self._close()

    def __call__(self, progress: Progress) -> None:
        """Draw how far a stage is; a new stage opens a new bar."""
        if progress.stage != self._stage:
            self._close()
            self._stage = progress.stage
            self._bar = tqdm(
                total=progress.total or None,
                desc=progress.stage,
                unit=f" {progress.unit}",
                unit_scale=progress.unit == "B",
                file=sys.stderr,
                delay=_DELAY_S,
                mininterval=_REDRAW_S if sys.stderr.isatty() else _LOG_S,
                dynamic_ncols=True,
            )
        if self._bar is not None:
            self._bar.update(progress.done - self._bar.n)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
