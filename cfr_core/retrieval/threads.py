"""Work on all cores: a thread of ours on each, with BLAS on one, since BLAS lets most of them wait.

Between two products of BLAS its other threads have nothing to do, and what comes there takes as
long as the product itself unless other threads of ours multiply meanwhile.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_MOST_THREADS = 8
"""Python itself is one at a time: of more threads some would wait for each other."""


def map_on_cores(function: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
    """A function's results for items in their order, from as many threads as BLAS may use.

    Args:
        function: May be called by several threads at once.
        items: What it is called with.
    """
    blas = _blas()
    n_cores = max((int(library["num_threads"]) for library in blas.info()), default=1)
    n_threads = min(n_cores, _MOST_THREADS, len(items))
    if n_threads <= 1:
        return [function(item) for item in items]
    with blas.limit(limits=n_cores // n_threads), ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, items))


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
