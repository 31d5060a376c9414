"""Finished runs over a made dataset, without an encoder: only the vectors are made up.

Each individual has a direction of its own; a run says how much of it every view shows.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from cfr_core.audit.evaluate import evaluate
from cfr_core.audit.job import AuditJob, prepare
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.results import save_results
from cfr_core.audit.run import register
from cfr_core.audit.selection import retrieval_task
from cfr_core.audit.spec import AuditSpec
from cfr_core.retrieval import answerable, rank
from cfr_core.types import EncoderSpec, View
from cfr_core.workspace.store import Workspace

N_KEPT = 20
DIM = 32

SCENERY = {View.FULL: 0.45, View.FOREGROUND: 0.0, View.SHORTCUT: 0.45, View.SILHOUETTE: 0.0}
"""How much of an individual's direction each view shows: here its surroundings show it."""

ANIMAL = {View.FULL: 0.45, View.FOREGROUND: 0.45, View.SHORTCUT: 0.0, View.SILHOUETTE: 0.0}


def made_run(
    workspace: Workspace,
    spec: AuditSpec,
    signal: Mapping[View, float] = SCENERY,
    *,
    finished_at: str = "2026-01-01T12:00:00+00:00",
) -> EvidenceProfile:
    """A run of a dataset of the workspace, stored and registered."""
    job = prepare(workspace, spec)
    vectors = {view: drawn_vectors(job.table, signal[view], i) for i, view in enumerate(View)}
    task = answerable(retrieval_task(job.table, spec))
    rankings = {view: rank(vectors[view], task, N_KEPT) for view in View}
    found = {view: ranking.neighbours for view, ranking in rankings.items()}
    evaluation = evaluate(
        job, found, {view: ranking.average_precisions for view, ranking in rankings.items()}
    )
    profile = _profile(job, evaluation, finished_at)
    save_results(job, profile, found, evaluation)
    register(workspace, profile)
    return profile


def drawn_vectors(table: pd.DataFrame, signal: float, seed: int) -> np.ndarray:
    """(N, D) float32 unit rows: an individual's direction and noise."""
    rng = np.random.default_rng(seed)
    codes = pd.factorize(table["identity"])[0]
    own = rng.standard_normal((codes.max() + 1, DIM))[codes]
    mixed = signal * own + (1 - signal) * rng.standard_normal((len(table), DIM))
    return (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)


def _encoder(name: str) -> EncoderSpec:
    return EncoderSpec(name, "made", "0" * 64, 224, (0.5,) * 3, (0.5,) * 3, "bicubic", DIM, "none")


def _profile(job: AuditJob, evaluation, finished_at: str) -> EvidenceProfile:
    words = "leave-one-out: every photo queries all others"
    if job.spec.exclude:
        words += f"; not those of the same {', '.join(job.spec.exclude)}"
    return EvidenceProfile(
        run_id=job.run_id,
        dataset=job.spec.dataset,
        encoder=vars(_encoder(job.spec.encoder)),
        engine="made",
        device="no device",
        versions={},
        protocol={
            "words": words,
            "fill_rgb": list(job.spec.fill_rgb),
            "silhouette_rgb": list(job.spec.silhouette_rgb),
        },
        silhouette_role=job.silhouette_role,
        role_source=job.role_source,
        n_rows=job.n_rows,
        n_benchmark_rows=len(job.table),
        n_queries=evaluation.n_queries,
        n_identities=evaluation.n_identities,
        left_out=job.left_out["reason"].value_counts().to_dict(),
        not_asked=evaluation.not_asked,
        by_k=evaluation.by_k,
        mean_average_precision=evaluation.mean_average_precision,
        suspicious=evaluation.suspicious,
        finished_at=finished_at,
        n_embedded=0,
        seconds={},
    )
