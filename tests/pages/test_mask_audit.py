"""The page of blind audits: nothing yet, a draw, drawing unseen, and the report."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.types import MaskStatus
from server import workspace as served
from tests.made_dataset import made_dataset

Open = Callable[..., AppTest]
N = 4


@pytest.fixture
def discs(tmp_path: Path) -> None:
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    served.workspace().add_dataset(made_dataset(tmp_path / "photos", "more"))


@pytest.fixture
def page(open_page: Open) -> Open:
    return lambda **address: open_page("mask_audit.py", **address)


def said(test: AppTest) -> str:
    kinds = (test.caption, test.markdown, test.info, test.warning, test.error)
    return "\n".join(element.value for kind in kinds for element in kind)


def drawn_audit(n_done: int, n_good: int = N) -> str:
    """An audit of which `n_done` photos are drawn, the first `n_good` exactly as they were."""
    workspace = served.workspace()
    audit_id = workspace.blind_audits.draw("discs", N, seed=1, author="Ada").audit_id
    rows = workspace.blind_audits.row_ids(audit_id)
    for place, row in enumerate(rows[:n_done]):
        _, mask = workspace.mask_history.current(row)
        if place >= n_good:
            _, other = workspace.mask_history.current(rows[0])
            mask = replace(other, row_id=row)
        workspace.blind_audits.add(
            audit_id, replace(mask, source="human", status=MaskStatus.PROPOSED, author="Bo")
        )
    return audit_id


def test_an_empty_workspace_says_so(page: Open) -> None:
    assert "holds no dataset yet" in page().info[0].value


@pytest.mark.usefixtures("discs")
def test_photos_are_drawn_on_demand(page: Open) -> None:
    test = page()
    assert "No blind audit of this dataset has been begun" in said(test)
    assert test.number_input(key="blind n").max == 11  # all with a mask that is not rejected
    test.number_input(key="blind n").set_value(N)
    test.button(key="draw blind audit").click().run()
    assert not test.exception, test.exception
    (audit,) = served.workspace().blind_audits.of_dataset("discs")
    assert audit.n_rows == N
    assert test.query_params["audit"] == audit.audit_id
    assert "What the dataset has is not shown" in said(test)


@pytest.mark.usefixtures("discs")
def test_a_result_of_half_an_audit_is_shown_on_demand_only(page: Open) -> None:
    audit_id = drawn_audit(2)
    test = page(audit=audit_id)
    assert not test.metric
    test.toggle(key=f"result of {audit_id}").set_value(True).run()
    assert [metric.value for metric in test.metric] == ["100.0 %"] * 3


@pytest.mark.usefixtures("discs")
def test_a_finished_audit_reports_with_intervals_and_the_worst(page: Open) -> None:
    audit_id = drawn_audit(N, n_good=3)
    test = page(audit=audit_id)
    values = {metric.label: metric.value for metric in test.metric}
    assert values["Median IoU"] == "100.0 %"
    assert values["Share with IoU above 90 %"] == "75.0 %"
    words = said(test)
    assert words.count("95 % interval") == 3
    pictures = [text.value for text in test.markdown if text.value.startswith("![")]
    result = served.workspace().blind_audits.result(audit_id)
    worst = next(iter(result.pairs))
    assert f"/api/blind/{audit_id}/rows/{worst}/outlines" in pictures[0]
    assert len(pictures) == N
    assert "What the dataset has is not shown" not in words  # nothing is left to be drawn


@pytest.mark.usefixtures("discs")
def test_another_dataset_has_its_own_audits(page: Open) -> None:
    drawn_audit(N)
    test = page()
    assert test.metric
    test.selectbox(key="choice of dataset").set_value("more").run()
    assert "No blind audit of this dataset" in said(test)
    assert not test.warning


@pytest.mark.usefixtures("discs")
def test_an_audit_that_is_not_there_is_told(page: Open) -> None:
    drawn_audit(1)
    assert "audit='lost'" in page(audit="lost").warning[0].value.replace("\\", "")


@pytest.mark.usefixtures("discs")
def test_what_was_drawn_leads_to_the_next_photo(page: Open) -> None:
    audit_id = drawn_audit(0)
    rows = served.workspace().blind_audits.row_ids(audit_id)
    test = page(audit=audit_id)
    _, mask = served.workspace().mask_history.current(rows[0])
    served.workspace().blind_audits.add(audit_id, mask)
    test.session_state[f"blind editor {audit_id}"] = {
        "event": {
            "id": "1",
            "kind": "reviewed",
            "row": rows[0],
            "version": 1,
            "status": "accepted",
            "to": rows[1],
        }
    }
    test.run()
    assert not test.exception, test.exception
    assert f"1 of {N} photos drawn" in "\n".join(bar.text for bar in test.get("progress"))
