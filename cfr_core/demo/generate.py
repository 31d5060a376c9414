"""Writes a demo dataset: photos, exact masks and a table, from a recipe and its seed."""

import csv
import json
import multiprocessing
import os
from collections.abc import Collection, Generator, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, groupby
from pathlib import Path

import numpy as np
from PIL import Image

from cfr_core.demo.photo import Sources, take_photo
from cfr_core.demo.presets import DemoSpec
from cfr_core.demo.species import SPECIES
from cfr_core.demo.traits import Traits, mixed
from cfr_core.errors import InputError
from cfr_core.types import OnProgress, Progress, no_progress

_JPEG_QUALITY = 92
_N_SITES = 12
_FIRST_DAY = datetime.fromisoformat("2021-05-01T00:00:00")
_N_DAYS = 730
_MAX_PROCESSES = 6
_FEWEST_FOR_PROCESSES = 32
"""Fewer photos are drawn by the time that a process has started."""

_VISIT_SHARE = 0.15
"""Part of an individual's own scenery that is the encounter's: where in its range it was."""

_IDENTITY, _ENCOUNTER, _PHOTO = 1, 2, 3
"""Seed words that keep the streams apart."""


@dataclass(frozen=True)
class DemoResult:
    """What was written.

    Attributes:
        root: Folder with images/, masks/, metadata.csv, dataset.json and README.md.
        n_photos: Photos written.
        n_identities: Individuals on them.
    """

    root: Path
    n_photos: int
    n_identities: int


@dataclass(frozen=True)
class _Shot:
    """One planned photo; the fields of `row` are the columns of metadata.csv."""

    row: dict[str, str]
    sources: Sources


@contextmanager
def processes_for(specs: Collection[DemoSpec]) -> Iterator[Executor | None]:
    """Processes that draw the photos of recipes, or None where this one does it sooner by itself.

    Drawing is thousands of small steps, in which threads would wait for one another. Each process
    begins with a second of imports, so datasets that are drawn one after another share a pool.

    Args:
        specs: What is to be drawn.
    """
    n_photos = sum(spec.n_identities * spec.n_photos for spec in specs)
    if n_photos < _FEWEST_FOR_PROCESSES:
        yield None
        return
    # Spawned, since a fork of a program that has threads may stand still.
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(os.cpu_count() or 1, _MAX_PROCESSES), mp_context=spawn)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def generate(
    spec: DemoSpec,
    out: Path,
    on_progress: OnProgress = no_progress,
    *,
    pool: Executor | None = None,
) -> DemoResult:
    """Write the dataset of a recipe; the same recipe gives the same bytes.

    The table is written last, so a folder without metadata.csv was not finished.

    Args:
        spec: The recipe.
        out: Folder to write to: absent or empty.
        on_progress: Told after each photo, from this thread.
        pool: Draws; None: what `processes_for` gives for this recipe alone.

    Raises:
        InputError: if `out` is a file or holds anything already.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is not an empty folder: choose another, or empty it first")
    for folder in ("images", "masks"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    shots = list(_shots(spec))
    with closing(_write_all(spec, shots, out, pool)) as written:
        for done, _ in enumerate(written, 1):
            on_progress(Progress("Drawing the demo", done, len(shots), "photos"))
    (out / "dataset.json").write_text(_recipe(spec), encoding="utf-8")
    (out / "README.md").write_text(_readme(spec), encoding="utf-8")
    with (out / "metadata.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(shots[0].row), lineterminator="\n")
        writer.writeheader()
        writer.writerows(shot.row for shot in shots)
    return DemoResult(out, len(shots), spec.n_identities)


def _shots(spec: DemoSpec) -> Generator[_Shot, None, None]:
    """Plan every photo: who, when, where, and where its traits come from."""
    digits = len(str(spec.n_identities))
    for i in range(spec.n_identities):
        identity = f"{spec.species}-{i + 1:0{digits}d}"
        for j in range(spec.n_photos):
            e = j * spec.n_encounters // spec.n_photos
            sources = _sources(spec, i, e, j)
            stem = f"{identity}_{j + 1}"
            row = {
                "path": f"images/{stem}.jpg",
                "identity": identity,
                "date": _moment(spec, i, e, j).isoformat(),
                "encounter": f"{identity}-e{e + 1}",
                "camera": f"C{int(sources.scene.uniform('site') * _N_SITES) + 1:02d}",
                "mask_path": f"masks/{stem}.png",
                "species": spec.species,
            }
            yield _Shot(row, sources)


def _sources(spec: DemoSpec, i: int, e: int, j: int) -> Sources:
    """Mix what is the individual's with what is the photo's own, as the knobs say."""
    own, photo = (spec.seed, _IDENTITY, i), (spec.seed, _PHOTO, i, j)
    visit = (spec.seed, _ENCOUNTER, i, e)
    return Sources(
        coat=mixed(spec.coat, [(1.0, own)], photo),
        outline=mixed(spec.outline, [(1.0, own)], photo),
        scene=mixed(spec.scene, [(1.0 - _VISIT_SHARE, own), (_VISIT_SHARE, visit)], photo),
        moment=Traits(((1.0, photo),)),
    )


def _moment(spec: DemoSpec, i: int, e: int, j: int) -> datetime:
    """Time of a photo: encounters are days apart, photos of one encounter half a minute."""
    visit = Traits(((1.0, (spec.seed, _ENCOUNTER, i, e)),))
    day, second = visit.uniform("date/day", 0, _N_DAYS), visit.uniform("date/second", 21600, 64800)
    pause = Traits(((1.0, (spec.seed, _PHOTO, i, j)),)).uniform("date/pause", 0.0, 25.0)
    return _FIRST_DAY + timedelta(days=int(day), seconds=int(second) + int(30 * j + pause))


def _write_all(
    spec: DemoSpec, shots: Sequence[_Shot], out: Path, pool: Executor | None
) -> Generator[_Shot, None, None]:
    """Draw and write photos; what has not begun is left out on closing."""
    # One process draws all photos of a scene, which it then paints once.
    scenes = [list(group) for _, group in groupby(shots, lambda shot: shot.sources.scene)]
    write = partial(_write_shots, spec, out=out)
    with processes_for([spec]) if pool is None else nullcontext(pool) as drawing:
        yield from chain.from_iterable(
            drawing.map(write, scenes) if drawing else map(write, scenes)
        )


def _write_shots(spec: DemoSpec, shots: Sequence[_Shot], out: Path) -> Sequence[_Shot]:
    for shot in shots:
        photo = take_photo(shot.sources, SPECIES[spec.species], spec.size_hw)
        image = Image.fromarray(photo.rgb)
        # Full colour resolution: chroma blocks would smear the animal over the edge of its mask.
        image.save(out / shot.row["path"], quality=_JPEG_QUALITY, subsampling="4:4:4")
        mask = Image.fromarray(photo.mask.astype(np.uint8) * np.uint8(255))
        mask.save(out / shot.row["mask_path"])
    return shots


def _recipe(spec: DemoSpec) -> str:
    return json.dumps(asdict(spec), indent=2, ensure_ascii=False) + "\n"


def _readme(spec: DemoSpec) -> str:
    return (
        f"# {spec.title}\n\n{spec.description}\n\n"
        f"Synthetic: {spec.n_identities} individuals with {spec.n_photos} photos each, drawn from "
        f"the recipe in dataset.json. Identity explains {spec.coat:.0%} of the coat, "
        f"{spec.scene:.0%} of the scene and {spec.outline:.0%} of the outline. Role of the "
        f"silhouette: {spec.silhouette_role.value}. Expected region: {spec.region.value}.\n\n"
        "metadata.csv names the individual, time, encounter, camera site and mask of each photo; "
        "masks/ holds exact masks (255 animal, 0 the rest).\n"
    )
