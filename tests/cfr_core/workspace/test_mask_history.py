"""Versions of masks: none is lost, none is overwritten, and who comes second is told."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr_core.errors import InputError, MaskConflictError, MaskError, UnknownRowError
from cfr_core.masks.rle import encode
from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace.mask_history import ProposalCounts
from cfr_core.workspace.mask_table import MaskCandidate
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

SIZE_HW = (90, 120)
ACCEPTED, PROPOSED, REJECTED = MaskStatus.ACCEPTED, MaskStatus.PROPOSED, MaskStatus.REJECTED


def a_mask(row_id: int, column: int = 0, **fields: object) -> Mask:
    """A bar of the crop's height, five columns wide."""
    pixels = np.zeros(SIZE_HW, bool)
    pixels[:, column : column + 5] = True
    drawn = Mask(row_id, SIZE_HW, encode(pixels), "human", PROPOSED, author="Ana")
    return replace(drawn, **fields)


def empty(row_id: int, status: MaskStatus) -> Mask:
    return a_mask(row_id, counts=encode(np.zeros(SIZE_HW, bool)), status=status)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Rows 0 to 11; row 1 has no mask, the one of row 2 waits, the others came accepted."""
    with Workspace(tmp_path / "w") as workspace:
        workspace.add_dataset(made_dataset(tmp_path / "photos"))
        yield workspace


def test_every_version_is_kept_with_who_made_it_from_what(workspace: Workspace) -> None:
    history = workspace.mask_history
    assert history.current(1) == (0, None)
    asked = '{"points": [[3, 4]]}'
    engine_made = a_mask(1, source="sam-vit-b", score=0.75, prompts=asked, author="Ben")
    assert history.add(engine_made, based_on=0) == 1
    assert history.add(a_mask(1, 7, status=ACCEPTED), based_on=1) == 2
    assert history.review(1, REJECTED, author="Cyd", based_on=2, reason="tail missing") == 3
    (_, first), (_, second), (_, third) = history.versions(1)
    assert replace(first, created_at="") == engine_made
    assert datetime.fromisoformat(first.created_at).tzinfo is not None
    assert (second.source, second.author, second.status) == ("human", "Ana", ACCEPTED)
    assert (third.counts, third.author, third.reason) == (second.counts, "Cyd", "tail missing")
    assert history.current(1) == (3, third)
    assert workspace.masks("discs")[1] == third
    assert workspace.crop(1).mask is None


def test_any_version_can_count_again(workspace: Workspace) -> None:
    history = workspace.mask_history
    history.add(a_mask(1, 7, status=ACCEPTED), based_on=0)
    history.review(1, REJECTED, author="Cyd", based_on=1, reason="tail missing")
    assert history.restore(1, 1, author="Dee", based_on=2) == 3
    restored = workspace.crop(1).mask
    assert restored is not None
    assert (restored.counts, restored.author) == (a_mask(1, 7).counts, "Dee")
    with pytest.raises(MaskError, match="row 1 has no version 9"):
        history.restore(1, 9, author="Dee", based_on=3)


def test_the_second_of_two_editors_is_told_and_nothing_is_lost(workspace: Workspace) -> None:
    history = workspace.mask_history
    history.add(a_mask(0, 3, author="Ben"), based_on=1)
    with pytest.raises(MaskConflictError, match=r"Ben saved version 2 .*row 0 .*version 1") as told:
        history.add(a_mask(0, 9), based_on=1)
    assert (told.value.version, told.value.author) == (2, "Ben")
    assert told.value.created_at
    for second in (
        lambda: history.review(0, ACCEPTED, author="Ana", based_on=1),
        lambda: history.restore(0, 1, author="Ana", based_on=1),
    ):
        with pytest.raises(MaskConflictError):
            second()
    assert [version for version, _ in history.versions(0)] == [1, 2]
    assert history.add(a_mask(0, 9), based_on=2) == 3


def test_of_many_threads_that_save_at_once_one_wins(workspace: Workspace) -> None:
    ready = threading.Barrier(6)

    def save(column: int) -> bool:
        ready.wait()
        try:
            workspace.mask_history.add(a_mask(1, column), based_on=0)
        except MaskConflictError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(save, range(6))) == 1
    assert len(workspace.mask_history.versions(1)) == 1


@pytest.mark.parametrize(
    ("mask", "error", "words"),
    [
        # nothing to hide, so its shortcut view would be the full image
        (empty(1, ACCEPTED), MaskError, "row 1 is empty"),
        # drawn on a thumbnail
        (a_mask(1, size_hw=(4, 5), counts=encode(np.ones((4, 5), bool))), MaskError, "120 x 90 px"),
        # run lengths of another picture
        (a_mask(1, counts=encode(np.ones((4, 5), bool))), MaskError, "run lengths cover 20"),
        (a_mask(77), UnknownRowError, "no row 77"),
    ],
)
def test_what_is_no_mask_of_the_row_is_refused(
    workspace: Workspace, mask: Mask, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        workspace.mask_history.add(mask, based_on=0)
    with pytest.raises(error, match=words):
        workspace.mask_history.add_proposals([a_mask(2, source="sam"), mask])
    assert workspace.mask_history.versions(1) == []
    assert len(workspace.mask_history.versions(2)) == 1  # all of a bulk run or nothing


def test_an_empty_mask_may_wait_or_be_rejected_but_not_be_accepted(workspace: Workspace) -> None:
    history = workspace.mask_history
    history.add(empty(1, PROPOSED), based_on=0)
    with pytest.raises(MaskError, match="draw the animal"):
        history.review(1, ACCEPTED, author="Ana", based_on=1)
    assert history.review(1, REJECTED, author="Ana", based_on=1, reason="no animal") == 2


def test_a_row_without_a_mask_has_nothing_to_review(workspace: Workspace) -> None:
    with pytest.raises(MaskError, match="row 1 has no mask"):
        workspace.mask_history.review(1, ACCEPTED, author="Ana", based_on=0)


def test_many_masks_are_reviewed_at_once(workspace: Workspace) -> None:
    history = workspace.mask_history
    history.add(empty(4, PROPOSED), based_on=1)
    history.add(a_mask(5, author="Ben"), based_on=1)
    history.add(a_mask(6), based_on=1)
    seen = {0: 1, 2: 1, 4: 2, 5: 1, 6: 2}
    outcome = history.review_many([0, 1, 2, 4, 5, 6], ACCEPTED, author="Ana", seen=seen)
    assert outcome.changed == {2: 2, 6: 3}  # row 0 was accepted before
    assert "no mask" in outcome.refused[1]
    assert "empty" in outcome.refused[4]
    assert "Ben saved version 2" in outcome.refused[5]
    assert set(outcome.refused) == {1, 4, 5}
    assert [m.author for _, m in history.versions(2)] == ["", "Ana"]


def test_a_bulk_run_leaves_the_work_of_people_alone(workspace: Workspace) -> None:
    history = workspace.mask_history
    by_machine = [a_mask(row, source="sam3", score=0.5, author="") for row in range(1, 8)]
    first = history.add_proposals(by_machine)
    assert first == ProposalCounts(n_proposed=1, n_kept=6)  # only row 1 came without a mask
    history.review(1, ACCEPTED, author="Ana", based_on=1)
    history.add(a_mask(2, 50), based_on=1)
    again = [replace(mask, score=0.9) for mask in by_machine]
    assert history.add_proposals(again) == ProposalCounts(n_kept=7)
    assert history.current(1)[1].author == "Ana"


def test_a_restored_proposal_is_a_persons_choice(workspace: Workspace) -> None:
    history = workspace.mask_history
    for column in (0, 9):
        history.add_proposals([a_mask(1, column, source="sam3", author="")])
    history.restore(1, 1, author="Ana", based_on=2)
    assert history.add_proposals([a_mask(1, 20, source="sam3")]).n_kept == 1


def test_the_same_bulk_run_stored_twice_changes_nothing(workspace: Workspace) -> None:
    history = workspace.mask_history
    proposal = a_mask(1, source="sam3", status=REJECTED, author="", reason="box IoU 0.31")
    assert history.add_proposals([proposal]) == ProposalCounts(n_rejected=1)
    assert history.add_proposals([proposal]) == ProposalCounts(n_unchanged=1)
    better = replace(proposal, status=ACCEPTED, reason="")
    assert history.add_proposals([better]) == ProposalCounts(n_accepted=1)
    assert [m.status for _, m in history.versions(1)] == [REJECTED, ACCEPTED]


def test_a_score_that_an_engine_does_not_give_stays_unknown(workspace: Workspace) -> None:
    workspace.mask_history.add_proposals([a_mask(1, score=0.5)])
    workspace.mask_history.add(a_mask(1, 3), based_on=1)
    assert [m.score for _, m in workspace.mask_history.versions(1)] == [0.5, None]


def test_candidates_are_kept_with_why_each_was_left(workspace: Workspace) -> None:
    counts = a_mask(1).counts
    kept = [
        MaskCandidate("job-1", 1, 0, "sam3", "zebra", SIZE_HW, counts, 0.9, 0.2, "box IoU 0.20"),
        MaskCandidate("job-1", 1, 1, "sam3", "zebra", SIZE_HW, counts, None, None, "chosen"),
        MaskCandidate("job-1", 2, 0, "sam3", "horse", SIZE_HW, counts, 0.1, 0.8, "chosen"),
    ]
    history = workspace.mask_history
    for _ in range(2):  # a run that is stored again replaces its candidates
        history.add_proposals([a_mask(1, source="sam3")], kept)
    assert history.candidates(1) == kept[:2]
    assert history.candidates(3) == []


def test_replacing_a_dataset_never_loses_a_review(workspace: Workspace, tmp_path: Path) -> None:
    again = made_dataset(tmp_path / "photos")
    workspace.mask_history.review(4, REJECTED, author="Ana", based_on=1)
    with pytest.raises(InputError, match="1 masks made in this workspace"):
        workspace.add_dataset(again, replace=True)


@pytest.fixture(scope="module")
def fresh_rows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, count]]:
    """A workspace, and the ids of rows with one mask that no example has touched."""
    folder = tmp_path_factory.mktemp("deeds")
    with Workspace(folder / "w") as workspace:
        workspace.add_dataset(made_dataset(folder / "photos", n_photos=4, n_rows=200))
        yield workspace, count(4)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "review", "restore", "bulk"]), st.integers(0, 9)),
        max_size=8,
    )
)
def test_no_sequence_of_deeds_changes_an_older_version(
    fresh_rows: tuple[Workspace, count], deeds: list[tuple[str, int]]
) -> None:
    history, row_id = fresh_rows[0].mask_history, next(fresh_rows[1])
    before = history.versions(row_id)
    for name, number in deeds:
        last = before[-1][0]
        if name == "add":
            history.add(a_mask(row_id, number), based_on=last)
        elif name == "review":
            history.review(row_id, list(MaskStatus)[number % 3], author="Ana", based_on=last)
        elif name == "restore":
            history.restore(row_id, 1 + number % last, author="Ben", based_on=last)
        else:
            history.add_proposals([a_mask(row_id, number, source="sam3")])
        after = history.versions(row_id)
        assert after[: len(before)] == before
        assert [version for version, _ in after] == list(range(1, len(after) + 1))
        assert len(after) - len(before) == (name != "bulk")
        before = after
