"""The table of queries and its summary, against the run's own profile and files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfr_core.audit.evaluate import N_SUSPICIOUS
from cfr_core.audit.kinds import MatchKind
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.queries import identity_table, query_table
from cfr_core.errors import InputError
from cfr_core.types import View


@pytest.mark.parametrize("k", [1, 5])
def test_hits_add_up_to_the_rates_of_the_profile(
    run_folder: Path, profile: EvidenceProfile, k: int
) -> None:
    table = query_table(run_folder, k)
    assert len(table) == profile.n_queries
    for view in View:
        assert table[f"{view.value}_hit"].mean() == pytest.approx(profile.by_k[k].retrieval[view])


def test_the_most_suspicious_come_first_as_in_the_profile(
    run_folder: Path, profile: EvidenceProfile
) -> None:
    table = query_table(run_folder, 1)
    scenery = table[table["kind"] == MatchKind.SCENERY]
    assert scenery.index.tolist() == list(range(len(scenery)))
    expected = [match.query_row_id for match in profile.suspicious]
    assert expected
    assert table["row_id"].head(N_SUSPICIOUS).tolist()[: len(expected)] == expected
    for match, row in zip(profile.suspicious, table.to_dict("records"), strict=False):
        assert row["shortcut_hit_row_id"] == match.match_row_id
        assert row["shortcut_similarity"] == pytest.approx(match.shortcut_similarity)


def test_kinds_come_in_their_order_and_each_by_similarity(run_folder: Path) -> None:
    table = query_table(run_folder, 1)
    place = [list(MatchKind).index(kind) for kind in table["kind"]]
    assert place == sorted(place)
    assert len(set(place)) >= 3
    for _, group in table.groupby("kind", observed=True):
        similarity = group["shortcut_similarity"].dropna().to_numpy()
        assert (np.diff(similarity) <= 0).all()


def test_beyond_the_kept_neighbours_there_is_no_similarity(run_folder: Path) -> None:
    table = query_table(run_folder, 1)
    assert table["shortcut_similarity"].isna().equals(table["shortcut_rank"] > 20)


def test_what_a_query_shares_with_its_match_is_told(run_folder: Path) -> None:
    table = query_table(run_folder, 1).set_index("row_id")
    for row_id, row in table.iterrows():
        shared = row["shared"].split(", ")
        # Both are of one individual, so of one encounter; photos are an hour apart from midnight.
        assert "encounter" in shared
        match = row["shortcut_hit_row_id"]
        assert ("camera" in shared) == bool(row_id % 2 and match % 2)
        assert ("date" in shared) == (row_id // 24 == match // 24)
        assert "file" not in shared


def test_individuals_are_counted(run_folder: Path) -> None:
    queries = query_table(run_folder, 1)
    table = identity_table(queries)
    assert table["n_queries"].sum() == len(queries)
    assert table[MatchKind.SCENERY].is_monotonic_decreasing
    for row in table.to_dict("records"):
        own = queries[queries["identity"] == row["identity"]]
        assert row["n_queries"] == len(own)
        for kind in MatchKind:
            assert row[kind] == (own["kind"] == kind).sum()
        right = own[own["full_hit"]]
        assert row["without_animal"] == pytest.approx(right["shortcut_hit"].mean(), nan_ok=True)


def test_where_none_is_right_the_share_is_undefined() -> None:
    queries = pd.DataFrame(
        {
            "row_id": [0, 1],
            "identity": ["a", "a"],
            "kind": pd.Categorical([MatchKind.MISSED] * 2, categories=list(MatchKind)),
        }
    )
    assert identity_table(queries)["without_animal"].isna().all()


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"queries\.parquet is missing or damaged; run the audit"):
        query_table(tmp_path, 1)
