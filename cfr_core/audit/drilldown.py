"""What each view took for the same animal as one query."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from cfr_core.audit.pairs import PairFact, pair_facts
from cfr_core.audit.results import NEIGHBOURS_FILE, QUERIES_FILE
from cfr_core.audit.similarity import similarities
from cfr_core.audit.stored import read_rows, read_table
from cfr_core.errors import UnknownRowError
from cfr_core.types import View


@dataclass(frozen=True)
class Photo:
    """A benchmark row as a screen names it.

    Attributes:
        row_id: The row.
        identity: Its individual.
        date: Day of the photo, ISO 8601; empty if not known.
    """

    row_id: int
    identity: str
    date: str


@dataclass(frozen=True)
class Match:
    """A photo that a view retrieved.

    Attributes:
        photo: The photo.
        rank: Its place among all of the query's gallery in that view, 1 is best.
        similarity: Cosine similarity, or None where neither it nor its vectors are stored.
        is_right: Whether it shows the query's individual.
    """

    photo: Photo
    rank: int
    similarity: float | None
    is_right: bool


@dataclass(frozen=True)
class Retrieved:
    """What one view retrieved for a query.

    Attributes:
        nearest: The nearest photos that the run keeps, best first.
        first_right: The first right photo where it is none of `nearest`, else None.
        first_right_rank: Its rank in any case.
    """

    nearest: tuple[Match, ...]
    first_right: Match | None
    first_right_rank: int

    @property
    def all_known(self) -> tuple[Match, ...]:
        """The nearest photos, then the first right one if it is none of them."""
        return (*self.nearest, *([self.first_right] if self.first_right else []))

    def first(self, n: int) -> tuple[Match, ...]:
        """The n nearest photos, then the first right one if it is none of them."""
        shown = self.all_known[:n]
        beyond = (match for match in self.all_known[n:] if match.rank == self.first_right_rank)
        return (*shown, *beyond)

    def match_of(self, row_id: int) -> Match | None:
        """The match that is this row, if it is known."""
        return next((match for match in self.all_known if match.photo.row_id == row_id), None)


@dataclass(frozen=True)
class DrillDown:
    """One query and what each view retrieved for it."""

    query: Photo
    views: Mapping[View, Retrieved]


def drill_down(folder: Path, query_row_id: int) -> DrillDown:
    """What each view retrieved for a query.

    Args:
        folder: `runs/<run_id>` of a workspace.
        query_row_id: A query of the run.

    Raises:
        UnknownRowError: if the run has no such query.
        InputError: if a file of the run is missing or damaged.
    """
    query = read_table(folder / QUERIES_FILE, filters=[("row_id", "==", query_row_id)])
    if query.empty:
        raise UnknownRowError(f"run {folder.name}: row {query_row_id} is none of its queries")
    answers = query.to_dict("records")[0]
    neighbours = read_table(
        folder / NEIGHBOURS_FILE, filters=[("query_row_id", "==", query_row_id)]
    )
    hit_row_ids = [answers[f"{view.value}_hit_row_id"] for view in View]
    photos = _photos(folder, {query_row_id, *neighbours["row_id"], *hit_row_ids})
    views = {
        view: _retrieved(
            neighbours[neighbours["view"] == view.value],
            photos,
            (answers[f"{view.value}_rank"], answers[f"{view.value}_hit_row_id"]),
        )
        for view in View
    }
    return DrillDown(photos[query_row_id], _with_similarities(folder, query_row_id, views))


def facts_of_pair(folder: Path, query_row_id: int, candidate_row_id: int) -> tuple[PairFact, ...]:
    """What is known of two rows of a run.

    Args:
        folder: `runs/<run_id>` of a workspace.
        query_row_id: One row.
        candidate_row_id: The other.

    Raises:
        UnknownRowError: if one of them is none of the run's rows.
        InputError: if a file of the run is missing or damaged.
    """
    pair = (query_row_id, candidate_row_id)
    rows = {row["row_id"]: row for row in read_rows(folder, pair).to_dict("records")}
    for row_id in pair:
        if row_id not in rows:
            raise UnknownRowError(f"run {folder.name}: row {row_id} is none of its photos")
    return pair_facts(*(rows[row_id] for row_id in pair))


def _photos(folder: Path, row_ids: set[int]) -> dict[int, Photo]:
    rows = read_rows(folder, row_ids)
    dates = rows["captured_at"].dt.strftime("%Y-%m-%d").fillna("")
    return {
        row_id: Photo(row_id, identity, date)
        for row_id, identity, date in zip(
            rows["row_id"].tolist(), rows["identity"], dates, strict=True
        )
    }


def _with_similarities(
    folder: Path, query_row_id: int, views: Mapping[View, Retrieved]
) -> dict[View, Retrieved]:
    """With the similarity of first right photos beyond the nearest, where it can be computed."""
    beyond = {view: found.first_right for view, found in views.items() if found.first_right}
    if not beyond:
        return dict(views)
    rows = {view: match.photo.row_id for view, match in beyond.items()}
    known = similarities(folder, query_row_id, rows)
    more = {view: replace(beyond[view], similarity=value) for view, value in known.items()}
    return {
        view: replace(found, first_right=more.get(view, found.first_right))
        for view, found in views.items()
    }


def _retrieved(
    neighbours: pd.DataFrame, photos: Mapping[int, Photo], first_right: tuple[int, int]
) -> Retrieved:
    columns = ("row_id", "rank", "score", "is_right")
    nearest = tuple(
        Match(photos[row_id], rank, score, is_right)
        for row_id, rank, score, is_right in zip(
            *(neighbours.sort_values("rank")[column].tolist() for column in columns), strict=True
        )
    )
    rank, row_id = first_right
    beyond = Match(photos[row_id], rank, None, is_right=True) if rank > len(nearest) else None
    return Retrieved(nearest, beyond, rank)
