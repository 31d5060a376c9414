"""One finished run of a made dataset, for all tests of what is read from runs."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.spec import AuditSpec
from cfr_core.datasets.records import Annotations
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset
from tests.made_run import made_run

N_ROWS = 60


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, EvidenceProfile]:
    """Folder and profile of a run in which only the surroundings tell the individuals apart.

    Photos of an individual share an encounter; every second row has a camera.
    """
    folder = tmp_path_factory.mktemp("finished")
    result = made_dataset(folder / "photos", n_photos=N_ROWS)
    table = result.annotations.table.assign(
        encounter=pd.array([f"e{i // 3}" for i in range(N_ROWS)], "string"),
        camera=pd.array(["c1" if i % 2 else pd.NA for i in range(N_ROWS)], "string"),
    )
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(replace(result, annotations=Annotations(table)))
        profile = made_run(workspace, AuditSpec("discs", "made", ks=(1, 5), n_resamples=200))
        return workspace.runs_dir / profile.run_id, profile


@pytest.fixture
def run_folder(finished: tuple[Path, EvidenceProfile]) -> Path:
    """The folder; not to be written to."""
    return finished[0]


@pytest.fixture
def profile(finished: tuple[Path, EvidenceProfile]) -> EvidenceProfile:
    """The profile as the run returned it."""
    return finished[1]
