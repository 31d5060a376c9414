"""Running an audit: embed what is missing, retrieve in each view, measure, write the result."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from cfr_core.audit.embedding import StoredVectors, calibration_requests, embed_missing
from cfr_core.audit.evaluate import Evaluation, evaluate_rankings, measured_fields
from cfr_core.audit.job import AuditJob
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.rankings import (
    KeptRankings,
    answerable_task,
    keep_rankings,
    neighbours_kept,
)
from cfr_core.audit.results import save_results
from cfr_core.audit.spec import AuditSpec
from cfr_core.audit.versions import library_versions
from cfr_core.encoders.encoder import Encoder, load_encoder
from cfr_core.retrieval.ranking import Ranking, rank
from cfr_core.types import (
    DeviceChoice,
    OnProgress,
    Progress,
    View,
    no_progress,
)
from cfr_core.workspace.store import RunRecord, Workspace
from cfr_core.workspace.vectors import VectorStore


def run_audit(
    folder: Path,
    *,
    device: DeviceChoice = "auto",
    batch_size: int | None = None,
    on_progress: OnProgress = no_progress,
) -> EvidenceProfile:
    """Run the job of a folder and write its result there; it touches no database.

    Args:
        folder: Written by `prepare`.
        device: Where to embed and retrieve; "auto" takes a GPU that works, else the CPU.
        batch_size: Images in one forward pass, or None for what suits the device.
        on_progress: Told of every stage.

    Raises:
        UndefinedAuditError: if no query has another photo of its individual in its gallery.
        InputError: if the encoder, its weights or the device cannot be had.
    """
    job = AuditJob.read(folder)
    clock = _Clock()
    with clock.stage("load encoder"):
        encoder, store = _load(job, device, on_progress)
    with clock.stage("embed"):
        stored = embed_missing(job, encoder, store, batch_size=batch_size, on_progress=on_progress)
    job = job.without(stored.failures)
    with clock.stage("retrieve"):
        rankings = _retrieve(job, encoder, store, stored, on_progress)
    with clock.stage("measure"):
        evaluation = evaluate_rankings(job, rankings)
    neighbours = {view: ranking.neighbours for view, ranking in rankings.items()}
    profile = _profile(job, encoder, evaluation, stored.n_computed, clock.seconds)
    save_results(job, profile, neighbours, evaluation)
    keep_rankings(
        job.workspace_root / "cache",
        job.run_id,
        KeptRankings(
            row_ids=job.table["row_id"].to_numpy(),
            keys={view: np.array(keys) for view, keys in stored.keys.items()},
            rankings=rankings,
        ),
    )
    return profile


def register(workspace: Workspace, profile: EvidenceProfile) -> None:
    """Record a finished run in the workspace's database."""
    workspace.register_run(
        RunRecord(
            run_id=profile.run_id,
            dataset=profile.dataset,
            encoder=profile.encoder["name"],
            finished_at=profile.finished_at,
        )
    )


class _Clock:
    """Seconds of each stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def _load(
    job: AuditJob, device: DeviceChoice, on_progress: OnProgress
) -> tuple[Encoder, VectorStore]:
    root = job.workspace_root
    encoder = load_encoder(
        job.spec.encoder,
        root / "checkpoints",
        cache_dir=root / "cache",
        device=device,
        on_progress=on_progress,
        calibration=calibration_requests(job),
    )
    return encoder, VectorStore(root / "embeddings", encoder.spec, encoder.engine)


def _retrieve(
    job: AuditJob,
    encoder: Encoder,
    store: VectorStore,
    stored: StoredVectors,
    on_progress: OnProgress,
) -> dict[View, Ranking]:
    task, n_kept = answerable_task(job), neighbours_kept(job.spec)
    rankings: dict[View, Ranking] = {}
    for done, view in enumerate(View):
        on_progress(Progress("Retrieving", done, len(View), "views"))
        vectors = store.load(stored.keys[view])
        rankings[view] = rank(vectors, task, n_kept, device=encoder.device)
    on_progress(Progress("Retrieving", len(View), len(View), "views"))
    return rankings


def _profile(
    job: AuditJob,
    encoder: Encoder,
    evaluation: Evaluation,
    n_embedded: int,
    seconds: dict[str, float],
) -> EvidenceProfile:
    return EvidenceProfile(
        run_id=job.run_id,
        dataset=job.spec.dataset,
        encoder={**vars(encoder.spec), "fingerprint": encoder.spec.fingerprint},
        engine=encoder.engine,
        device=encoder.device,
        versions=library_versions(),
        protocol=_protocol(job.spec),
        silhouette_role=job.silhouette_role,
        role_source=job.role_source,
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        n_embedded=n_embedded,
        seconds=seconds,
        **measured_fields(job, evaluation),
    )


def _protocol(spec: AuditSpec) -> dict[str, Any]:
    words = (
        f"queries {spec.split[0]!r} against gallery {spec.split[1]!r}"
        if spec.split
        else "leave-one-out: every photo queries all others"
    )
    if spec.where:
        words += "; rows with " + ", ".join(f"{column} = {value}" for column, value in spec.where)
    if spec.exclude:
        words += f"; not those of the same {', '.join(spec.exclude)}"
    return {
        "words": words,
        "kind": "split" if spec.split else "leave-one-out",
        "split": list(spec.split) if spec.split else None,
        "exclude": list(spec.exclude),
        "where": [list(pair) for pair in spec.where],
        "fill_rgb": list(spec.fill_rgb),
        "silhouette_rgb": list(spec.silhouette_rgb),
        "intervals": f"95 %, bootstrap over identities, {spec.n_resamples} resamples",
        "n_resamples": spec.n_resamples,
        "seed": spec.seed,
    }
