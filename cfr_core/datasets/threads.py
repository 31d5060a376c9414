"""Work on files in threads: decoding lets other threads run, so it scales with the cores."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cfr_core.types import OnProgress, Progress

Item = TypeVar("Item")
Result = TypeVar("Result")

_MAX_THREADS = 8


def map_in_threads(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    stage: str,
    unit: str,
    on_progress: OnProgress,
) -> list[Result]:
    """Results of a function for every item, in order.

    Each thread works on one item, so that memory holds few images at a time. An exception, or an
    interruption by the user, cancels what has not begun.

    Args:
        function: Called in several threads at once.
        items: Its arguments.
        stage: What is being done, in words for the screen.
        unit: What is counted, in the plural.
        on_progress: Called after every item, in the caller's thread.
    """
    pool = ThreadPoolExecutor(min(os.cpu_count() or 1, _MAX_THREADS))
    results: list[Result] = []
    try:
        for result in pool.map(function, items):
            results.append(result)
            on_progress(Progress(stage, len(results), len(items), unit))
    finally:
        pool.shutdown(cancel_futures=True)
    return results
