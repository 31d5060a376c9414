"""A whole audit on real photos, held to numbers that were measured independently."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cfr_core.audit.job import AuditJob, prepare
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.run import register, run_audit
from cfr_core.audit.selection import retrieval_task
from cfr_core.audit.spec import AuditSpec
from cfr_core.datasets.check import check
from cfr_core.datasets.sources import read_source
from cfr_core.encoders.encoder import Encoder, load_encoder
from cfr_core.encoders.pipeline import embed
from cfr_core.metrics import retrieval_at_k
from cfr_core.retrieval.galleries import answerable
from cfr_core.retrieval.ranking import rank
from cfr_core.types import Region, View
from cfr_core.workspace.store import Workspace

N_QUERIES = 215
MEASURED_AT_1 = {
    View.FULL: 0.2837,
    View.FOREGROUND: 0.2465,
    View.SHORTCUT: 0.2279,
    View.SILHOUETTE: 0.1442,
}
"""R@1 of efficientnet-lite0 on the pigs, by a script that shares no code with the product."""


@pytest.fixture(scope="module")
def job(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> AuditJob:
    """The pigs, imported and ready to audit."""
    result = check(read_source(shared_data / "pigs_faro_masks"), name="pigs")
    with Workspace(tmp_path_factory.mktemp("workspace")) as workspace:
        workspace.add_dataset(result)
        return prepare(workspace, AuditSpec("pigs", "effnet-lite0"))


@pytest.fixture(scope="module")
def profile(job: AuditJob) -> EvidenceProfile:
    """The audit of the pigs by the default encoder."""
    profile = run_audit(job.folder)
    with Workspace(job.workspace_root) as workspace:
        register(workspace, profile)
        assert [run.run_id for run in workspace.runs()] == [job.run_id]
    return profile


def test_the_pigs_give_the_measured_rates(profile: EvidenceProfile) -> None:
    rates = profile.by_k[1]
    assert profile.n_queries == N_QUERIES
    assert profile.n_identities == 43
    assert rates.random == pytest.approx(0.01869, abs=1e-5)
    one_query = 1 / N_QUERIES + 1e-4
    for view, measured in MEASURED_AT_1.items():
        assert rates.retrieval[view] == pytest.approx(measured, abs=one_query), view


def test_the_pigs_are_recognised_by_their_surroundings(profile: EvidenceProfile) -> None:
    rates = profile.by_k[1]
    assert rates.cfr == pytest.approx(0.23, abs=0.01)
    assert rates.ssi == pytest.approx(0.79, abs=0.02)
    assert rates.region is Region.SHORTCUT_DRIVEN
    low, high = rates.intervals["ssi"]
    assert low < rates.ssi <= high


def test_the_suspicious_matches_are_what_they_are_called(profile: EvidenceProfile) -> None:
    assert profile.suspicious
    for match in profile.suspicious:
        assert Path(match.query_file).parts[1] == Path(match.match_file).parts[1] == match.identity
        assert match.foreground_rank > 1


@pytest.fixture(scope="module")
def fastest(job: AuditJob, profile: EvidenceProfile) -> Encoder:
    """The encoder on the engine that the audit chose."""
    encoder = _load(job)
    assert encoder.engine == profile.engine
    return encoder


def _load(job: AuditJob, cache: str = "cache") -> Encoder:
    root = job.workspace_root
    return load_encoder(job.spec.encoder, root / "checkpoints", cache_dir=root / cache)


def _ranks(job: AuditJob, encoder: Encoder, batch_size: int, rows: slice) -> np.ndarray:
    """(4, Q) first-hit ranks of a part of the pigs."""
    batches = list(embed(job.crops[rows], encoder, batch_size=batch_size))
    views = np.array([spec.view for batch in batches for spec in batch.views])
    vectors = np.concatenate([batch.vectors for batch in batches])
    table = job.table.iloc[rows].reset_index(drop=True)
    task = answerable(retrieval_task(table, job.spec))
    return np.stack(
        [rank(vectors[views == view], task, 5).neighbours.first_hit_rank for view in View]
    )


def test_batch_size_engine_and_threads_change_no_metric(job: AuditJob, fastest: Encoder) -> None:
    rows = slice(0, 60)
    plain = _load(job, cache="empty")  # no measurement there, so PyTorch in float32 runs
    assert plain.engine != fastest.engine
    expected = _ranks(job, plain, 8, rows)
    n_threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        others = [_ranks(job, plain, 3, rows), _ranks(job, fastest, 8, rows)]
    finally:
        torch.set_num_threads(n_threads)
    for ranks in others:
        for k in (1, 5, 10):
            np.testing.assert_array_equal(
                [retrieval_at_k(view_ranks, k) for view_ranks in ranks],
                [retrieval_at_k(view_ranks, k) for view_ranks in expected],
            )
