"""Another photo asked of a run: against a photo that the run knows, and what the answer means."""

from pathlib import Path

import pytest

from cfr_core.audit.drilldown import DrillDown, Match, Photo, Retrieved
from cfr_core.audit.job import SPEC_FILE, prepare
from cfr_core.audit.newcomer import known_photos, matches_of
from cfr_core.audit.plain_words import sentence_of_newcomer, sentence_of_query
from cfr_core.audit.run import run_audit
from cfr_core.audit.spec import AuditSpec
from cfr_core.errors import InputError
from cfr_core.images import decode
from cfr_core.masks import rle
from cfr_core.types import View
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

FULL, FOREGROUND, SHORTCUT, SILHOUETTE = View


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newcomer")
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(made_dataset(folder / "photos", n_photos=24))
        job = prepare(workspace, AuditSpec("discs", "effnet-lite0", ks=(1,), n_resamples=100))
    run_audit(job.folder, device="cpu")
    return job.folder


def test_a_photo_that_the_run_knows_is_nearest_to_itself_in_every_view(run_folder: Path) -> None:
    known = known_photos(run_folder)
    crop = known.job.crops[5]
    found = matches_of(known, decode(Path(crop.path)).pixels, rle.decode(crop.mask), 3)
    assert list(found) == list(View)
    # Silhouettes of other photos may be the same picture.
    for view in (FULL, FOREGROUND, SHORTCUT):
        nearest = found[view][0]
        assert nearest.photo.row_id == crop.row_id
        assert nearest.similarity == pytest.approx(1, abs=1e-3)
        assert nearest.rank == 1
        similarities = [match.similarity for match in found[view]]
        assert similarities == sorted(similarities, reverse=True)
        assert len(similarities) == 3
    assert found[FULL][0].photo.date == "2024-05-01"


def test_a_run_whose_files_are_gone_is_told(run_folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "runs" / "broken"
    broken.mkdir(parents=True)
    (broken / SPEC_FILE).write_text("{}")
    with pytest.raises(InputError, match="run the audit again"):
        known_photos(broken)
    assert run_folder.exists()


def matches(*names: str) -> dict[View, tuple[Match, ...]]:
    return {
        view: (Match(Photo(i, name, ""), 1, 0.5, is_right=False),)
        for i, (view, name) in enumerate(zip(View, names, strict=True))
    }


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("Ann", "Bea", "Ann", "Cid"), "by the animal alone it says Bea: it goes by the surround"),
        (("Ann", "Ann", "Bea", "Cid"), "without the animal it says Bea: it goes by the animal"),
        (("Ann", "Ann", "Ann", "Cid"), "cannot tell which"),
        (("Ann", "Bea", "Cid", "Ann"), "neither part decides"),
    ],
)
def test_what_the_views_of_another_photo_say(names: tuple[str, ...], words: str) -> None:
    assert words in sentence_of_newcomer(matches(*names))


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ((1, 3, 1), "recognised the place or the day, not the animal"),
        ((1, 1, 9), "has recognised the animal"),
        ((1, 1, 1), "cannot tell which"),
        ((1, 2, 2), "in the whole photo only"),
        ((2, 1, 1), "does not find Ann again: the photo most similar to the whole picture shows B"),
    ],
)
def test_what_the_views_of_a_query_say(ranks: tuple[int, ...], words: str) -> None:
    nearest = matches(*["Bea"] * 4)
    views = {
        view: Retrieved(nearest[view], None, rank)
        for view, rank in zip(View, (*ranks, 1), strict=True)
    }
    assert words in sentence_of_query(DrillDown(Photo(0, "Ann", ""), views))
