"""A workspace that an older version of the program wrote."""

from pathlib import Path

import duckdb
import numpy as np

from cfr_core.masks.rle import encode
from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace.database import Database
from cfr_core.workspace.mask_history import MaskHistory
from cfr_core.workspace.schema import MIGRATIONS
from tests.cfr_core.workspace.test_mask_history import SIZE_HW, a_mask


def a_pixel(row_id: int) -> Mask:
    """A mask whose run lengths hold a backslash, which JSON writes twice."""
    pixels = np.zeros(SIZE_HW, bool)
    pixels[3, 0] = True
    mask = a_mask(row_id, counts=encode(pixels))
    assert "\\" in mask.counts
    return mask


def write_version_1(path: Path) -> None:
    """A database as the first version left it: rows 0 and 1, a mask of each."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(MIGRATIONS[0])
        connection.execute("CREATE TABLE schema_version (version BIGINT)")
        connection.execute("INSERT INTO schema_version VALUES (1)")
        for row_id, source in ((0, "dataset"), (1, "human")):
            connection.execute(
                "INSERT INTO rows VALUES (?, 'zebras', ?, 'a.jpg', 'A', true, NULL, NULL, NULL, "
                "NULL, 120, 90, NULL, NULL, NULL, NULL, NULL, NULL, '0', 1, 1, '{}')",
                [row_id, row_id + 1],
            )
            connection.execute(
                "INSERT INTO masks VALUES (?, 1, 90, 120, ?, ?, 'accepted', 0.5, '{}', 'Ana', "
                "'2026-01-01T00:00:00+00:00')",
                [row_id, a_pixel(row_id).counts, source],
            )


def test_a_workspace_of_version_1_keeps_its_masks_and_takes_new_versions(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    write_version_1(path)
    database = Database(path)
    history = MaskHistory(database)
    ((_, old),) = history.versions(1)
    assert (old.size_hw, old.score, old.prompts, old.author) == (SIZE_HW, 0.5, "{}", "Ana")
    assert (old.status, old.reason) == (MaskStatus.ACCEPTED, "")
    pixels = database.read("SELECT pixels FROM masks ORDER BY row_id")
    assert pixels == [(a_pixel(row_id).fingerprint,) for row_id in (0, 1)]
    # What people did before counts as people's work now.
    assert history.add_proposals([a_mask(1, 9, source="sam3")]).n_kept == 1
    assert history.review(0, MaskStatus.REJECTED, author="Ben", based_on=1, reason="blurred") == 2
    database.close()
    reopened = Database(path)  # the steps are not taken twice
    assert [m.reason for _, m in MaskHistory(reopened).versions(0)] == ["", "blurred"]
    assert reopened.read("SELECT max(version) FROM schema_version") == [(len(MIGRATIONS),)]
    reopened.close()
