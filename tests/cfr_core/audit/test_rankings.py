"""Rankings kept beside a run come back as they were."""

from pathlib import Path

import numpy as np
import pytest

from cfr_core.audit.rankings import KeptRankings, keep_rankings, read_rankings
from cfr_core.retrieval.ranking import rank
from cfr_core.types import View
from tests.cfr_core.retrieval.oracle import leave_one_out, unit


@pytest.fixture
def kept() -> KeptRankings:
    rng = np.random.default_rng(0)
    task = leave_one_out(np.arange(12) % 4)
    return KeptRankings(
        row_ids=np.arange(12) + 100,
        keys={view: np.array([f"{view}{row:03d}" for row in range(12)]) for view in View},
        rankings={view: rank(unit(rng.standard_normal((12, 5))), task, 15) for view in View},
    )


def test_they_come_back_as_they_were(kept: KeptRankings, tmp_path: Path):
    keep_rankings(tmp_path, "run", kept)
    found = read_rankings(tmp_path, "run")
    assert found is not None
    np.testing.assert_array_equal(found.row_ids, kept.row_ids)
    for view in View:
        assert found.keys[view].tolist() == kept.keys[view].tolist()
        for part in ("neighbours", "positives"):
            for name, array in vars(getattr(kept.rankings[view], part)).items():
                back = getattr(getattr(found.rankings[view], part), name)
                np.testing.assert_array_equal(back, array, err_msg=name)
                assert back.dtype == array.dtype


def test_absent_or_damaged_ones_are_none(kept: KeptRankings, tmp_path: Path):
    assert read_rankings(tmp_path, "run") is None
    keep_rankings(tmp_path, "run", kept)
    (path,) = tmp_path.rglob("*.npz")
    whole = path.read_bytes()
    for part in (whole[:-50], b"", b"no zip file", whole[: len(whole) // 2]):
        path.write_bytes(part)
        assert read_rankings(tmp_path, "run") is None
