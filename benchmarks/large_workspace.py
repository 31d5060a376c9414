"""A workspace of many rows over a few repeated photos, with two finished audits of all of them.

Pages cannot tell it from a grown one: everything is stored by the functions that store real
imports and runs. Only vectors and neighbours are made up, since finding them takes hours and shows
nothing of a page's speed.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from cfr_core.audit.demo import checked_demo
from cfr_core.audit.evaluate import Evaluation, evaluate
from cfr_core.audit.job import AuditJob, prepare
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.rankings import N_NEIGHBOURS_KEPT
from cfr_core.audit.results import save_results
from cfr_core.audit.run import register
from cfr_core.audit.spec import AuditSpec
from cfr_core.datasets.records import Annotations, ImportReport, ImportResult
from cfr_core.demo.presets import preset
from cfr_core.types import EncoderSpec, IntArray, Neighbours, View, no_progress
from cfr_core.workspace.store import Workspace
from cfr_core.workspace.vectors import VectorStore, vector_key

DATASET: Final = "large"
ENCODERS: Final = ("effnet-lite0", "miewid-msv3")
_PHOTOS_EACH: Final = 5
_ENGINE: Final = "made"
_DIM: Final = 16
_ROWS_A_BLOCK: Final = 256
_GREY: Final = ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
"""Mean and spread of the pixels of an encoder's inputs."""
_MEAN_RANK: Final = {
    View.FULL: 2.0,
    View.FOREGROUND: 6.0,
    View.SHORTCUT: 3.0,
    View.SILHOUETTE: 40.0,
}
"""About where the first right photo is found in each view."""


def make_large_workspace(root: Path, n_rows: int) -> tuple[str, ...]:
    """Make the workspace.

    Args:
        root: Folder to make it in.
        n_rows: Rows of its dataset, five of each individual.

    Returns:
        Ids of the two runs, one of each encoder.
    """
    with Workspace(root) as workspace:
        workspace.add_dataset(large_dataset(root, n_rows))
        return tuple(
            _made_run(workspace, AuditSpec(DATASET, encoder), seed=seed)
            for seed, encoder in enumerate(ENCODERS)
        )


def large_dataset(root: Path, n_rows: int) -> ImportResult:
    """A dataset whose rows repeat a few drawn photos, with their exact masks."""
    recipe = replace(preset("leaky"), n_identities=6, n_photos=2, n_encounters=1)
    few = checked_demo(recipe, root, no_progress)
    row = np.arange(n_rows)
    table = few.annotations.table.iloc[row % len(few.annotations)].reset_index(drop=True)
    individual, encounter = row // _PHOTOS_EACH, row // 2
    table = table.assign(
        row_id=row,
        source_row=row + 1,
        identity=pd.array([f"animal {number:05d}" for number in individual], "string"),
        encounter=pd.array([f"visit {number}" for number in encounter], "string"),
        captured_at=pd.Timestamp("2020-01-01") + pd.to_timedelta(encounter * 6, "h"),
    ).astype({"captured_at": "datetime64[s]"})
    masks = tuple(replace(few.masks[i % len(few.masks)], row_id=i) for i in row.tolist())
    card = replace(few.card, name=DATASET)
    report = ImportReport(n_rows, n_rows, n_rows, ())
    return ImportResult(card, Annotations(table), masks, report)


def _made_run(workspace: Workspace, spec: AuditSpec, *, seed: int) -> str:
    job = prepare(workspace, spec)
    codes = pd.factorize(job.table["identity"])[0]
    rng = np.random.default_rng(seed)
    found = {view: _made_neighbours(codes, _MEAN_RANK[view], rng) for view in View}
    precisions = {view: 1.0 / found[view].first_hit_rank for view in View}
    evaluation = evaluate(job, found, precisions)
    encoder = EncoderSpec(spec.encoder, "made", "", 224, *_GREY, "bicubic", _DIM, "none")
    _store_vectors(job, encoder, rng)
    profile = _profile(job, encoder, evaluation)
    save_results(job, profile, found, evaluation)
    register(workspace, profile)
    return profile.run_id


def _made_neighbours(codes: IntArray, mean_rank: float, rng: np.random.Generator) -> Neighbours:
    """Random rows, with a row of the query's own individual at a random rank."""
    n = len(codes)
    query = np.arange(n)
    rank = np.minimum(rng.geometric(1.0 / mean_rank, n), n - 1)
    right = _other_of_same(query, n)
    rows = rng.integers(0, n, (n, N_NEIGHBOURS_KEPT), dtype=np.int32)
    near = rank <= N_NEIGHBOURS_KEPT
    rows[near, rank[near] - 1] = right[near]
    scores = np.sort(rng.uniform(0.2, 1.0, rows.shape).astype(np.float32), axis=1)[:, ::-1]
    n_same = np.bincount(codes)[codes] - 1
    return Neighbours(
        query_rows=query,
        rows=rows,
        scores=scores,
        first_hit_rank=rank.astype(np.int32),
        first_hit_row=right,
        n_positives=n_same.astype(np.int32),
        n_gallery=np.full(n, n - 1, np.int32),
    )


def _other_of_same(query: IntArray, n: int) -> IntArray:
    """The next row of the same individual, the first one after its last."""
    first = query - query % _PHOTOS_EACH
    n_same = np.minimum(_PHOTOS_EACH, n - first)
    return np.asarray(first + (query - first + 1) % n_same)


def _store_vectors(job: AuditJob, encoder: EncoderSpec, rng: np.random.Generator) -> None:
    """Random unit vectors for every row in every view, in blocks as an audit stores them."""
    store = VectorStore(job.workspace_root / "embeddings", encoder, _ENGINE)
    for start in range(0, len(job.crops), _ROWS_A_BLOCK):
        crops = job.crops[start : start + _ROWS_A_BLOCK]
        keys = [vector_key(crop, view) for crop in crops for view in crop.views]
        vectors = rng.standard_normal((len(keys), _DIM), np.float32)
        store.append(keys, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _profile(job: AuditJob, encoder: EncoderSpec, evaluation: Evaluation) -> EvidenceProfile:
    protocol: Mapping[str, object] = {
        "words": "leave-one-out: every photo queries all others",
        "kind": "leave-one-out",
        "fill_rgb": list(job.spec.fill_rgb),
        "silhouette_rgb": list(job.spec.silhouette_rgb),
    }
    return EvidenceProfile(
        run_id=job.run_id,
        dataset=job.spec.dataset,
        encoder={**vars(encoder), "fingerprint": encoder.fingerprint},
        engine=_ENGINE,
        device="cpu",
        versions={},
        protocol=dict(protocol),
        silhouette_role=job.silhouette_role,
        role_source=job.role_source,
        n_rows=job.n_rows,
        n_benchmark_rows=len(job.table),
        n_queries=evaluation.n_queries,
        n_identities=evaluation.n_identities,
        left_out={},
        not_asked=evaluation.not_asked,
        by_k=evaluation.by_k,
        mean_average_precision=evaluation.mean_average_precision,
        suspicious=evaluation.suspicious,
        finished_at="2026-01-01T12:00:00+00:00",
        n_embedded=0,
        seconds={},
    )
