"""The Evidence page: empty, with runs, and with what an address or a folder can get wrong."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.spec import AuditSpec
from cfr_core.workspace.store import Workspace
from server import workspace as served
from tests.made_dataset import made_dataset
from tests.made_run import ANIMAL, SCENERY, made_run

PAGE = "evidence.py"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[EvidenceProfile, ...]]:
    """Two encoders on one dataset, the later run first; one sees scenery, the other animals."""
    folder = tmp_path_factory.mktemp("evidence")
    spec = {"ks": (1, 5), "n_resamples": 100}
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(made_dataset(folder / "photos", n_photos=36))
        earlier = made_run(workspace, AuditSpec("discs", "animals", **spec), ANIMAL)
        later = made_run(
            workspace,
            AuditSpec("discs", "scenery", **spec),
            SCENERY,
            finished_at="2026-01-02T12:00:00+00:00",
        )
    return folder / "workspace", (later, earlier)


@pytest.fixture
def runs(
    prepared: tuple[Path, tuple[EvidenceProfile, ...]], workspace_folder: Path
) -> tuple[EvidenceProfile, ...]:
    """The same in a workspace of the test's own."""
    folder, profiles = prepared
    shutil.copytree(folder, workspace_folder)
    return profiles


def words(test: AppTest) -> str:
    return "\n".join(str(element.value) for element in (*test.markdown, *test.caption))


def query_table(test: AppTest):
    return test.tabs[0].dataframe[0].value


def test_an_empty_workspace_says_what_to_do(open_page: Callable[..., AppTest]) -> None:
    test = open_page(PAGE)
    assert "no finished run" in test.info[0].value


def test_the_latest_run_is_shown_in_words_and_numbers(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    test = open_page(PAGE)
    assert not test.warning
    rates = runs[0].by_k[1]
    said = words(test)
    assert rates.region.value.capitalize() in said
    assert f"{round(100 * rates.ssi)} %" in said
    assert f"{runs[0].n_queries} queries of {runs[0].n_identities} individuals" in said
    numbers = test.expander[0].dataframe[0].value.set_index("Number")
    assert numbers.loc["SSI @1", "Value"] == pytest.approx(rates.ssi, abs=1e-7)
    assert numbers.loc["SSI @1", "Low"] == pytest.approx(rates.intervals["ssi"][0], abs=1e-7)


def test_queries_start_with_the_most_suspicious(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    table = query_table(open_page(PAGE))
    assert table.index[0] == runs[0].suspicious[0].query_row_id
    assert table["kind"].iloc[0] == "scenery match"
    assert len(table) == runs[0].n_queries


def test_another_k_is_another_page(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    test = open_page(PAGE, k="5", run=runs[1].run_id)
    numbers = test.expander[0].dataframe[0].value.set_index("Number")
    assert numbers.loc["CFR @5", "Value"] == pytest.approx(runs[1].by_k[5].cfr, abs=1e-7)


def test_filters_narrow_the_plane_and_not_the_run(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    test = open_page(PAGE)
    test.multiselect[1].select("animals").run()
    assert test.query_params["encoders"] == "animals"
    assert test.query_params["run"] == runs[0].run_id


def test_kinds_and_words_filter_the_queries(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    test = open_page(PAGE, kinds="missed")
    assert set(query_table(test)["kind"]) == {"missed"}
    test = open_page(PAGE, search="DISC 5")
    assert set(query_table(test)["identity"]) == {"disc 5"}
    assert f"3 of {runs[0].n_queries} queries" in words(test)


def test_a_query_has_a_row_of_photos_for_each_view(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    query = runs[0].suspicious[0].query_row_id
    test = open_page(PAGE, query=str(query))
    for view in ("full", "foreground", "shortcut", "silhouette"):
        assert test.get_by_key(f"neighbours in {view}")
    assert f"row {query}" in words(test)
    rank = runs[0].suspicious[0].foreground_rank
    assert f"first right photo at rank {rank}" in words(test)


def test_a_click_on_a_photo_opens_the_pair(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    match = runs[0].suspicious[0]
    test = open_page(PAGE, query=str(match.query_row_id))
    event = {"id": "s-1", "row": match.match_row_id}
    test.session_state["neighbours in shortcut"] = {"event": event}
    test.run()
    assert test.query_params["pair"] == str(match.match_row_id)
    assert test.query_params["view"] == "shortcut"
    assert test.get_by_key("pair")


@pytest.mark.parametrize(
    ("address", "warning"),
    [
        ({"run": "nowhere"}, "run='nowhere', but that must be one of"),
        ({"k": "7"}, "that must be one of 1, 5. Showing 1 instead"),
        ({"query": "99999"}, "Row 99999 is no query of this run"),
        ({"query": "x"}, "query='x', but that must be"),
        ({"query": "4", "pair": "99999"}, "row 99999 is none of its photos"),
        ({"datasets": "discs,zebras"}, "datasets=zebras, which is not there"),
        ({"also": "nowhere"}, "also=nowhere, which is not there"),
        ({"kinds": "missed,found"}, "kinds=found, which is not there"),
        ({"published": "maybe"}, "published='maybe', but that must be yes, or left out"),
    ],
)
@pytest.mark.usefixtures("runs")
def test_a_wrong_address_is_told_in_words(
    open_page: Callable[..., AppTest], address: dict[str, str], warning: str
) -> None:
    test = open_page(PAGE, **address)
    told = [message.value.replace("\\", "") for message in (*test.warning, *test.error)]
    assert [warning in text for text in told] == [True]
    assert len(query_table(test))


def test_a_run_whose_files_are_gone_is_told_and_the_others_shown(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    shutil.rmtree(served.workspace().runs_dir / runs[0].run_id)
    test = open_page(PAGE)
    assert "its profile cannot be read" in test.warning[0].value
    assert test.query_params["run"] == runs[1].run_id


def test_damaged_queries_are_told(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    (served.workspace().runs_dir / runs[0].run_id / "queries.parquet").write_bytes(b"PAR1")
    test = open_page(PAGE)
    assert "missing or damaged" in test.error[0].value


def test_several_runs_are_compared(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    test = open_page(PAGE, run=runs[0].run_id, also=runs[1].run_id)
    assert len(test.expander[0].dataframe) == 2


def test_photos_that_changed_after_the_run_are_told(
    open_page: Callable[..., AppTest], runs: tuple[EvidenceProfile, ...]
) -> None:
    match = runs[0].suspicious[0]
    address = {"query": str(match.query_row_id), "pair": str(match.match_row_id)}
    assert not open_page(PAGE, **address).warning
    history = served.workspace().mask_history
    number, mask = history.current(match.query_row_id)
    _, other = history.current(match.query_row_id + 1)
    drawn = replace(mask, counts=other.counts, source="human", author="Ann")
    history.add(drawn, based_on=number)
    said = [message.value for message in open_page(PAGE, **address).warning]
    assert len(said) == 1
    assert said[0].startswith("1 of these")
    assert "Run the audit again" in said[0]
