"""The queue of masks to review: what it holds, in which order, and what comes next."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfr_core.errors import InputError, UnknownRowError
from cfr_core.masks.defects import MEASURE_COLUMNS, Defect
from cfr_core.masks.rle import encode
from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace.review_queue import ORDER_LABELS, QueueFilter, ReviewQueue, RowState
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

SIZE_HW = (90, 120)


def bar(row_id: int, width: int, source: str = "sam3", score: float | None = None) -> Mask:
    """From the left border, so that it touches the border on the whole of that side."""
    pixels = np.zeros(SIZE_HW, bool)
    pixels[:, :width] = True
    return Mask(row_id, SIZE_HW, encode(pixels), source, MaskStatus.PROPOSED, score)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Row 1 has no mask, the one of row 2 waits, the others came accepted, all discs."""
    with Workspace(tmp_path / "w") as workspace:
        workspace.add_dataset(made_dataset(tmp_path / "photos"))
        yield workspace


def test_rows_are_found_by_state_person_source_and_defect(workspace: Workspace) -> None:
    history = workspace.mask_history
    history.add_proposals([bar(1, 20)])
    history.review(5, MaskStatus.REJECTED, author="Ana", based_on=1)
    history.review(6, MaskStatus.ACCEPTED, author="Ben", based_on=1)
    workspace.mask_checks.update("discs")
    queue = workspace.review_queue("discs")

    def ids(**fields: object) -> list[int]:
        return queue.row_ids(QueueFilter(**fields)).tolist()

    assert ids() == list(range(12))
    assert ids(states=frozenset([RowState.PROPOSED])) == [1, 2]
    assert ids(states=frozenset([RowState.PROPOSED, RowState.REJECTED])) == [1, 2, 5]
    assert ids(states=frozenset([RowState.NO_MASK])) == []
    assert ids(author="Ana") == [5]
    assert ids(source="sam3") == [1]
    assert ids(defects=frozenset([Defect.BORDER])) == [1]
    assert ids(defects=frozenset([Defect.HOLES])) == []
    assert ids(source="dataset", author="Ben") == [6]


def test_worst_and_least_sure_come_first_and_the_unknown_last(workspace: Workspace) -> None:
    workspace.mask_history.add_proposals([bar(1, 20, score=0.4)])
    workspace.mask_history.add(bar(2, 20, score=0.2), based_on=1)
    unmeasured = workspace.review_queue("discs")
    assert unmeasured.row_ids(QueueFilter(), "score").tolist() == [2, 1, 0, *range(3, 12)]
    assert unmeasured.row_ids(QueueFilter(), Defect.BORDER).tolist() == list(range(12))
    assert not unmeasured.flags.any(axis=None)
    workspace.mask_checks.update("discs")
    measured = workspace.review_queue("discs")
    assert measured.row_ids(QueueFilter(), Defect.BORDER).tolist()[:2] == [1, 2]
    assert measured.scores["border"].tolist()[:3] == [0, 1, 1]


def test_progress_counts_rows_people_and_engines(workspace: Workspace) -> None:
    workspace.mask_history.add_proposals([bar(1, 20)])
    for row_id in (5, 6):
        workspace.mask_history.review(row_id, MaskStatus.REJECTED, author="Ana", based_on=1)
    workspace.mask_history.review(2, MaskStatus.ACCEPTED, author="Ben", based_on=1)
    workspace.mask_checks.update("discs")
    progress = workspace.review_queue("discs").progress
    assert progress.n_rows == 12
    assert progress.n_by_state == {
        RowState.NO_MASK: 0,
        RowState.PROPOSED: 1,
        RowState.ACCEPTED: 9,
        RowState.REJECTED: 2,
    }
    assert progress.n_reviewed == 11
    assert progress.n_flagged == 1
    assert {name for name, n in progress.n_by_defect.items() if n} == {"border"}
    assert list(progress.n_by_author.items()) == [("Ana", 2), ("Ben", 1)]
    assert progress.n_by_source == {"dataset": 11, "sam3": 1}


def test_after_a_row_is_accepted_the_next_one_is_found_from_its_place(workspace: Workspace) -> None:
    history = workspace.mask_history
    history.add_proposals([bar(1, 20)])
    waiting = QueueFilter(states=frozenset([RowState.PROPOSED]))
    assert workspace.review_queue("discs").next_unreviewed(None, waiting) == 1
    history.review(1, MaskStatus.ACCEPTED, author="Ana", based_on=1)
    queue = workspace.review_queue("discs")  # row 1 is not among those waiting any more
    assert queue.next_unreviewed(1, waiting) == 2
    assert queue.next_unreviewed(7, waiting) == 2  # from the start again
    assert queue.next_unreviewed(2, waiting) is None


def test_what_is_flagged_is_said_in_words(workspace: Workspace) -> None:
    workspace.mask_history.add_proposals([bar(1, 12)])
    workspace.mask_checks.update("discs")
    queue = workspace.review_queue("discs")
    assert queue.words(1) == {
        Defect.BORDER: "touches left (100 % of that side), top (10 % of that side), "
        "bottom (10 % of that side)"
    }
    assert queue.words(0) == {}
    with pytest.raises(UnknownRowError, match="row 99"):
        queue.words(99)
    with pytest.raises(UnknownRowError, match="row 99"):
        queue.next_unreviewed(99, QueueFilter())


def test_every_order_has_a_name() -> None:
    assert set(ORDER_LABELS) == {"row", "score", *Defect}


def test_an_unknown_dataset_is_named(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="no dataset 'cats'"):
        workspace.review_queue("cats")


def made_queue(states: list[RowState], borders: list[float]) -> ReviewQueue:
    n = len(states)
    table = pd.DataFrame({name: np.full(n, np.nan) for name in MEASURE_COLUMNS}).assign(
        row_id=np.arange(n) * 3 + 5,
        version=1,
        status=["" if state is RowState.NO_MASK else str(state) for state in states],
        source="sam3",
        author="",
        score=np.nan,
        left_share=borders,
        is_boxed=False,
        crop_px=100,
        other_share=np.nan,
    )
    return ReviewQueue(table)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(RowState), st.sampled_from([np.nan, 0.0, 0.5])),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(["row", Defect.BORDER]),
    st.data(),
)
def test_stepping_from_row_to_row_meets_every_open_one_once(
    made: list[tuple[RowState, float]], order: str, data: st.DataObject
) -> None:
    states, borders = zip(*made, strict=True)
    queue = made_queue(list(states), list(borders))
    which = QueueFilter(defects=data.draw(st.sampled_from([frozenset(), frozenset(["border"])])))
    everyone = queue.row_ids(QueueFilter(), order).tolist()
    state_of = dict(zip(queue.rows["row_id"], queue.rows["state"], strict=True))
    wanted = [i for i in queue.row_ids(which, order) if state_of[i] in ("no mask", "proposed")]
    start = data.draw(st.sampled_from(everyone))
    after = [i for i in wanted if everyone.index(i) > everyone.index(start)]
    before = [i for i in wanted if everyone.index(i) < everyone.index(start)]
    met, row_id = [], start
    for _ in after + before:
        row_id = queue.next_unreviewed(row_id, which, order)
        met.append(row_id)
    assert met == after + before
    if not met:
        assert queue.next_unreviewed(start, which, order) is None
