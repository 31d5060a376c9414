"""Running an audit: embed what is missing, retrieve in each view, measure, write the result."""

import importlib.metadata
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from cfr_core.audit.embedding import StoredVectors, calibration_requests, embed_missing
from cfr_core.audit.evaluate import Evaluation, evaluate
from cfr_core.audit.job import AuditJob
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.results import save_results
from cfr_core.audit.selection import retrieval_task
from cfr_core.audit.spec import AuditSpec
from cfr_core.encoders.encoder import Encoder, load_encoder
from cfr_core.errors import UndefinedAuditError
from cfr_core.retrieval.galleries import answerable
from cfr_core.retrieval.neighbours import average_precisions, nearest_neighbours
from cfr_core.types import (
    DeviceChoice,
    FloatArray,
    Neighbours,
    OnProgress,
    Progress,
    View,
    no_progress,
)
from cfr_core.workspace.store import RunRecord, Workspace
from cfr_core.workspace.vectors import VectorStore

N_NEIGHBOURS_KEPT = 20
"""Neighbours of each query and view that a run keeps for looking at, at the least."""

_LIBRARIES = ("cfr-auditor", "numpy", "onnxruntime", "pillow", "timm", "torch", "torchvision")


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
    job = _without_failures(job, stored)
    with clock.stage("retrieve"):
        neighbours, precisions = _retrieve(job, encoder, store, stored, on_progress)
    with clock.stage("measure"):
        evaluation = evaluate(job, neighbours, precisions)
    profile = _profile(job, encoder, evaluation, stored.n_computed, clock.seconds)
    save_results(job, profile, neighbours, evaluation)
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


def _without_failures(job: AuditJob, stored: StoredVectors) -> AuditJob:
    """The job with the rows that could not be embedded among those left out."""
    if not stored.failures:
        return job
    failed = sorted(stored.failures)
    more = job.table.loc[failed, ["row_id", "path"]].assign(
        reason=[stored.failures[row].value for row in failed]
    )
    return replace(
        job,
        table=job.table.loc[stored.rows].reset_index(drop=True),
        masks=tuple(job.masks[row] for row in stored.rows),
        left_out=pd.concat([job.left_out, more], ignore_index=True),
    )


def _retrieve(
    job: AuditJob,
    encoder: Encoder,
    store: VectorStore,
    stored: StoredVectors,
    on_progress: OnProgress,
) -> tuple[dict[View, Neighbours], dict[View, FloatArray]]:
    task = answerable(retrieval_task(job.table, job.spec))
    if not len(task.query_rows):
        raise UndefinedAuditError(
            f"dataset {job.spec.dataset!r}: none of {len(job.table)} benchmark rows has another "
            "photo of its individual in its gallery, so nothing can be retrieved"
        )
    k = max(N_NEIGHBOURS_KEPT, *job.spec.ks)
    neighbours: dict[View, Neighbours] = {}
    precisions: dict[View, FloatArray] = {}
    for done, view in enumerate(View):
        on_progress(Progress("Retrieving", done, len(View), "views"))
        vectors = store.load(stored.keys[view])
        neighbours[view] = nearest_neighbours(vectors, task, k, device=encoder.device)
        precisions[view] = average_precisions(vectors, task, device=encoder.device)
    on_progress(Progress("Retrieving", len(View), len(View), "views"))
    return neighbours, precisions


def _profile(
    job: AuditJob,
    encoder: Encoder,
    evaluation: Evaluation,
    n_embedded: int,
    seconds: dict[str, float],
) -> EvidenceProfile:
    left_out = job.left_out["reason"].value_counts()
    return EvidenceProfile(
        run_id=job.run_id,
        dataset=job.spec.dataset,
        encoder={**vars(encoder.spec), "fingerprint": encoder.spec.fingerprint},
        engine=encoder.engine,
        device=encoder.device,
        versions={name: _version(name) for name in _LIBRARIES},
        protocol=_protocol(job.spec),
        silhouette_role=job.silhouette_role,
        role_source=job.role_source,
        n_rows=job.n_rows,
        n_benchmark_rows=len(job.table),
        n_queries=evaluation.n_queries,
        n_identities=evaluation.n_identities,
        left_out={str(reason): int(count) for reason, count in left_out.items()},
        not_asked=evaluation.not_asked,
        by_k=evaluation.by_k,
        mean_average_precision=evaluation.mean_average_precision,
        suspicious=evaluation.suspicious,
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        n_embedded=n_embedded,
        seconds=seconds,
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


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
