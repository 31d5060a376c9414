"""Bulk masks as a job: proposals where nobody has worked, stopped and gone on with, all kept."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cfr_core.errors import InputError
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.kinds import KINDS
from cfr_core.jobs.masks import MASKS, mask_run, masks_job
from cfr_core.jobs.progress import JobCancelledError
from cfr_core.jobs.records import JobOrder, NewJob
from cfr_core.masks.rle import decode, encode
from cfr_core.segmenters.choice import CHOSEN
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts
from cfr_core.types import Mask, MaskStatus, Progress, no_progress
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset


class HalfEngine:
    """Finds the left half of a crop, and with a poorer score its upper left corner."""

    fingerprint = "1"

    def __init__(self, *, reads_text: bool = False, finds: str = "") -> None:
        self.name = "grabcut"
        self.reads_text = reads_text
        self.finds = finds
        self.asked: list[Prompts] = []

    def encode(self, images: Sequence[np.ndarray]) -> list[EncodedImage]:
        return [EncodedImage(image, {}, "1") for image in images]

    def propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        prompts.check_inside(image.size_hw)
        self.asked.append(prompts)
        height, width = image.size_hw
        masks = np.zeros((2, height, width), np.bool_)
        if self.finds == prompts.text:
            masks[0, :8, :8] = True
            masks[1, :, : width // 2] = True
        return Candidates(masks, np.array([0.2, 0.7], np.float32))


@pytest.fixture
def workspace(tmp_path: Path):
    with Workspace(tmp_path / "workspace") as opened:
        opened.add_dataset(_without_masks(tmp_path, n_kept=2))
        yield opened


def _without_masks(folder: Path, n_kept: int):
    """Ten rows; the masks of the first `n_kept` that have one came with the dataset."""
    result = made_dataset(folder / "photos", n_photos=10)
    table = result.annotations.table.copy()
    # Rows 7 to 9 are cut along a box.
    for column, side in (("bbox_x", 10), ("bbox_y", 5), ("bbox_w", 100), ("bbox_h", 80)):
        table.loc[7:, column] = side
    return replace(
        result, annotations=replace(result.annotations, table=table), masks=result.masks[:n_kept]
    )


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> HalfEngine:
    made = HalfEngine()
    monkeypatch.setattr("cfr_core.segmenters.load.load_segmenter", lambda *_: made)
    return made


def ordered(workspace: Workspace, new: NewJob) -> tuple[JobFolder, JobOrder]:
    return JobFolder(workspace.root / "jobs" / "one"), JobOrder(
        **vars(new), created_at="", queued_at=0.0
    )


def done(workspace: Workspace, new: NewJob):
    folder, order = ordered(workspace, new)
    MASKS.work(folder, order, no_progress)
    return MASKS.store(workspace, folder, order)


def test_rows_without_a_mask_get_proposals(workspace: Workspace, engine: HalfEngine) -> None:
    stored = done(workspace, masks_job(workspace, "discs", "grabcut"))
    masks = workspace.masks("discs")
    assert {row for row, mask in masks.items() if mask.source == "dataset"} == {0, 2}
    assert all(masks[row].status is MaskStatus.PROPOSED for row in (1, 3, 4, 5, 6, 7, 8, 9))
    assert decode(masks[1]).sum() == 90 * 60
    assert masks[1].score == pytest.approx(0.7)
    assert json.loads(masks[1].prompts)["box_xyxy"] == [3.6, 2.7, 116.4, 87.3]
    assert len(engine.asked) == 8
    words = (
        "8 proposed; 0 accepted; 0 rejected; 2 rows left alone, whose mask a person or the dataset"
    )
    assert stored.words.startswith(words)
    assert "masks" in KINDS


@pytest.mark.usefixtures("engine")
def test_every_candidate_is_kept_with_why(workspace: Workspace) -> None:
    done(workspace, masks_job(workspace, "discs", "grabcut"))
    by_score = workspace.mask_history.candidates(1)
    assert [one.outcome for one in by_score] == ["another candidate has a better score", CHOSEN]
    by_box = workspace.mask_history.candidates(7)
    assert [one.outcome == CHOSEN for one in by_box] == [False, True]
    assert [one.box_iou for one in by_box] == pytest.approx([64 / 8000, 0.5])


def test_what_fits_no_box_is_rejected_with_the_reason(
    workspace: Workspace, engine: HalfEngine
) -> None:
    class Narrow(HalfEngine):
        def propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
            found = super().propose(image, prompts)
            return Candidates(found.masks[:1], found.scores[:1])

    engine.__class__ = Narrow
    stored = done(workspace, masks_job(workspace, "discs", "grabcut", accept=True))
    mask = workspace.masks("discs")[7]
    assert mask.status is MaskStatus.REJECTED
    assert mask.reason.startswith("its box overlaps the annotation box too little")
    assert stored.detail["rejected"] == 3
    assert stored.detail["accepted"] == 5


def test_a_run_that_was_stopped_goes_on_where_it_was(
    workspace: Workspace, engine: HalfEngine
) -> None:
    folder, order = ordered(workspace, masks_job(workspace, "discs", "grabcut"))

    def stop_after_a_part(progress: Progress) -> None:
        if progress.done:
            raise JobCancelledError

    with pytest.raises(JobCancelledError):
        MASKS.work(folder, order, stop_after_a_part)
    assert len(engine.asked) == 4
    assert workspace.masks("discs").keys() == {0, 2}
    again = masks_job(workspace, "discs", "grabcut")
    assert again.spec == order.spec
    done(workspace, again)
    assert len(engine.asked) == 8
    assert len(workspace.masks("discs")) == 10


@pytest.mark.usefixtures("engine")
def test_work_of_a_person_during_the_run_stays(workspace: Workspace) -> None:
    folder, order = ordered(workspace, masks_job(workspace, "discs", "grabcut"))
    MASKS.work(folder, order, no_progress)
    drawn = Mask(1, (90, 120), encode(np.eye(90, 120) > 0), "human", MaskStatus.ACCEPTED)
    workspace.mask_history.add(drawn, based_on=0)
    stored = MASKS.store(workspace, folder, order)
    assert workspace.masks("discs")[1].counts == drawn.counts
    assert (stored.detail["proposed"], stored.detail["kept"]) == (7, 3)


@pytest.mark.usefixtures("engine")
def test_storing_twice_comes_to_the_same(workspace: Workspace) -> None:
    folder, order = ordered(workspace, masks_job(workspace, "discs", "grabcut"))
    MASKS.work(folder, order, no_progress)
    MASKS.store(workspace, folder, order)
    versions = workspace.mask_history.versions(1)
    stored = MASKS.store(workspace, folder, order)
    assert workspace.mask_history.versions(1) == versions
    assert stored.detail["unchanged"] == 8


def test_a_finished_run_is_done_anew(workspace: Workspace, engine: HalfEngine) -> None:
    new = masks_job(workspace, "discs", "grabcut")
    done(workspace, new)
    again = masks_job(workspace, "discs", "grabcut")
    assert again.spec == new.spec
    done(workspace, again)
    assert len(engine.asked) == 16


def test_names_are_tried_in_order_until_a_candidate_is_chosen(
    workspace: Workspace, engine: HalfEngine
) -> None:
    engine.name, engine.reads_text, engine.finds = "sam3", True, "fish"
    done(workspace, masks_job(workspace, "discs", "sam3", prompts=["zebrafish", "fish", "animal"]))
    assert [asked.text for asked in engine.asked] == ["zebrafish", "fish"] * 8
    assert json.loads(workspace.masks("discs")[1].prompts) == {"text": "fish"}
    kept = workspace.mask_history.candidates(1)
    assert [one.prompt for one in kept] == ["zebrafish"] * 2 + ["fish"] * 2
    assert [one.number for one in kept] == [0, 1, 2, 3]
    assert kept[0].outcome == "covers no pixel"


def test_the_published_names_are_the_default(tmp_path: Path, workspace: Workspace) -> None:
    result = _without_masks(tmp_path, 0)
    named = replace(result.card, name="ZF", prompts=("zebrafish", "fish"))
    workspace.add_dataset(replace(result, card=named))
    for name, expected in (("sam3", ("zebrafish", "fish")), ("grabcut", ())):
        new = masks_job(workspace, "ZF", name)
        assert mask_run(workspace.root, new).spec.prompts == expected


@pytest.mark.usefixtures("engine")
def test_a_picture_that_is_gone_costs_one_row(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "photos" / "00004.jpg").unlink()
    stored = done(workspace, masks_job(workspace, "discs", "grabcut"))
    assert stored.detail["proposed"] == 7
    assert list(stored.detail["skipped_rows"]) == [4]
    assert "00004.jpg" in stored.detail["skipped_rows"][4]
    assert stored.words.endswith("1 rows without a mask")


def test_what_cannot_be_asked_is_refused(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(InputError, match="no dataset"):
        masks_job(workspace, "cats", "grabcut")
    with pytest.raises(InputError, match="no mask engine"):
        masks_job(workspace, "discs", "grabcat")
    full = _without_masks(tmp_path, 10)
    row_1 = replace(full.masks[0], row_id=1)
    masks = tuple(sorted((*full.masks, row_1), key=lambda mask: mask.row_id))
    workspace.add_dataset(replace(full, card=replace(full.card, name="full"), masks=masks))
    with pytest.raises(InputError, match="every row of full has a mask"):
        masks_job(workspace, "full", "grabcut")
