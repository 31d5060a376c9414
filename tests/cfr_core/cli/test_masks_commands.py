"""The commands about masks, on made photos: found, written out, brought back, measured."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cfr_core.cli.entry import app
from cfr_core.encoders.threads import compute_alone, thread_count_restored
from cfr_core.errors import InputError
from cfr_core.masks.files import write_mask_file
from cfr_core.masks.rle import decode, encode
from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with thread_count_restored():
        compute_alone()
        yield


def cfr(workspace: Path, *arguments: str) -> Any:
    """What a command prints with --json -; errors are raised as they are."""
    asked = ["-w", str(workspace), "masks", *arguments, "--json", "-"]
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    if done.exception is not None:
        raise done.exception
    return json.loads(done.stdout)


def dataset(folder: Path, *, boxed: bool = False):
    """Rows without masks; the last two cut along boxes, if asked, of one photo."""
    result = made_dataset(folder, "discs", n_photos=4)
    table = result.annotations.table.copy()
    if boxed:
        for row, box in ((2, (0, 0, 60, 90)), (3, (61, 7, 59, 83))):
            table.loc[row, ["bbox_x", "bbox_y", "bbox_w", "bbox_h"]] = box
        for column in ("path", "file_sha256"):
            table.loc[3, column] = table.loc[2, column]
    return replace(
        result, annotations=replace(result.annotations, table=table), masks=result.masks[:0]
    )


def with_noise(workspace: Workspace) -> dict[int, str]:
    """Accepted masks that no polygon could hold, by row."""
    counts = {}
    for row_id in workspace.annotations("discs").table["row_id"]:
        box = workspace.crop(row_id).bbox_xywh
        size_hw = (box[3], box[2]) if box else (90, 120)
        counts[row_id] = encode(RNG.random(size_hw) < 0.4)
        mask = Mask(row_id, size_hw, counts[row_id], "human", MaskStatus.ACCEPTED)
        workspace.mask_history.add(mask, based_on=0)
    return counts


@pytest.mark.parametrize("file", ["", "annotations.json"])
def test_export_and_import_into_a_new_workspace_is_exact(tmp_path: Path, file: str) -> None:
    photos = dataset(tmp_path / "photos", boxed=True)
    with Workspace(tmp_path / "one") as workspace:
        workspace.add_dataset(photos)
        counts = with_noise(workspace)
    out = tmp_path / "out"
    assert cfr(tmp_path / "one", "export", "discs", "--out", str(out))["n_masks"] == 4
    with Workspace(tmp_path / "two") as workspace:
        workspace.add_dataset(photos)
    said = cfr(tmp_path / "two", "import", "discs", str(out / file), "--author", "Ann")
    assert said == {"n_added": 4, "n_unchanged": 0, "n_kept": 0, "problems": []}
    with Workspace(tmp_path / "two") as workspace:
        masks = workspace.masks("discs")
    assert {row: mask.counts for row, mask in masks.items()} == counts
    assert {mask.author for mask in masks.values()} == {"Ann"}
    again = cfr(tmp_path / "two", "import", "discs", str(out / file))
    assert (again["n_added"], again["n_unchanged"]) == (0, 4)


def test_a_folder_of_mask_files_is_matched_by_name(tmp_path: Path) -> None:
    with Workspace(tmp_path / "one") as workspace:
        workspace.add_dataset(dataset(tmp_path / "photos"))
    folder = tmp_path / "pngs"
    folder.mkdir()
    drawn = RNG.random((90, 120)) < 0.3
    write_mask_file(drawn, folder / "00002.png")
    write_mask_file(np.zeros((90, 120), np.bool_), folder / "00001.png")
    write_mask_file(drawn[:50], folder / "00003.png")
    said = cfr(tmp_path / "one", "import", "discs", str(folder))
    assert said["n_added"] == 1
    assert sorted(text.split(":")[0] for text in said["problems"]) == ["00001.jpg", "00003.jpg"]
    with Workspace(tmp_path / "one") as workspace:
        assert np.array_equal(decode(workspace.masks("discs")[2]), drawn)


def test_a_mask_that_is_there_is_kept_unless_asked(tmp_path: Path) -> None:
    with Workspace(tmp_path / "one") as workspace:
        workspace.add_dataset(dataset(tmp_path / "photos"))
        with_noise(workspace)
        before = workspace.masks("discs")[2]
    folder = tmp_path / "pngs"
    folder.mkdir()
    write_mask_file(np.eye(90, 120) > 0, folder / "00002.png")
    kept = cfr(tmp_path / "one", "import", "discs", str(folder))
    assert (kept["n_added"], kept["n_kept"]) == (0, 1)
    replaced = cfr(tmp_path / "one", "import", "discs", str(folder), "--replace")
    assert replaced["n_added"] == 1
    with Workspace(tmp_path / "one") as workspace:
        versions = workspace.mask_history.versions(2)
    assert [version for version, _ in versions] == [1, 2]
    assert versions[0][1] == before


def test_masks_are_found_and_measured_with_the_engine_without_weights(tmp_path: Path) -> None:
    with Workspace(tmp_path / "one") as workspace:
        workspace.add_dataset(dataset(tmp_path / "photos"))
    said = cfr(tmp_path / "one", "auto", "discs", "--engine", "grabcut")
    assert (said["proposed"], said["rejected"], said["skipped"]) == (4, 0, 0)
    with Workspace(tmp_path / "one") as workspace:
        assert {mask.source for mask in workspace.masks("discs").values()} == {"grabcut"}
        for mask in made_dataset(tmp_path / "same", n_photos=4).masks:
            workspace.mask_history.add(replace(mask, status=MaskStatus.ACCEPTED), based_on=1)
    measured = cfr(tmp_path / "one", "measure", "discs", "-e", "grabcut", "--sample", "1")
    assert measured["n"] == 1
    ious = measured["engines"]["grabcut"]["median"]
    assert len(ious) == 6
    assert ious[-1] > 0.9


def test_engines_are_listed(tmp_path: Path) -> None:
    listed = cfr(tmp_path, "engines")
    assert listed[0]["card"]["name"] == "grabcut"
    assert listed[0]["is_present"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("auto", "cats"), "no dataset 'cats'"),
        (("auto", "discs", "-e", "sam9"), "no mask engine"),
        (("measure", "nowhere"), "neither a dataset"),
        (("measure", "discs"), "no row has an accepted mask"),
        (("import", "discs", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_done_is_said(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    with Workspace(tmp_path / "one") as workspace:
        workspace.add_dataset(dataset(tmp_path / "photos"))
    with pytest.raises(InputError, match=words):
        cfr(tmp_path / "one", *arguments)
