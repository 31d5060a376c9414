"""A finished run in memory, with its rankings, its vectors, and the masks that they are of."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd

from cfr_core.audit.evaluate import Evaluation, evaluate_rankings, measured_fields
from cfr_core.audit.job import AuditJob, plan_in
from cfr_core.audit.live_rankings import LiveRankings
from cfr_core.audit.live_update import LiveUpdate, RowRanks
from cfr_core.audit.live_vectors import LiveVectors
from cfr_core.audit.next_state import write_state
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.rankings import Keys, keep_rankings, read_rankings
from cfr_core.audit.results import QUERIES_FILE
from cfr_core.audit.staleness import Staleness, differences, same_pixels
from cfr_core.audit.stored import read_job, read_profile, read_table
from cfr_core.audit.versions import library_versions
from cfr_core.errors import WorkspaceError
from cfr_core.types import IntArray, Mask, OnProgress, Progress, View
from cfr_core.workspace.store import RunRecord, Workspace
from cfr_core.workspace.vectors import vector_key

_LOG = logging.getLogger(__name__)

_KEPT_AFTER_ROWS = 16
"""Changed rows after which the rankings are written again, for the next program that asks."""


class LiveRun:
    """A run with its rankings, vectors and the masks that they are of.

    Attributes:
        profile: The run as it is stored.
    """

    def __init__(
        self, workspace: Workspace, vectors: LiveVectors, profile: EvidenceProfile
    ) -> None:
        """Read the run of a profile.

        Args:
            workspace: Open workspace.
            vectors: Embeds what is edited.
            profile: The run, as its folder has it.

        Raises:
            InputError: if a file of the run is missing or damaged.
        """
        self.profile = profile
        self._workspace = workspace
        self._vectors = vectors
        self._store = vectors.store(profile)
        self._folder = workspace.runs_dir / profile.run_id
        self._table = workspace.annotations(profile.dataset).table
        self._job = read_job(self._folder)
        self._spec = self._job.spec
        self._rankings = self._kept()
        self._masks = self._masks_of_rankings()
        self._n_not_kept = len(self._job.masks) - len(self._masks)

    def update(self, on_progress: OnProgress) -> LiveUpdate:
        """Bring the run to the masks of now, and store it.

        Args:
            on_progress: Told of every stage.

        Raises:
            InputError: if no row or query would be left, or a row cannot be embedded as the run
                was.
        """
        seconds: dict[str, float] = {}
        planned = plan_in(self._folder, self._workspace, self._spec)
        stale = differences(self._job, planned)
        if not stale.is_stale:
            return LiveUpdate(stale, self.profile, self.profile, {}, was_repaired=True)
        with _timed(seconds, "embed"):
            job, keys, n_embedded, n_changed = self._embedded(planned, on_progress)
        with _timed(seconds, "retrieve"):
            was_repaired = self._follow(job, keys, n_changed, on_progress)
        with _timed(seconds, "measure"):
            evaluation = evaluate_rankings(job, self._held.kept.rankings)
        before = self.profile
        ranks_before = _ranks(read_table(self._folder / QUERIES_FILE), stale)
        self._store_state(planned, job, evaluation, n_embedded=n_embedded, seconds=seconds)
        self._keep(n_changed, was_repaired=was_repaired)
        ranks_after = _ranks(evaluation.queries, stale)
        ranks = {
            row_id: RowRanks(ranks_before.get(row_id), ranks_after.get(row_id))
            for row_id in stale.row_ids
        }
        return LiveUpdate(stale, before, self.profile, ranks, was_repaired)

    def _store_state(
        self,
        planned: AuditJob,
        job: AuditJob,
        evaluation: Evaluation,
        *,
        n_embedded: int,
        seconds: dict[str, float],
    ) -> None:
        after = replace(
            self.profile,
            **measured_fields(job, evaluation),
            silhouette_role=job.silhouette_role,
            role_source=job.role_source,
            versions=library_versions(),
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
            n_embedded=n_embedded,
            seconds=seconds,
        )
        neighbours = {view: each.neighbours for view, each in self._held.kept.rankings.items()}
        write_state(planned, job, after, neighbours, evaluation)
        self.profile = read_profile(self._folder)  # as whoever looks will find it
        self._register()
        self._job = planned
        self._masks = {mask.row_id: mask for mask in job.masks}

    @property
    def _held(self) -> LiveRankings:
        if self._rankings is None:
            raise WorkspaceError("nothing has been ranked")
        return self._rankings

    def _kept(self) -> LiveRankings | None:
        kept = read_rankings(self._workspace.cache_dir, self.profile.run_id)
        if kept is None:
            return None
        try:
            return LiveRankings.loaded(kept, self._store)
        except WorkspaceError as error:
            _LOG.info("run %s is ranked anew: %s", self.profile.run_id, error)
            return None

    def _masks_of_rankings(self) -> dict[int, Mask]:
        """Masks by row id where the rankings are of the vectors that they make."""
        if self._rankings is None:
            return {}
        kept = self._rankings.kept
        key_of = dict(zip(kept.row_ids.tolist(), kept.keys[View.FOREGROUND].tolist(), strict=True))
        spec = next(spec for spec in self._spec.views if spec.view is View.FOREGROUND)
        return {
            crop.row_id: mask
            for crop, mask in zip(self._job.crops, self._job.masks, strict=True)
            if key_of.get(crop.row_id) == vector_key(crop, spec)
        }

    def _embedded(
        self, planned: AuditJob, on_progress: OnProgress
    ) -> tuple[AuditJob, dict[View, Keys], int, int]:
        """The job without what cannot be embedded, keys, vectors computed, rows that changed."""
        unknown = [
            row
            for row, mask in enumerate(planned.masks)
            if not same_pixels(self._masks.get(mask.row_id), mask)
        ]
        part = planned.only(unknown)
        found = self._vectors.embed(part, self.profile, self._store, on_progress)
        job = planned.without({unknown[row]: why for row, why in found.failures.items()})
        now = job.table["row_id"].to_numpy()
        edited = part.without(found.failures).table["row_id"].to_numpy()
        keys = {view: self._keys(view, now) for view in View}
        for view in View:
            keys[view][np.searchsorted(now, edited)] = found.keys[view]
        gone = np.setdiff1d(self._held.kept.row_ids, now) if self._rankings is not None else ()
        return job, keys, found.n_computed, len(edited) + len(gone)

    def _keys(self, view: View, row_ids: IntArray) -> Keys:
        """(n,) fingerprints of the rankings' vectors, empty for rows that they do not have."""
        keys = np.full(len(row_ids), "", dtype="U64")
        if self._rankings is not None:
            kept = self._rankings.kept
            _, now, then = np.intersect1d(row_ids, kept.row_ids, True, return_indices=True)
            keys[now] = kept.keys[view][then]
        return keys

    def _follow(
        self, job: AuditJob, keys: dict[View, Keys], n_changed: int, on_progress: OnProgress
    ) -> bool:
        """Bring the rankings to the job; True if they were repaired."""
        if self._rankings is None or not self._rankings.can_follow(n_changed):
            self._rankings = LiveRankings.ranked(
                job, keys, self._store, self._vectors.device, on_progress=on_progress
            )
            return False
        on_progress(Progress("Repairing the ranks", 0, n_changed, "rows"))
        self._rankings.follow(job, keys, self._store, self._table_of)
        return True

    def _table_of(self, row_ids: IntArray) -> pd.DataFrame:
        rows = np.searchsorted(self._table["row_id"].to_numpy(), row_ids)
        return self._table.iloc[rows].reset_index(drop=True)

    def _register(self) -> None:
        profile = self.profile
        self._workspace.register_run(
            RunRecord(profile.run_id, profile.dataset, profile.encoder["name"], profile.finished_at)
        )

    def _keep(self, n_changed: int, *, was_repaired: bool) -> None:
        """Write the rankings, unless those of before can still be repaired at little cost."""
        self._n_not_kept += n_changed
        if not was_repaired or self._n_not_kept > _KEPT_AFTER_ROWS:
            keep_rankings(self._workspace.cache_dir, self.profile.run_id, self._held.kept)
            self._n_not_kept = 0


def _ranks(queries: pd.DataFrame, stale: Staleness) -> dict[int, dict[View, int]]:
    """Ranks in each view of the queries among the rows that differ."""
    chosen = queries[queries["row_id"].isin(stale.row_ids)]
    return {
        query["row_id"]: {view: query[f"{view.value}_rank"] for view in View}
        for query in chosen.to_dict("records")
    }


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - start
