"""The rows of a dataset as a queue of masks to review: filtered, ordered, one after another."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from cfr_core.errors import UnknownRowError
from cfr_core.masks.defects import (
    DEFECT_LABELS,
    MEASURE_COLUMNS,
    Defect,
    defect_words,
    flag_defects,
    score_defects,
)
from cfr_core.types import BoolArray, IntArray


class RowState(StrEnum):
    """How far a row's mask is."""

    NO_MASK = "no mask"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


QueueOrder: TypeAlias = Literal["row", "score"] | Defect
"""As in the dataset; the engine's least sure first; the worst of a defect first."""

ORDER_LABELS: Mapping[QueueOrder, str] = {
    "row": "As in the dataset",
    "score": "Least sure first",
    **{defect: f"{label} first" for defect, label in DEFECT_LABELS.items()},
}
"""Names for people."""


@dataclass(frozen=True)
class QueueFilter:
    """Which rows are asked for; an empty field asks for nothing.

    Attributes:
        states: Any of these.
        author: Who drew or reviewed the current version.
        source: "human", "dataset" or an engine's name.
        defects: Flagged for any of these.
    """

    states: frozenset[RowState] = frozenset()
    author: str = ""
    source: str = ""
    defects: frozenset[Defect] = frozenset()


@dataclass(frozen=True)
class ReviewProgress:
    """How far the review of a dataset is.

    Attributes:
        n_rows: Rows.
        n_by_state: Rows in each state.
        n_flagged: Rows whose mask is flagged for any defect, rejected masks aside.
        n_by_defect: Rows whose mask is flagged for each, rejected masks aside.
        n_by_author: Rows whose current version is a person's, by name, most first.
        n_by_source: Rows whose current mask has each source, most first.
    """

    n_rows: int
    n_by_state: dict[RowState, int]
    n_flagged: int
    n_by_defect: dict[Defect, int]
    n_by_author: dict[str, int]
    n_by_source: dict[str, int]

    @property
    def n_reviewed(self) -> int:
        """Rows that are accepted or rejected."""
        return self.n_by_state[RowState.ACCEPTED] + self.n_by_state[RowState.REJECTED]


class ReviewQueue:
    """A dataset's rows with their masks' states and defects, as they were when it was read.

    Attributes:
        rows: As `MaskChecks.table` gives them, and state (values of `RowState`).
        scores: The same rows, a score of each defect; NaN where it is not known.
        flags: The same rows, whether each defect is worth a look.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        """Take what `MaskChecks.table` gives."""
        self.rows = table.assign(state=table["status"].replace("", RowState.NO_MASK))
        self.scores = score_defects(table)
        self.flags = flag_defects(self.scores, table)

    def row_ids(self, which: QueueFilter, order: QueueOrder = "row") -> IntArray:
        """Row ids that a filter lets through, (N,) int64, in order."""
        places = self._order(order)
        ids: IntArray = self._row_ids[places[self._matches(which)[places]]]
        return ids

    def next_unreviewed(
        self, row_id: int | None, which: QueueFilter, order: QueueOrder = "row"
    ) -> int | None:
        """The row to work on after another, which need not pass the filter any more.

        Args:
            row_id: The row that was worked on; None for the first of all.
            which: Rows to stay within.
            order: Their order; after the last the first is next.

        Returns:
            The next row without a mask or with a proposed one; None if there is none but `row_id`.

        Raises:
            UnknownRowError: if `row_id` is not in the queue.
        """
        places = self._order(order)
        start = 0
        if row_id is not None:
            start = 1 + int(np.flatnonzero(places == self._place(row_id))[0])
        places = np.roll(places, -start)
        found = places[(self._matches(which) & self._is_open)[places]]
        ids = self._row_ids[found]
        ids = ids[ids != row_id]
        return int(ids[0]) if len(ids) else None

    def words(self, row_id: int) -> dict[Defect, str]:
        """What is flagged on a row's mask, each in words with its numbers.

        Raises:
            UnknownRowError: if the row is not in the queue.
        """
        place = self._place(row_id)
        measures = {name: float(self.rows[name].iloc[place]) for name in MEASURE_COLUMNS}
        scores = self.scores.iloc[place]
        return {
            defect: defect_words(defect, measures, float(scores[defect]))
            for defect in Defect
            if self.flags[defect].iloc[place]
        }

    @property
    def progress(self) -> ReviewProgress:
        """How far the review is."""
        state = self.rows["state"]
        flags = self.flags[~state.isin([RowState.NO_MASK, RowState.REJECTED])]
        return ReviewProgress(
            n_rows=len(state),
            n_by_state={one: int((state == one).sum()) for one in RowState},
            n_flagged=int(flags.any(axis=1).sum()),
            n_by_defect={defect: int(flags[defect].sum()) for defect in Defect},
            n_by_author=_counts(self.rows["author"]),
            n_by_source=_counts(self.rows["source"]),
        )

    @cached_property
    def _row_ids(self) -> IntArray:
        return self.rows["row_id"].to_numpy()

    @cached_property
    def _is_open(self) -> BoolArray:
        return self.rows["state"].isin([RowState.NO_MASK, RowState.PROPOSED]).to_numpy()

    def _place(self, row_id: int) -> int:
        places = np.flatnonzero(self._row_ids == row_id)
        if not len(places):
            raise UnknownRowError(f"row {row_id} is not in this dataset; choose one of its rows")
        return int(places[0])

    def _order(self, order: QueueOrder) -> IntArray:
        """Places of all rows in an order; ties and unknown values in dataset order, these last."""
        if order == "row":
            return np.arange(len(self.rows))
        keys = self.rows["score"] if order == "score" else -self.scores[order]
        return np.argsort(keys.to_numpy(np.float64), kind="stable")

    def _matches(self, which: QueueFilter) -> BoolArray:
        """(N,) bool over the rows in dataset order."""
        passes = np.ones(len(self.rows), np.bool_)
        if which.states:
            passes &= self.rows["state"].isin(which.states).to_numpy()
        if which.author:
            passes &= (self.rows["author"] == which.author).to_numpy()
        if which.source:
            passes &= (self.rows["source"] == which.source).to_numpy()
        if which.defects:
            passes &= self.flags[list(which.defects)].any(axis=1).to_numpy()
        return passes


def _counts(names: pd.Series) -> dict[str, int]:
    counts = names[names != ""].value_counts()
    return {str(name): int(n) for name, n in counts.items()}
