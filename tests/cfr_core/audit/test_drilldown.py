"""Neighbours of one query against the run's files."""

from pathlib import Path

import pandas as pd
import pytest

from cfr_core.audit.drilldown import drill_down, facts_of_pair
from cfr_core.audit.job import AuditJob
from cfr_core.audit.results import NEIGHBOURS_FILE, QUERIES_FILE
from cfr_core.audit.spec import AuditSpec
from cfr_core.errors import UnknownRowError
from cfr_core.types import EncoderSpec, View
from cfr_core.workspace.store import Workspace
from cfr_core.workspace.vectors import VectorStore, vector_key
from tests.made_dataset import made_dataset
from tests.made_run import SCENERY, drawn_vectors, made_run

N_KEPT = 20


def test_each_view_has_its_nearest_and_its_first_right_photo(run_folder: Path) -> None:
    queries = pd.read_parquet(run_folder / QUERIES_FILE)
    neighbours = pd.read_parquet(run_folder / NEIGHBOURS_FILE)
    places = set()
    for query in queries[::4].to_dict("records"):
        down = drill_down(run_folder, query["row_id"])
        assert down.query.identity == query["identity"]
        own = neighbours[neighbours["query_row_id"] == query["row_id"]]
        for view in View:
            kept = own[own["view"] == view.value].sort_values("rank")
            retrieved = down.views[view]
            nearest = retrieved.nearest
            assert [match.photo.row_id for match in nearest] == kept["row_id"].tolist()
            assert [match.rank for match in nearest] == list(range(1, N_KEPT + 1))
            assert all(
                match.is_right == (match.photo.identity == query["identity"]) for match in nearest
            )
            assert retrieved.first_right_rank == query[f"{view.value}_rank"]
            first_right = next(match for match in retrieved.all_known if match.is_right)
            assert first_right.rank == retrieved.first_right_rank
            assert first_right.photo.row_id == query[f"{view.value}_hit_row_id"]
            is_kept = first_right.rank <= N_KEPT
            assert (first_right.similarity is not None) == is_kept
            assert (retrieved.first_right is None) == is_kept
            places.add(is_kept)
    assert places == {True, False}


def test_the_first_right_photo_is_among_the_first_however_few(run_folder: Path) -> None:
    query = int(pd.read_parquet(run_folder / QUERIES_FILE)["row_id"][0])
    for retrieved in drill_down(run_folder, query).views.values():
        for n in (1, 5, 20, 30):
            first = retrieved.first(n)
            assert first[: min(n, N_KEPT)] == retrieved.nearest[:n]
            assert any(match.is_right for match in first)
            assert len(first) == min(n, N_KEPT) + (retrieved.first_right_rank > min(n, N_KEPT))


def test_the_similarity_of_a_right_photo_beyond_the_nearest_is_of_its_vectors(
    tmp_path: Path,
) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.add_dataset(made_dataset(tmp_path / "photos", n_photos=60))
        profile = made_run(workspace, AuditSpec("discs", "made", n_resamples=100))
        folder = workspace.runs_dir / profile.run_id
    job = AuditJob.read(folder)
    vectors = {view: drawn_vectors(job.table, SCENERY[view], i) for i, view in enumerate(View)}
    spec = EncoderSpec(**{n: profile.encoder[n] for n in EncoderSpec.__dataclass_fields__})
    store = VectorStore(tmp_path / "workspace" / "embeddings", spec, profile.engine)
    # The silhouettes' vectors are gone.
    for view in job.spec.views[:3]:
        store.append([vector_key(crop, view) for crop in job.crops], vectors[view.view])
    place = {row: i for i, row in enumerate(job.table["row_id"])}
    seen = set()
    for query in pd.read_parquet(folder / QUERIES_FILE)["row_id"][::6]:
        for view, retrieved in drill_down(folder, query).views.items():
            if (match := retrieved.first_right) is None:
                continue
            seen.add(view)
            if view is View.SILHOUETTE:
                assert match.similarity is None
                continue
            of_view = vectors[view].astype(float)
            expected = of_view[place[query]] @ of_view[place[match.photo.row_id]]
            assert match.similarity == pytest.approx(expected, abs=1e-6)
            assert match.similarity <= retrieved.nearest[-1].similarity + 1e-6
    assert seen >= {View.FOREGROUND, View.SILHOUETTE}


def test_a_match_is_found_by_its_row(run_folder: Path) -> None:
    query = int(pd.read_parquet(run_folder / QUERIES_FILE)["row_id"][0])
    retrieved = drill_down(run_folder, query).views[View.FULL]
    third = retrieved.nearest[2]
    assert retrieved.match_of(third.photo.row_id) is third
    assert retrieved.match_of(-1) is None


def test_facts_of_a_pair_are_those_of_its_rows(run_folder: Path) -> None:
    facts = {fact.name: fact for fact in facts_of_pair(run_folder, 5, 4)}
    assert (facts["file"].query, facts["file"].candidate) == ("00005.jpg", "00004.jpg")
    assert facts["date"].note == "1 h apart"


def test_rows_that_are_not_there_are_told(run_folder: Path) -> None:
    with pytest.raises(UnknownRowError, match="row 99999 is none of its queries"):
        drill_down(run_folder, 99_999)
    with pytest.raises(UnknownRowError, match="row 99999 is none of its photos"):
        facts_of_pair(run_folder, 5, 99_999)
