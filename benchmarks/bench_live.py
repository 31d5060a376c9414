"""A run that follows the masks: from new vectors of a few edited rows to the stored result."""

import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.individuals import everyone, individuals
from benchmarks.table import Row
from cfr_core.audit.evaluate import evaluate_rankings, measured_fields
from cfr_core.audit.job import AuditJob
from cfr_core.audit.live_rankings import LiveRankings
from cfr_core.audit.next_state import write_state
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.rankings import N_NEIGHBOURS_KEPT, KeptRankings, Keys
from cfr_core.audit.results import save_results
from cfr_core.audit.spec import AuditSpec
from cfr_core.masks.rle import encode
from cfr_core.retrieval.ranking import rank
from cfr_core.types import EncoderSpec, Float32Array, Mask, MaskStatus, SilhouetteRole, View
from cfr_core.workspace.vectors import VectorStore

N_ROWS, DIM, N_EDITED = 20_000, 1280, 5
_SIZES = f"N = {N_ROWS:,}, D = {DIM}, {N_EDITED} edited rows"
_ROUNDS = 3
_LIMIT_S = 1.0
_MASKED = [view for view in View if view is not View.FULL]
_ENCODER = EncoderSpec("made", "made", "", 224, (0.5,) * 3, (0.5,) * 3, "bicubic", DIM, "none")


def rows() -> Iterable[Row]:
    """Measure edits of other rows in turn; the middle one counts."""
    vectors, codes = individuals(N_ROWS, DIM)
    start = time.perf_counter()
    ranking = rank(vectors, everyone(codes), N_NEIGHBOURS_KEPT)
    # All views have the same vectors here, so that only one is ranked.
    ranked_s = len(_MASKED) * (time.perf_counter() - start)
    with tempfile.TemporaryDirectory() as folder:
        job = _job(Path(folder) / "runs" / "made", codes)
        store = VectorStore(Path(folder) / "embeddings", _ENCODER, "made")
        keys = {view: np.array([f"{view:.3}{row:061d}" for row in range(N_ROWS)]) for view in View}
        kept = KeptRankings(np.arange(N_ROWS), keys, dict.fromkeys(View, ranking))
        live = LiveRankings(kept, {view: vectors.copy() for view in View})
        profile = _stored(job, live)
        times = [_edit(job, live, store, profile, seed) for seed in range(_ROUNDS)]
    repaired_s, measured_s, written_s = np.median(times, axis=0)
    yield Row(
        f"ranks of 3 masked views repaired, {_SIZES}",
        f"{repaired_s:.2f} s",
        f"ranked anew {ranked_s:.1f} s",
        repaired_s / ranked_s,
        "at most",
        0.05,
    )
    yield Row(
        f"the same, {_SIZES}",
        f"{repaired_s:.2f} s",
        f"limit {_LIMIT_S:.0f} s",
        repaired_s / _LIMIT_S,
        "at most",
        1.0,
    )
    whole_s = repaired_s + measured_s + written_s
    yield Row(
        f"the same with intervals ({measured_s:.2f} s) and files ({written_s:.2f} s), {_SIZES}",
        f"{whole_s:.2f} s",
        f"limit {_LIMIT_S:.0f} s",
        whole_s / _LIMIT_S,
        "at most",
        1.0,
    )


def _job(folder: Path, codes: np.ndarray) -> AuditJob:
    table = pd.DataFrame(
        {
            "row_id": np.arange(N_ROWS),
            "path": pd.array([f"photo_{row:06d}.jpg" for row in range(N_ROWS)], "string"),
            "identity": pd.array([f"individual {code}" for code in codes], "string"),
        }
    )
    pixels = np.hypot(*np.mgrid[-300:300, -400:400]) < 200
    counts = encode(pixels)
    masks = tuple(
        Mask(row, (600, 800), counts, "made", MaskStatus.ACCEPTED) for row in range(N_ROWS)
    )
    left_out = pd.DataFrame({"row_id": [], "path": [], "reason": []})
    spec = AuditSpec("made", "made")
    role = SilhouetteRole.SHORTCUT
    return AuditJob(folder, spec, folder, role, "given", N_ROWS, table, masks, left_out)


def _stored(job: AuditJob, live: LiveRankings) -> EvidenceProfile:
    evaluation = evaluate_rankings(job, live.kept.rankings)
    profile = EvidenceProfile(
        run_id="made",
        dataset="made",
        encoder=vars(_ENCODER),
        engine="made",
        device="cpu",
        versions={},
        protocol={"words": "leave-one-out"},
        silhouette_role=job.silhouette_role,
        role_source=job.role_source,
        finished_at="",
        n_embedded=0,
        seconds={},
        **measured_fields(job, evaluation),
    )
    job.write()
    neighbours = {view: ranking.neighbours for view, ranking in live.kept.rankings.items()}
    save_results(job, profile, neighbours, evaluation)
    return profile


def _edit(
    job: AuditJob, live: LiveRankings, store: VectorStore, profile: EvidenceProfile, seed: int
) -> tuple[float, float, float]:
    """Seconds of repair, of rates with intervals, and of writing."""
    rng = np.random.default_rng(seed)
    edited = np.sort(rng.choice(N_ROWS, N_EDITED, replace=False))
    keys: dict[View, Keys] = {view: live.kept.keys[view].copy() for view in View}
    for view in _MASKED:
        keys[view][edited] = [f"{seed}{view:.3}{row:060d}" for row in edited]
        store.append(keys[view][edited].tolist(), _moved(live.vectors[view][edited], rng))
    start = time.perf_counter()
    live.follow(job, keys, store, lambda row_ids: job.table.iloc[row_ids])
    repaired = time.perf_counter()
    evaluation = evaluate_rankings(job, live.kept.rankings)
    measured = time.perf_counter()
    neighbours = {view: ranking.neighbours for view, ranking in live.kept.rankings.items()}
    after = replace(profile, **measured_fields(job, evaluation))
    write_state(job, job, after, neighbours, evaluation)
    return repaired - start, measured - repaired, time.perf_counter() - measured


def _moved(vectors: Float32Array, rng: np.random.Generator) -> Float32Array:
    """Unit vectors a little away, as after a stroke of the brush."""
    moved = vectors + 0.3 / np.sqrt(DIM) * rng.standard_normal(vectors.shape, dtype=np.float32)
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    return moved.astype(np.float32)
