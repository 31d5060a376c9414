"""The live audit: a finished run follows the masks while somebody edits them.

Only the vectors of edited rows are computed, and the rankings are repaired; the result is that of
the whole audit run again (CFR sec. 3.3 to 3.5), in a second where that takes minutes.
"""

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd

from cfr_core.audit.evaluate import evaluate_rankings, measured_fields
from cfr_core.audit.job import AuditJob, plan
from cfr_core.audit.live_rankings import LiveRankings
from cfr_core.audit.live_vectors import LiveVectors
from cfr_core.audit.next_state import finish_state, write_state
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.rankings import Keys, keep_rankings, read_rankings
from cfr_core.audit.results import QUERIES_FILE
from cfr_core.audit.staleness import Staleness, differences, same_pixels
from cfr_core.audit.stored import read_profile, read_spec, read_table
from cfr_core.audit.versions import library_versions
from cfr_core.errors import WorkspaceError
from cfr_core.types import (
    DeviceChoice,
    IntArray,
    Mask,
    OnProgress,
    Progress,
    View,
    no_progress,
)
from cfr_core.workspace.store import RunRecord, Workspace
from cfr_core.workspace.vectors import vector_key

_LOG = logging.getLogger(__name__)

_KEPT_AFTER_ROWS = 16
"""Changed rows after which the rankings are written again, for the next program that asks."""


@dataclass(frozen=True)
class RowRanks:
    """Rank of the first right photo of one query, 1 being the best, in each view.

    Attributes:
        before: Before the update; None if the row was no query.
        after: After it; None if the row is no query any more.
    """

    before: Mapping[View, int] | None
    after: Mapping[View, int] | None


@dataclass(frozen=True)
class LiveUpdate:
    """What an update of a run brought.

    Attributes:
        stale: The rows that were not what they are now.
        before: The run before it.
        after: The run after it, as stored.
        ranks: Of the rows that were edited, came or are gone, by row id.
        was_repaired: True if the rankings were repaired, False if all were made anew, which is
            slower and gives the same.
    """

    stale: Staleness
    before: EvidenceProfile
    after: EvidenceProfile
    ranks: Mapping[int, RowRanks]
    was_repaired: bool


class LiveAudits:
    """Keeps the run that is being followed ready in memory; threads may share it.

    With 20,000 rows of 1,280 numbers it holds half a gigabyte.
    """

    def __init__(self, workspace: Workspace, device: DeviceChoice = "auto") -> None:
        """Follow the runs of a workspace; nothing is loaded yet.

        Args:
            workspace: Open workspace.
            device: Where to embed.
        """
        self._workspace = workspace
        self._vectors = LiveVectors(workspace.root, device)
        self._lock = threading.Lock()
        self._run: _LiveRun | None = None

    def update(self, run_id: str, on_progress: OnProgress = no_progress) -> LiveUpdate:
        """Bring a finished run to the masks of now; it is stored, with its old profile beside it.

        Args:
            run_id: A run of the workspace.
            on_progress: Told of every stage.

        Raises:
            InputError: if the run cannot be read, or no row or query would be left.
            WeightsError, DeviceError: if an edited row cannot be embedded as the run was.
        """
        with self._lock:
            folder = self._workspace.runs_dir / run_id
            finish_state(folder)
            profile = read_profile(folder)
            run = self._run
            self._run = None  # let go of, if anything goes wrong
            if run is None or run.profile.to_json() != profile.to_json():
                run = _LiveRun(self._workspace, self._vectors, profile)
            update = run.update(on_progress)
            self._run = run
            return update


def update_run(
    workspace: Workspace,
    run_id: str,
    *,
    device: DeviceChoice = "auto",
    on_progress: OnProgress = no_progress,
) -> LiveUpdate:
    """Bring one finished run to the masks of now; see `LiveAudits.update`.

    Args:
        workspace: Open workspace.
        run_id: A run of it.
        device: Where to embed.
        on_progress: Told of every stage.
    """
    return LiveAudits(workspace, device).update(run_id, on_progress)


class _LiveRun:
    """A run with its rankings, vectors and the masks that they are of.

    Attributes:
        profile: The run as it is stored.
    """

    def __init__(
        self, workspace: Workspace, vectors: LiveVectors, profile: EvidenceProfile
    ) -> None:
        self.profile = profile
        self._workspace = workspace
        self._vectors = vectors
        self._store = vectors.store(profile)
        self._folder = workspace.runs_dir / profile.run_id
        self._spec = read_spec(self._folder)
        self._table = workspace.annotations(profile.dataset).table
        self._job = AuditJob.read(self._folder)
        self._rankings = self._kept()
        self._masks = self._masks_of_rankings()
        self._n_not_kept = 0

    def update(self, on_progress: OnProgress) -> LiveUpdate:
        seconds: dict[str, float] = {}
        planned = replace(plan(self._workspace, self._spec), folder=self._folder)
        stale = differences(self._job, planned)
        with _timed(seconds, "embed"):
            job, keys, n_embedded, n_changed = self._embedded(planned, on_progress)
        on_progress(Progress("Repairing the ranks", 0, 1, "steps"))
        with _timed(seconds, "retrieve"):
            was_repaired = self._follow(job, keys, n_changed)
        with _timed(seconds, "measure"):
            evaluation = evaluate_rankings(job, self._held.kept.rankings)
        before = self.profile
        ranks_before = _ranks(read_table(self._folder / QUERIES_FILE), stale)
        after = replace(
            before,
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
        self._masks = _by_row_id(job)
        self._keep(n_changed, was_repaired=was_repaired)
        on_progress(Progress("Repairing the ranks", 1, 1, "steps"))
        ranks_after = _ranks(evaluation.queries, stale)
        ranks = {
            row_id: RowRanks(ranks_before.get(row_id), ranks_after.get(row_id))
            for row_id in (*stale.changed, *stale.come, *stale.gone)
        }
        return LiveUpdate(stale, before, self.profile, ranks, was_repaired)

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

    def _follow(self, job: AuditJob, keys: dict[View, Keys], n_changed: int) -> bool:
        """Bring the rankings to the job; True if they were repaired."""
        if self._rankings is None or not self._rankings.can_follow(n_changed):
            self._rankings = LiveRankings.ranked(job, keys, self._store, self._vectors.device)
            return False
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


def _by_row_id(job: AuditJob) -> dict[int, Mask]:
    return {mask.row_id: mask for mask in job.masks}


def _ranks(queries: pd.DataFrame, stale: Staleness) -> dict[int, dict[View, int]]:
    """Ranks in each view of the queries among the rows that differ."""
    differing = (*stale.changed, *stale.come, *stale.gone)
    chosen = queries[queries["row_id"].isin(differing)]
    return {
        query["row_id"]: {view: query[f"{view.value}_rank"] for view in View}
        for query in chosen.to_dict("records")
    }


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - start
