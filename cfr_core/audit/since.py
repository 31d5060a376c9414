"""What has changed since a run: its numbers are of the pixels of then, pictures of those of now."""

from collections.abc import Iterable
from pathlib import Path

from cfr_core.audit.job import AuditJob
from cfr_core.types import CropRequest, View, ViewSpec
from cfr_core.workspace.vectors import vector_key


def changed_rows(folder: Path, crops: Iterable[CropRequest]) -> frozenset[int]:
    """Rows whose file, box or accepted mask is not what a run has seen.

    Args:
        folder: `runs/<run_id>` of a workspace.
        crops: Benchmark rows of the run as they are now.
    """
    now = {crop.row_id: crop for crop in crops}
    then = AuditJob.read(folder, now).crops
    return frozenset(crop.row_id for crop in then if _seen(crop) != _seen(now[crop.row_id]))


def _seen(crop: CropRequest) -> str:
    return vector_key(crop, ViewSpec(View.FOREGROUND))
