"""Neighbours of one query against the run's files."""

from pathlib import Path

import pandas as pd
import pytest

from cfr_core.audit.drilldown import drill_down
from cfr_core.audit.results import NEIGHBOURS_FILE, QUERIES_FILE
from cfr_core.errors import UnknownRowError
from cfr_core.types import View


def test_each_view_has_its_nearest_and_its_first_right_photo(run_folder: Path) -> None:
    queries = pd.read_parquet(run_folder / QUERIES_FILE)
    neighbours = pd.read_parquet(run_folder / NEIGHBOURS_FILE)
    places = set()
    for query in queries[::4].to_dict("records"):
        down = drill_down(run_folder, query["row_id"], 5)
        assert down.query.identity == query["identity"]
        own = neighbours[neighbours["query_row_id"] == query["row_id"]]
        for view in View:
            kept = own[own["view"] == view.value].sort_values("rank")
            retrieved = down.views[view]
            nearest = retrieved.nearest
            assert [match.photo.row_id for match in nearest] == kept["row_id"].head(5).tolist()
            assert [match.rank for match in nearest] == [1, 2, 3, 4, 5]
            assert all(
                match.is_right == (match.photo.identity == query["identity"]) for match in nearest
            )
            rank = query[f"{view.value}_rank"]
            assert retrieved.first_right_rank == rank
            if rank <= 5:
                assert retrieved.first_right is None
                places.add("shown")
                continue
            assert retrieved.first_right is not None
            assert retrieved.first_right.photo.row_id == query[f"{view.value}_hit_row_id"]
            assert retrieved.first_right.is_right
            assert (retrieved.first_right.similarity is not None) == (rank <= 20)
            places.add("kept" if rank <= 20 else "beyond")
    assert places == {"shown", "kept", "beyond"}


def test_a_match_is_found_by_its_row(run_folder: Path) -> None:
    query = int(pd.read_parquet(run_folder / QUERIES_FILE)["row_id"][0])
    retrieved = drill_down(run_folder, query, 20).views[View.FULL]
    third = retrieved.nearest[2]
    assert retrieved.match_of(third.photo.row_id) is third
    assert retrieved.match_of(-1) is None


def test_a_row_that_is_no_query_is_told(run_folder: Path) -> None:
    with pytest.raises(UnknownRowError, match="row 99999 is none of its queries"):
        drill_down(run_folder, 99_999, 5)
