"""Rankings that follow the rows and vectors of a run, in memory while somebody edits masks."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from cfr_core.audit.job import AuditJob
from cfr_core.audit.rankings import KeptRankings, Keys, answerable_task, neighbours_kept
from cfr_core.audit.selection import retrieval_task
from cfr_core.retrieval.galleries import answerable
from cfr_core.retrieval.ranking import Ranking, rank
from cfr_core.retrieval.repair import Change, repair
from cfr_core.types import (
    BoolArray,
    Float32Array,
    IntArray,
    OnProgress,
    Progress,
    RetrievalTask,
    View,
    no_progress,
)
from cfr_core.workspace.vectors import VectorStore

_NO_KEY = ""
_FEW_ROWS = 8
_FEW_IN_ALL = 100
"""Up to one row in a hundred a repair is cheaper than a new ranking by far."""


class LiveRankings:
    """Rankings of a run with the vectors that they were made from.

    An error while they follow leaves them of no use: make others then.

    Attributes:
        kept: The rankings, their rows, and the fingerprints of their vectors.
        vectors: (N, D) float32 unit rows of each view.
    """

    def __init__(self, kept: KeptRankings, vectors: dict[View, Float32Array]) -> None:
        """Hold rankings and vectors.

        Args:
            kept: Rankings of a run.
            vectors: (N, D) float32 unit rows of each view, which change with the run.
        """
        self.kept = kept
        self.vectors = vectors

    @classmethod
    def ranked(
        cls,
        job: AuditJob,
        keys: Mapping[View, Keys],
        store: VectorStore,
        device: str,
        *,
        on_progress: OnProgress = no_progress,
    ) -> "LiveRankings":
        """Rank everything, as a run does.

        Args:
            job: The audit, without the rows that could not be embedded.
            keys: Fingerprints of the rows' vectors in each view; all are stored.
            store: Where the vectors are.
            device: Where to multiply: "cpu", "cuda" or "mps".
            on_progress: Told the views done.

        Raises:
            UndefinedAuditError: if no query is left.
        """
        task, k = answerable_task(job), neighbours_kept(job.spec)
        vectors: dict[View, Float32Array] = {}
        rankings: dict[View, Ranking] = {}
        for done, view in enumerate(View):
            on_progress(Progress("Ranking anew", done, len(View), "views"))
            vectors[view] = store.load(keys[view].tolist())
            rankings[view] = rank(vectors[view], task, k, device=device)
        return cls(KeptRankings(_row_ids(job), keys, rankings), vectors)

    @classmethod
    def loaded(cls, kept: KeptRankings, store: VectorStore) -> "LiveRankings":
        """Rankings that a run has kept, with their vectors.

        Raises:
            WorkspaceError: if a vector is no longer stored.
        """
        return cls(kept, {view: store.load(kept.keys[view].tolist()) for view in View})

    def can_follow(self, n_changed: int) -> bool:
        """True if so few rows changed that a repair is quicker than a new ranking."""
        return n_changed <= max(_FEW_ROWS, len(self.kept.row_ids) // _FEW_IN_ALL)

    def follow(
        self,
        job: AuditJob,
        keys: Mapping[View, Keys],
        store: VectorStore,
        table_of: Callable[[IntArray], pd.DataFrame],
    ) -> None:
        """Repair the rankings; they then are what `ranked` gives.

        Args:
            job: The audit as it is now, without the rows that could not be embedded.
            keys: Fingerprints of its rows' vectors in each view; all are stored.
            store: Where the vectors are.
            table_of: Annotations by (n,) row ids, in their order, of rows now and before.

        Raises:
            UndefinedAuditError: if no query is left.
        """
        answerable_task(job)
        numbering = _Numbering.of(self.kept.row_ids, _row_ids(job))
        task = retrieval_task(table_of(numbering.row_ids), job.spec)
        # The store is no matter for several threads; what takes time comes after.
        loaded = {view: self._changed(view, keys[view], store, numbering) for view in View}
        # A view a thread; threads of BLAS beside them would mostly wait for each other.
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(len(View)) as pool:
            found = pool.map(
                lambda view: self._followed(view, *loaded[view], numbering, task), View
            )
            rankings, vectors = zip(*found, strict=True)
        self.vectors = dict(zip(View, vectors, strict=True))
        self.kept = KeptRankings(_row_ids(job), keys, dict(zip(View, rankings, strict=True)))

    def _changed(
        self, view: View, keys: Keys, store: VectorStore, numbering: "_Numbering"
    ) -> tuple["_Changed", Float32Array]:
        before = numbering.spread(self.kept.keys[view], numbering.before)
        now = numbering.spread(keys, numbering.now)
        rows = np.flatnonzero(before != now)
        changed = _Changed(rows, before[rows] != _NO_KEY, now[rows] != _NO_KEY)
        return changed, store.load(now[rows[changed.is_here]].tolist())

    def _followed(
        self,
        view: View,
        changed: "_Changed",
        new_vectors: Float32Array,
        numbering: "_Numbering",
        everyone: RetrievalTask,
    ) -> tuple[Ranking, Float32Array]:
        before, vectors = self.kept.rankings[view], numbering.with_room(self.vectors[view])
        if not len(changed.rows):
            return before, vectors
        vectors_before = vectors[changed.rows]
        vectors[changed.rows[changed.is_here]] = new_vectors
        # Whoever came had no vector before; any will do.
        has_come = ~changed.was_here
        vectors_before[has_come] = vectors[changed.rows[has_come]]
        was_in_gallery = changed.was_here & np.isin(changed.rows, everyone.gallery_rows)
        repaired = repair(
            before.renumbered(numbering.before),
            vectors,
            numbering.task_now(everyone),
            Change(changed.rows, vectors_before, was_in_gallery),
        )
        return numbering.back(repaired), numbering.without_gone(vectors)


@dataclass(frozen=True)
class _Changed:
    """Rows of one view that are not what they were.

    Attributes:
        rows: (C,) int64 numbers of all rows that changed, came or are gone.
        was_here: (C,) bool, False for those that came.
        is_here: (C,) bool, False for those that are gone.
    """

    rows: IntArray
    was_here: BoolArray
    is_here: BoolArray


@dataclass(frozen=True)
class _Numbering:
    """Numbers for the rows of before and of now together.

    Attributes:
        row_ids: (U,) int64 ascending, all rows.
        before: (N,) int64 number of each row of before.
        now: (M,) int64 number of each row of now.
    """

    row_ids: IntArray
    before: IntArray
    now: IntArray

    @classmethod
    def of(cls, before: IntArray, now: IntArray) -> "_Numbering":
        row_ids = np.union1d(before, now)
        return cls(row_ids, np.searchsorted(row_ids, before), np.searchsorted(row_ids, now))

    def spread(self, keys: Keys, numbers: IntArray) -> Keys:
        """(U,) keys, empty where a row has none."""
        spread = np.full(len(self.row_ids), _NO_KEY, dtype=keys.dtype)
        spread[numbers] = keys
        return spread

    def with_room(self, vectors: Float32Array) -> Float32Array:
        """(U, D) vectors of before; the same array where no row has come."""
        if len(self.before) == len(self.row_ids):
            return vectors
        # Zeros would be no unit vectors, and are overwritten.
        wider = np.zeros((len(self.row_ids), vectors.shape[1]), dtype=np.float32)
        wider[self.before] = vectors
        return wider

    def without_gone(self, vectors: Float32Array) -> Float32Array:
        """(M, D) vectors of now, from those of all rows."""
        return vectors if len(self.now) == len(self.row_ids) else vectors[self.now]

    def task_now(self, everyone: RetrievalTask) -> RetrievalTask:
        """Queries that can be answered and galleries of now, of a task of all rows."""
        is_now = np.zeros(len(self.row_ids), dtype=np.bool_)
        is_now[self.now] = True
        return _answerable_among(everyone, is_now)

    def back(self, ranking: Ranking) -> Ranking:
        """A ranking of all rows, which holds those of now alone, in the numbers of now."""
        numbers = np.full(len(self.row_ids), -1, dtype=np.int64)
        numbers[self.now] = np.arange(len(self.now))
        return ranking.renumbered(numbers)


def _answerable_among(task: RetrievalTask, is_there: BoolArray) -> RetrievalTask:
    return answerable(
        replace(
            task,
            query_rows=task.query_rows[is_there[task.query_rows]],
            gallery_rows=task.gallery_rows[is_there[task.gallery_rows]],
        )
    )


def _row_ids(job: AuditJob) -> IntArray:
    row_ids: IntArray = job.table["row_id"].to_numpy()
    return row_ids
