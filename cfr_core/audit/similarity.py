"""Similarities that a run has measured but not kept, from the vectors it has stored."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from cfr_core.audit.job import AuditJob
from cfr_core.audit.stored import read_profile
from cfr_core.types import View
from cfr_core.workspace.vectors import VectorStore, vector_key


def similarities(folder: Path, query_row_id: int, others: Mapping[View, int]) -> dict[View, float]:
    """Cosine similarity of a query to another photo in some views.

    Args:
        folder: `runs/<run_id>` of a workspace.
        query_row_id: A row of the run.
        others: The other row for each view that is asked.

    Returns:
        A number from -1 to 1 for each view whose vectors are still stored.

    Raises:
        InputError: if the run's profile cannot be read.
    """
    job = AuditJob.read(folder, {query_row_id, *others.values()})
    crops = {crop.row_id: crop for crop in job.crops}
    pairs = {
        spec.view: [vector_key(crops[row], spec) for row in (query_row_id, others[spec.view])]
        for spec in job.spec.views
        if spec.view in others
    }
    vectors = _store(job).find({key for keys in pairs.values() for key in keys})
    return {
        view: float(np.dot(vectors[one], vectors[other]))
        for view, (one, other) in pairs.items()
        if one in vectors and other in vectors
    }


def _store(job: AuditJob) -> VectorStore:
    profile = read_profile(job.folder)
    return VectorStore(job.workspace_root / "embeddings", profile.encoder_spec, profile.engine)
