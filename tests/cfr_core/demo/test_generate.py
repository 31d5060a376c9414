"""Demo datasets on disk: reproducible, complete, and refused where something lies."""

import csv
import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfr_core.demo import generate as generator
from cfr_core.demo.generate import generate
from cfr_core.demo.presets import PRESETS
from cfr_core.errors import InputError
from cfr_core.types import Progress

TINY = replace(PRESETS["leaky"], n_identities=3, n_photos=4, size_hw=(96, 128))


def contents(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def rows_of(root: Path) -> list[dict[str, str]]:
    with (root / "metadata.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo") / "leaky"
    assert generate(TINY, out).n_photos == 12
    return out


def test_the_same_recipe_gives_the_same_bytes_and_another_seed_others(
    root: Path, tmp_path: Path
) -> None:
    generate(TINY, tmp_path / "again")
    assert contents(tmp_path / "again") == contents(root)
    generate(replace(TINY, seed=99), tmp_path / "other")
    other = contents(tmp_path / "other")
    assert all(other[name] != bytes_ for name, bytes_ in contents(root).items() if ".jpg" in name)


def test_several_processes_draw_the_same_bytes(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "_FEWEST_FOR_PROCESSES", 1)
    said: list[Progress] = []
    generate(TINY, tmp_path / "again", said.append)
    assert contents(tmp_path / "again") == contents(root)
    assert [progress.done for progress in said] == list(range(1, 13))


@pytest.mark.parametrize("fewest", [1, 1000], ids=["processes", "this process"])
def test_nothing_more_is_drawn_after_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fewest: int
) -> None:
    monkeypatch.setattr(generator, "_FEWEST_FOR_PROCESSES", fewest)

    def interrupt(_: Progress) -> None:
        raise InterruptedError

    recipe = replace(TINY, n_identities=20, scene=0.0, n_encounters=4)
    with pytest.raises(InterruptedError):
        generate(recipe, tmp_path / "demo", interrupt)
    assert len(list((tmp_path / "demo" / "images").iterdir())) < 70, "of 80"
    assert not (tmp_path / "demo" / "metadata.csv").exists()


def test_every_row_has_its_photo_and_its_mask(root: Path) -> None:
    rows = rows_of(root)
    assert list(rows[0]) == [
        "path", "identity", "date", "encounter", "camera", "mask_path", "species",
    ]  # fmt: skip
    assert len({row["path"] for row in rows}) == len(rows) == 12
    for row in rows:
        with Image.open(root / row["path"]) as photo, Image.open(root / row["mask_path"]) as mask:
            assert (photo.format, photo.mode, photo.size) == ("JPEG", "RGB", (128, 96))
            assert (mask.format, mask.mode, mask.size) == ("PNG", "L", (128, 96))
            assert set(np.unique(np.asarray(mask)).tolist()) == {0, 255}


def test_an_encounter_is_a_burst_of_photos(root: Path) -> None:
    times: dict[str, list[datetime]] = {}
    for row in rows_of(root):
        times.setdefault(row["encounter"], []).append(datetime.fromisoformat(row["date"]))
    assert len(times) == 3 * TINY.n_encounters
    for burst in times.values():
        assert burst == sorted(burst)
        assert burst[-1] - burst[0] < timedelta(minutes=5)
    assert len({burst[0].date() for burst in times.values()}) > TINY.n_encounters


def test_a_scene_that_is_the_individuals_has_one_camera_an_encounter(
    root: Path, tmp_path: Path
) -> None:
    def cameras_by_encounter(rows: list[dict[str, str]]) -> set[int]:
        sites: dict[str, set[str]] = {}
        for row in rows:
            sites.setdefault(row["encounter"], set()).add(row["camera"])
        return {len(site) for site in sites.values()}

    assert cameras_by_encounter(rows_of(root)) == {1}
    generate(replace(TINY, scene=0.0, n_photos=6), tmp_path / "honest")
    assert max(cameras_by_encounter(rows_of(tmp_path / "honest"))) > 1


def test_the_recipe_is_kept_with_the_data(root: Path) -> None:
    recipe = json.loads((root / "dataset.json").read_text(encoding="utf-8"))
    assert recipe["silhouette_role"] == "shortcut"
    assert recipe["region"] == "dataset leakage"
    assert (recipe["coat"], recipe["scene"], recipe["seed"]) == (1.0, 1.0, TINY.seed)
    assert TINY.title in (root / "README.md").read_text(encoding="utf-8")


def test_progress_counts_every_photo(tmp_path: Path) -> None:
    said: list[Progress] = []
    generate(replace(TINY, n_identities=2, n_photos=2), tmp_path, said.append)
    assert [(progress.done, progress.total) for progress in said] == [(n, 4) for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("kind", ["file", "full folder"])
def test_nothing_is_written_over(kind: str, tmp_path: Path) -> None:
    out = tmp_path / "taken"
    if kind == "file":
        out.write_text("mine")
    else:
        out.mkdir()
        (out / "mine.txt").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="not an empty folder"):
        generate(TINY, out)
    assert contents(tmp_path) == before
