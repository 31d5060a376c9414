"""A photo that is in no dataset, asked of a finished run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from cfr_core.audit.drilldown import Match, Photo
from cfr_core.audit.job import AuditJob
from cfr_core.audit.stored import read_profile
from cfr_core.encoders.encoder import Encoder, load_encoder
from cfr_core.errors import InputError
from cfr_core.types import BoolArray, Float32Array, ImageArray, IntArray, View
from cfr_core.views import render_views
from cfr_core.workspace.vectors import VectorStore, vector_key


@dataclass(frozen=True)
class KnownPhotos:
    """The photos of a run with their vectors, ready to be asked.

    Attributes:
        job: The run.
        encoder: Its encoder, loaded.
        rows: (M,) int64, rows of the job that have a vector in every view.
        vectors: (M, D) float32 unit rows for each view.
    """

    job: AuditJob
    encoder: Encoder
    rows: IntArray
    vectors: Mapping[View, Float32Array]


def known_photos(folder: Path) -> KnownPhotos:
    """Load a run to ask it about other photos.

    Args:
        folder: `runs/<run_id>` of a workspace.

    Raises:
        InputError: if its files or the weights of its encoder cannot be read, or its vectors were
            made by an engine that this machine does not run.
    """
    job, profile = _job(folder), read_profile(folder)
    root = job.workspace_root
    encoder = load_encoder(
        job.spec.encoder, root / "checkpoints", cache_dir=root / "cache", device="auto"
    )
    if encoder.engine != profile.engine:
        raise InputError(
            f"run {folder.name} was made by {profile.engine}, and this machine now runs "
            f"{encoder.engine}: their vectors are not compared; run the audit again"
        )
    store = VectorStore(root / "embeddings", encoder.spec, encoder.engine)
    keys = {spec.view: [vector_key(crop, spec) for crop in job.crops] for spec in job.spec.views}
    is_stored = np.logical_and.reduce([store.contains(view_keys) for view_keys in keys.values()])
    rows = np.flatnonzero(is_stored)
    vectors = {
        view: store.load([view_keys[row] for row in rows]) for view, view_keys in keys.items()
    }
    return KnownPhotos(job, encoder, rows, vectors)


def matches_of(
    known: KnownPhotos, image: ImageArray, mask: BoolArray, n: int
) -> dict[View, tuple[Match, ...]]:
    """The photos of a run that each view of another photo is most similar to, nearest first.

    Args:
        known: The run.
        image: (H, W, 3) uint8 RGB crop of the animal.
        mask: (H, W) bool, True on the animal.
        n: Photos of each view, at most.

    Returns:
        Matches of each view; whether they are right is not known, and `is_right` is False.

    Raises:
        MaskError: if the mask is empty or of another size.
    """
    specs = known.job.spec.views
    asked = known.encoder.embed_images(render_views(image, mask, specs))
    found = {}
    for spec, vector in zip(specs, asked, strict=True):
        scores = known.vectors[spec.view] @ vector
        nearest = np.argsort(-scores, kind="stable")[:n]
        found[spec.view] = tuple(
            Match(_photo(known, place), rank, float(scores[place]), is_right=False)
            for rank, place in enumerate(nearest.tolist(), start=1)
        )
    return found


def _job(folder: Path) -> AuditJob:
    try:
        return AuditJob.read(folder)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"run {folder.name}: its rows cannot be read; run the audit again"
        ) from error


def _photo(known: KnownPhotos, place: int) -> Photo:
    row = known.job.table.iloc[known.rows[place]]
    date = row["captured_at"]
    day = "" if pd.isna(date) else f"{date:%Y-%m-%d}"
    return Photo(int(row["row_id"]), str(row["identity"]), day)
