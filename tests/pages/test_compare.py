"""The page that compares runs: too few runs, two runs, and a run that cannot be read."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.audit.comparison import compare_runs
from cfr_core.audit.spec import AuditSpec
from server import workspace as served
from tests.made_dataset import made_dataset
from tests.made_run import ANIMAL, SCENERY, made_run

SPEC = AuditSpec("discs", "made", ks=(1, 5), n_resamples=200)


@pytest.fixture
def run_ids(tmp_path: Path) -> list[str]:
    """Two runs of "discs", the first by scenery, the second by the animal, and one of "more"."""
    workspace = served.workspace()
    workspace.add_dataset(made_dataset(tmp_path / "photos", n_photos=60))
    workspace.add_dataset(made_dataset(tmp_path / "photos", "more", n_photos=30))
    return [
        made_run(workspace, spec, signal, finished_at=f"2026-01-0{day}T12:00:00+00:00").run_id
        for day, (spec, signal) in enumerate(
            [
                (SPEC, SCENERY),
                (replace(SPEC, encoder="better"), ANIMAL),
                (replace(SPEC, dataset="more"), SCENERY),
            ],
            start=1,
        )
    ]


def numbers_of(test: AppTest):
    return test.dataframe[0].value.set_index("Number")


def test_without_two_runs_of_a_dataset_it_says_what_is_needed(
    open_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    assert "two finished runs of one dataset" in open_page("compare.py").info[0].value
    served.workspace().add_dataset(made_dataset(tmp_path / "photos", n_photos=60))
    made_run(served.workspace(), SPEC)
    assert "two finished runs of one dataset" in open_page("compare.py").info[0].value


def test_the_numbers_of_both_runs_and_what_they_say(
    open_page: Callable[..., AppTest], run_ids: list[str]
) -> None:
    test = open_page("compare.py", first=run_ids[0], second=run_ids[1])
    numbers = numbers_of(test)
    assert numbers.loc["R@1 shortcut", "Reading"] == "lower in the second"
    assert numbers.loc["R@1 by chance", "Reading"] == "no clear difference"
    assert numbers.loc["SSI@1", "First run"] > 0.5 > numbers.loc["SSI@1", "Second run"]
    assert "individuals" in " ".join(caption.value for caption in test.caption)
    turned = open_page("compare.py", first=run_ids[1], second=run_ids[0])
    numbers = numbers_of(turned)
    assert numbers.loc["R@1 shortcut", "Reading"] == "higher in the second"


def test_a_chosen_photo_leads_to_its_matches(
    open_page: Callable[..., AppTest], run_ids: list[str]
) -> None:
    test = open_page("compare.py", first=run_ids[0], second=run_ids[1])
    counts = test.dataframe[1].value.set_index("First run")
    n_changed = counts.loc["Scenery match", "Animal-supported"]
    assert n_changed > 0
    change = "scenery match → animal-supported"
    assert change in test.selectbox[2].options
    test.selectbox[2].set_value(change).run()
    comparison = compare_runs(*(served.workspace().runs_dir / run for run in run_ids[:2]), 1)
    changed = comparison.changed
    is_meant = (changed["first_kind"] == "scenery match") & (
        changed["second_kind"] == "animal-supported"
    )
    row = int(changed["row_id"][is_meant].iloc[0])
    test.session_state[f"changed, {run_ids[0]}, {run_ids[1]}, 1, {change}"] = {
        "event": {"id": "s-1", "row": row}
    }
    test.run()
    assert test.query_params["row"] == str(row)
    assert test.dataframe[2].value["Match"].tolist() == ["scenery match", "animal-supported"]


def test_the_second_run_is_one_of_the_same_dataset(
    open_page: Callable[..., AppTest], run_ids: list[str]
) -> None:
    made_run(served.workspace(), replace(SPEC, dataset="more", encoder="better"), ANIMAL)
    test = open_page("compare.py", first=run_ids[0])
    assert [option.split(" · ")[0] for option in test.selectbox[1].options] == ["better"]
    test.selectbox[0].set_value(run_ids[2]).run()
    assert not test.warning
    assert numbers_of(test) is not None
    assert [option.split(" · ")[0] for option in test.selectbox[1].options] == ["better"]


def test_what_an_address_cannot_mean_is_told(
    open_page: Callable[..., AppTest], run_ids: list[str]
) -> None:
    assert "first='nothing'" in open_page("compare.py", first="nothing").warning[0].value
    assert "second=" in open_page("compare.py", second=run_ids[2]).warning[0].value


def test_a_run_whose_queries_are_gone_is_told(
    open_page: Callable[..., AppTest], run_ids: list[str]
) -> None:
    (served.workspace().runs_dir / run_ids[0] / "queries.parquet").unlink()
    test = open_page("compare.py", first=run_ids[0])
    assert "is missing or damaged; run the audit again" in test.error[0].value.replace("\\", "")


def test_runs_are_told_apart_by_time_only_where_nothing_else_does(
    open_page: Callable[..., AppTest], run_ids: list[str]
) -> None:
    first, second = open_page("compare.py", first=run_ids[0], second=run_ids[1]).selectbox[:2]
    assert sorted(first.options)[0].startswith("discs · better · leave-one-out")
    assert second.options == ["better · leave-one-out"]
    # At other colours the words are the same.
    made_run(
        served.workspace(),
        replace(SPEC, fill_rgb=(0, 0, 0)),
        SCENERY,
        finished_at="2026-01-05T08:30:00+00:00",
    )
    first = open_page("compare.py", first=run_ids[0], second=run_ids[1]).selectbox[0]
    assert "discs · made · leave-one-out · 2026-01-05 08:30" in first.options
    assert "discs · made · leave-one-out · 2026-01-01 12:00" in first.options
