"""Prints the megabytes that an audit's ranking takes beyond the embeddings, in its own process."""

import resource
import sys
from pathlib import Path

from benchmarks.individuals import everyone, individuals
from cfr_core.retrieval import rank

N_ROWS, DIM, K = 50_000, 512, 10
ALLOWANCE_MB = 600
_BYTES_IN_MB = 1e6


def main() -> None:
    """Rank once; the interpreter and its libraries count, the embeddings do not."""
    vectors, codes = individuals(N_ROWS, DIM)
    rank(vectors, everyone(codes), K)
    print((_peak_bytes() - vectors.nbytes) / _BYTES_IN_MB)


def _peak_bytes() -> int:
    status = Path("/proc/self/status")
    if status.is_file():
        # Unlike ru_maxrss this does not start at what the parent process held.
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main()
