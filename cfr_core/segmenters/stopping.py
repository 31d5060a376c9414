"""Lets a computation end early where nobody wants its result any more."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from cfr_core.errors import CfrError


class EncodingStoppedError(CfrError):
    """Features were no longer wanted before they were ready."""


def _never() -> bool:
    return False


_IS_UNWANTED: ContextVar[Callable[[], bool]] = ContextVar("is_unwanted", default=_never)


@contextmanager
def stoppable(is_unwanted: Callable[[], bool]) -> Iterator[None]:
    """Let this thread's encoding end early, by EncodingStoppedError, once it is unwanted."""
    token = _IS_UNWANTED.set(is_unwanted)
    try:
        yield
    finally:
        _IS_UNWANTED.reset(token)


def stop_if_unwanted() -> None:
    """Called by engines now and then while they encode.

    Raises:
        EncodingStoppedError: if this thread's result is not wanted any more.
    """
    if _IS_UNWANTED.get()():
        raise EncodingStoppedError("the features are no longer wanted")
