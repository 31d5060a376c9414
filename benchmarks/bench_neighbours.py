"""The ranking of an audit, all rows against all: beside faiss and a dense product, and memory."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable

import faiss
import torch

from benchmarks import peak_memory
from benchmarks.individuals import everyone, individuals
from benchmarks.table import Row
from cfr_core.retrieval import rank
from cfr_core.types import Float32Array, RetrievalTask

N_ROWS, DIM, K = 12_000, 1536, 10
_ROUNDS = 3


def rows() -> Iterable[Row]:
    """Measure the sides in turn; a ratio is the median of a few rounds."""
    vectors, codes = individuals(N_ROWS, DIM)
    task = everyone(codes)

    index = faiss.IndexFlatIP(DIM)
    index.add(vectors)
    # With itself among the neighbours, a query of faiss needs one more.
    yield _compared(vectors, task, "faiss IndexFlatIP", 0.55, lambda: index.search(vectors, K + 1))
    tensor = torch.from_numpy(vectors)
    yield _compared(vectors, task, "dense product and topk", 0.75, lambda: _dense(tensor))
    yield _memory()


def _compared(
    vectors: Float32Array,
    task: RetrievalTask,
    name: str,
    target: float,
    other: Callable[[], object],
) -> Row:
    """Nearest rows and the ranks of all positives, beside a search for nearest rows alone."""
    our_s, other_s, ratio = _in_turn(lambda: rank(vectors, task, K), other)
    what = f"{K} nearest rows and the ranks of all positives, N = {N_ROWS:,}, D = {DIM}"
    return Row(
        what, f"{our_s:.2f} s", f"{name}, rows alone {other_s:.2f} s", ratio, "at most", target
    )


def _dense(vectors: torch.Tensor) -> torch.Tensor:
    products = vectors @ vectors.T
    products.fill_diagonal_(-torch.inf)
    return products.topk(K, dim=1).indices


def _in_turn(ours: Callable[[], object], other: Callable[[], object]) -> tuple[float, float, float]:
    """Median seconds of both and median ratio of rounds in which one follows the other."""
    pairs = [(_seconds(ours), _seconds(other)) for _ in range(_ROUNDS)]
    our_s, other_s = (statistics.median(side) for side in zip(*pairs, strict=True))
    return our_s, other_s, statistics.median(one / two for one, two in pairs)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _memory() -> Row:
    """Peak of a fresh process, which holds nothing of this one's."""
    command = [sys.executable, "-m", peak_memory.__name__]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    beyond_mb = float(done.stdout)
    return Row(
        f"peak memory of N = {peak_memory.N_ROWS:,}, D = {peak_memory.DIM} with ranks",
        f"{beyond_mb:.0f} MB over the embeddings",
        f"allowance {peak_memory.ALLOWANCE_MB} MB",
        beyond_mb / peak_memory.ALLOWANCE_MB,
        "at most",
        1.0,
    )
