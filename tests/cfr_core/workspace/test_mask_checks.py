"""What is measured on the masks of a workspace: all of it, once, and again where it changed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfr_core.datasets.records import Annotations, ImportResult
from cfr_core.masks.defects import MEASURE_COLUMNS
from cfr_core.masks.measures import measure_mask
from cfr_core.masks.rle import decode, encode
from cfr_core.types import Mask, MaskStatus, Progress
from cfr_core.workspace import mask_checks
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "w") as workspace:
        workspace.add_dataset(made_dataset(tmp_path / "photos"))
        yield workspace


def bar(row_id: int, left: int, right: int, status: MaskStatus = MaskStatus.ACCEPTED) -> Mask:
    pixels = np.zeros((90, 120), bool)
    pixels[:, left:right] = True
    return Mask(row_id, (90, 120), encode(pixels), "human", status)


def test_every_mask_is_measured_and_a_row_without_one_is_not(workspace: Workspace) -> None:
    assert workspace.mask_checks.table("discs")["area_share"].isna().all()
    workspace.mask_checks.update("discs")
    table = workspace.mask_checks.table("discs").set_index("row_id")
    for row_id, mask in workspace.masks("discs").items():
        measured = measure_mask(decode(mask))
        expected = [getattr(measured, name) for name in MEASURE_COLUMNS]
        np.testing.assert_allclose(table.loc[row_id, list(MEASURE_COLUMNS)], expected)
    assert table.loc[1, list(MEASURE_COLUMNS)].isna().all()
    assert table["crop_px"].eq(90 * 120).all()
    assert not table["is_boxed"].any()


def test_pixels_are_measured_once(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    n_measured = 0

    def counted(pixels: np.ndarray) -> object:
        nonlocal n_measured
        n_measured += 1
        return measure_mask(pixels)

    monkeypatch.setattr(mask_checks, "measure_mask", counted)
    checks, history = workspace.mask_checks, workspace.mask_history
    assert checks.n_missing("discs") == 11
    checks.update("discs")
    assert (n_measured, checks.n_missing("discs")) == (11, 0)
    history.review(2, MaskStatus.ACCEPTED, author="Ana", based_on=1)
    checks.update("discs")
    assert n_measured == 11  # the same pixels
    history.add(bar(2, 0, 30), based_on=2)
    checks.update("discs")
    assert n_measured == 12
    assert checks.table("discs")["left_share"][2] == 1
    history.restore(2, 1, author="Ana", based_on=3)
    checks.update("discs")
    assert n_measured == 12
    assert checks.table("discs")["left_share"][2] == 0


def test_what_was_measured_is_kept_when_it_is_broken_off(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mask_checks, "_AT_ONCE", 4)

    def stop_at(progress: Progress) -> None:
        assert progress.total == 11
        if progress.done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workspace.mask_checks.update("discs", on_progress=stop_at)
    assert workspace.mask_checks.n_missing("discs") == 7


def shared_photo(folder: Path) -> ImportResult:
    """Rows 0 to 2 in two overlapping boxes and on the whole of one photo; row 3 alone on its own.

    Each mask is the left half of its crop.
    """
    made = made_dataset(folder, n_photos=4)
    table = made.annotations.table.copy()
    table.loc[:2, ["path", "file_sha256"]] = table.loc[0, ["path", "file_sha256"]].tolist()
    for column, values in {"x": [0, 10], "y": [0, 0], "w": [20, 20], "h": [10, 10]}.items():
        table[f"bbox_{column}"] = pd.array([*values, None, None], "Int64")
    sizes = [(10, 20), (10, 20), (90, 120), (90, 120)]
    masks = []
    for row_id, (h, w) in enumerate(sizes):
        pixels = np.zeros((h, w), bool)
        pixels[:, : w // 2] = True
        masks.append(Mask(row_id, (h, w), encode(pixels), "dataset", MaskStatus.ACCEPTED))
    return replace(made, annotations=Annotations(table), masks=tuple(masks))


def test_another_animal_of_the_photo_is_seen_until_its_mask_goes(tmp_path: Path) -> None:
    with Workspace(tmp_path / "w") as workspace:
        workspace.add_dataset(shared_photo(tmp_path / "photos"))
        checks, history = workspace.mask_checks, workspace.mask_history

        def shares() -> list[float]:
            checks.update("discs")
            return checks.table("discs")["other_share"].tolist()

        # Row 2 covers the whole photo up to x = 60, so all of both boxes.
        assert shares()[:3] == [0.5, 0.5, 0.0]
        history.review(2, MaskStatus.REJECTED, author="Ana", based_on=1)
        alone = shares()
        # Row 0 has x 0 to 10 and row 1 has x 10 to 20, which is the other half of row 0's box.
        assert alone[:2] == [0.5, 0.0]
        assert np.isnan(alone[2:]).all()
        history.review(1, MaskStatus.REJECTED, author="Ana", based_on=1)
        assert shares()[0] == 0.5  # its box stands for it
        whole = Mask(0, (10, 20), encode(np.ones((10, 20), bool)), "human", MaskStatus.ACCEPTED)
        history.add(whole, based_on=1)
        assert shares()[0] == 0.0
        assert checks.table("discs")["is_boxed"].tolist() == [True, True, False, False]
        assert checks.table("discs")["crop_px"].tolist() == [200, 200, 10800, 10800]


def test_nothing_is_done_where_nothing_has_changed(tmp_path: Path) -> None:
    with Workspace(tmp_path / "w") as workspace:
        workspace.add_dataset(shared_photo(tmp_path / "photos"))
        workspace.mask_checks.update("discs")
        before = workspace.revision
        workspace.mask_checks.update("discs")
        assert workspace.revision == before
