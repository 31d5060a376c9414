"""Rankings of a run, kept so that an edited mask asks for a repair and not for a new ranking.

They can be deleted at any time: the next update of the run then ranks everything anew.
"""

import logging
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cfr_core.audit.job import AuditJob
from cfr_core.audit.selection import retrieval_task
from cfr_core.audit.spec import AuditSpec
from cfr_core.errors import UndefinedAuditError
from cfr_core.retrieval.galleries import answerable
from cfr_core.retrieval.ranking import PositiveRanks, Ranking
from cfr_core.types import IntArray, Neighbours, RetrievalTask, View
from cfr_core.workspace.files import write_atomically

_LOG = logging.getLogger(__name__)

N_NEIGHBOURS_KEPT = 20
"""Neighbours of each query and view that a run keeps for looking at, at the least."""

Keys = npt.NDArray[np.str_]
"""(N,) text, the fingerprint of each row's vector in one view."""


@dataclass(frozen=True)
class KeptRankings:
    """What retrieval found in a run, and from which vectors.

    Attributes:
        row_ids: (N,) int64 ascending, benchmark rows that are in all views.
        keys: Fingerprints of their vectors in each view.
        rankings: What was found in each view; row numbers count `row_ids`.
    """

    row_ids: IntArray
    keys: Mapping[View, Keys]
    rankings: Mapping[View, Ranking]


def neighbours_kept(spec: AuditSpec) -> int:
    """Neighbours of each query and view that a run of this audit keeps."""
    return max(N_NEIGHBOURS_KEPT, *spec.ks)


def answerable_task(job: AuditJob) -> RetrievalTask:
    """Queries and galleries of an audit, without the queries that nothing can answer.

    Args:
        job: The audit, without the rows that could not be embedded.

    Raises:
        UndefinedAuditError: if no query is left.
    """
    task = answerable(retrieval_task(job.table, job.spec))
    if not len(task.query_rows):
        raise UndefinedAuditError(
            f"dataset {job.spec.dataset!r}: none of {len(job.table)} benchmark rows has another "
            "photo of its individual in its gallery, so nothing can be retrieved"
        )
    return task


def keep_rankings(cache_dir: Path, run_id: str, kept: KeptRankings) -> None:
    """Write the rankings of a run below a workspace's cache folder."""
    arrays: dict[str, np.ndarray] = {"row_ids": kept.row_ids}
    for view in View:
        arrays[f"{view}/keys"] = kept.keys[view].astype(np.bytes_)
        for part in (kept.rankings[view].neighbours, kept.rankings[view].positives):
            prefix = f"{view}/{type(part).__name__}/"
            arrays |= {f"{prefix}{name}": array for name, array in vars(part).items()}

    def write(temporary: Path) -> None:
        with temporary.open("wb") as stream:
            np.savez(stream, allow_pickle=False, **arrays)

    write_atomically(_path(cache_dir, run_id), write)


def read_rankings(cache_dir: Path, run_id: str) -> KeptRankings | None:
    """The rankings that `keep_rankings` has written, or None if they are not there or damaged."""
    path = _path(cache_dir, run_id)
    if not path.is_file():
        return None
    try:
        # Opened here, since numpy leaves a damaged file open.
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            return KeptRankings(
                row_ids=arrays["row_ids"],
                keys={view: arrays[f"{view}/keys"].astype(np.str_) for view in View},
                rankings={view: _ranking(arrays, view) for view in View},
            )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        _LOG.warning("rankings of run %s are damaged and are made anew (%s)", run_id, error)
        return None


def _ranking(arrays: Mapping[str, np.ndarray], view: View) -> Ranking:
    def part(kind: type) -> dict[str, np.ndarray]:
        names = kind.__dataclass_fields__  # type: ignore[attr-defined]
        return {name: arrays[f"{view}/{kind.__name__}/{name}"] for name in names}

    return Ranking(Neighbours(**part(Neighbours)), PositiveRanks(**part(PositiveRanks)))


def _path(cache_dir: Path, run_id: str) -> Path:
    return cache_dir / "rankings" / f"{run_id}.npz"
