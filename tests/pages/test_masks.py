"""The page of masks: empty, a queue that is filtered, ordered and gone through, and bulk review."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.audit.job import prepare
from cfr_core.audit.run import register, run_audit
from cfr_core.audit.spec import AuditSpec
from cfr_core.errors import WeightsError
from cfr_core.masks.rle import encode
from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace.mask_table import MaskCandidate
from server import workspace as served
from tests.grid_encoder import use_grid_encoder
from tests.made_dataset import made_dataset

Open = Callable[..., AppTest]


@pytest.fixture
def discs(tmp_path: Path) -> None:
    """Row 1 has no mask, row 2 waits for review, the other ten are accepted."""
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))


@pytest.fixture
def masks(open_page: Open) -> Open:
    return lambda **address: open_page("masks.py", **address)


def said(test: AppTest) -> str:
    """All words of the page that are no labels."""
    kinds = (test.caption, test.markdown, test.info, test.success, test.warning, test.error)
    return "\n".join(element.value for kind in kinds for element in kind)


def sent(test: AppTest, **event: object) -> None:
    """Something was done in the editor."""
    test.session_state["mask editor"] = {"event": {"version": 1, "status": "", **event}}
    test.run()
    assert not test.exception, test.exception


def tick(test: AppTest, *rows: int) -> None:
    """Tick photos in the gallery that is shown now."""
    keys = [key for key in ROUNDS if key in test.session_state]
    test.session_state[keys[-1] if keys else ROUNDS[0]] = {
        "selection": {"id": f"ticked {rows}", "rows": list(rows)}
    }
    test.run()


ROUNDS = [f"masks to review {n}" for n in range(9)]


def status(row: int) -> tuple[MaskStatus, str, str] | None:
    _, mask = served.workspace().mask_history.current(row)
    return None if mask is None else (mask.status, mask.author, mask.reason)


def test_an_empty_workspace_says_so(masks: Open) -> None:
    assert "holds no dataset yet" in masks().info[0].value


@pytest.mark.usefixtures("discs")
def test_the_first_photo_that_waits_is_shown_first(masks: Open) -> None:
    test = masks()
    assert test.query_params["row"] == "1"
    assert "2 of 12 photos in this list wait" in said(test)


@pytest.mark.usefixtures("discs")
def test_the_address_says_which_photo(masks: Open) -> None:
    test = masks(row="5")
    assert test.query_params["row"] == "5"
    assert not test.warning


@pytest.mark.usefixtures("discs")
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ({"row": "999"}, "There is no row 999 in this dataset"),
        ({"state": "lost"}, "some of no mask, proposed, accepted, rejected"),
        ({"defects": "ugly"}, "some of islands"),
        ({"order": "random"}, "one of row, score"),
        ({"by": "Nobody"}, "by='Nobody'"),
        ({"show": "none"}, "one of one photo, many photos"),
    ],
)
def test_what_an_address_cannot_mean_is_told(
    masks: Open, address: dict[str, str], words: str
) -> None:
    assert words in masks(**address).warning[0].value.replace("\\", "")


@pytest.mark.usefixtures("discs")
def test_a_filter_of_the_address_chooses_the_list(masks: Open) -> None:
    test = masks(state="proposed")
    assert test.query_params["row"] == "2"
    assert "1 of 1 photos in this list wait" in said(test)


@pytest.mark.usefixtures("discs")
def test_a_filter_that_is_chosen_leads_to_its_first_photo(masks: Open) -> None:
    test = masks(row="7")
    test.button_group(key="choice of state").set_value(["proposed", "no mask"]).run()
    assert test.query_params["state"] == "proposed,no mask"
    assert test.query_params["row"] == "1"


@pytest.mark.usefixtures("discs")
def test_nothing_that_fits_is_said(masks: Open) -> None:
    test = masks(state="rejected")
    assert "No photo is like that" in said(test)


@pytest.mark.usefixtures("discs")
def test_a_photo_outside_the_list_is_shown_with_a_word(masks: Open) -> None:
    test = masks(state="proposed", row="7")
    assert test.query_params["row"] == "7"
    assert "not among those chosen" in said(test)


@pytest.mark.usefixtures("discs")
def test_a_decision_leads_on_and_the_list_stays(masks: Open) -> None:
    test = masks(state="no mask,proposed")
    drawn = Mask(1, (90, 120), encode(np.eye(90, 120, dtype=bool)), "human", MaskStatus.ACCEPTED)
    served.workspace().mask_history.add(drawn, based_on=0)
    sent(test, id="1", kind="reviewed", row=1, to=2)
    assert test.query_params["row"] == "2"
    assert "1 of 2 photos in this list wait" in said(test)
    test.button(key="refresh the list").click().run()
    assert "1 of 1 photos in this list wait" in said(test)
    assert test.query_params["row"] == "2"


@pytest.mark.usefixtures("discs")
def test_a_flagged_mask_says_why(masks: Open) -> None:
    assert "Worth a look" not in said(masks(row="4"))
    pixels = np.zeros((90, 120), bool)
    pixels[20:60, 30:80] = True
    pixels[5:12, 100:110] = True
    spoilt = Mask(4, (90, 120), encode(pixels), "human", MaskStatus.ACCEPTED, author="Ada")
    served.workspace().mask_history.add(spoilt, based_on=1)
    test = masks(row="4", defects="islands")
    assert "**Loose parts**: 1 loose part" in said(test)
    assert "1 of 1 photos" not in said(test)
    assert "All 1 photos in this list are reviewed" in said(test)


@pytest.mark.usefixtures("discs")
def test_ticked_masks_are_accepted_with_a_name(masks: Open) -> None:
    test = masks(show="many photos", person="Ada")
    tick(test, 1, 2, 5)
    assert "2 of 3 selected photos have a mask" in said(test)
    test.button(key="accept selection").click().run()
    assert status(2) == (MaskStatus.ACCEPTED, "Ada", "")
    assert status(1) is None
    assert "1 mask accepted. 1 was so already." in said(test)
    assert "Tick photos" in said(test)


@pytest.mark.usefixtures("discs")
def test_nothing_is_rejected_without_a_reason(masks: Open) -> None:
    test = masks(show="many photos", state="accepted")
    test.button(key="select all").click().run()
    assert test.button(key="reject selection").disabled
    test.text_input(key="reason for selection").set_value("blurred").run()
    test.button(key="reject selection").click().run()
    rejected = [status(row) for row in range(12) if status(row)]
    assert [each[2] for each in rejected].count("blurred") == 10
    assert "10 masks rejected" in said(test)


@pytest.mark.usefixtures("discs")
def test_a_mask_that_changed_meanwhile_is_left(masks: Open) -> None:
    test = masks(show="many photos")
    tick(test, 2)
    served.workspace().mask_history.review(
        2, MaskStatus.REJECTED, author="Bo", based_on=1, reason="no animal"
    )
    test.button(key="accept selection").click().run()
    assert status(2) == (MaskStatus.REJECTED, "Bo", "no animal")
    assert "1 left as they were" in said(test)


@pytest.mark.usefixtures("discs")
def test_a_photo_opened_among_many_is_shown_alone(masks: Open) -> None:
    test = masks(show="many photos")
    test.session_state[ROUNDS[0]] = {"event": {"id": "1", "row": 6}}
    test.run()
    assert test.query_params["row"] == "6"
    assert "show" not in test.query_params


@pytest.fixture
def audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A finished run of the discs by an encoder without weights; its id."""
    use_grid_encoder(monkeypatch)
    workspace = served.workspace()
    workspace.add_dataset(made_dataset(tmp_path / "photos", n_photos=24))
    spec = AuditSpec("discs", "grid", ks=(1,), n_resamples=100)
    profile = run_audit(prepare(workspace, spec).folder)
    register(workspace, profile)
    return profile.run_id


def edit(row: int) -> None:
    version, _ = served.workspace().mask_history.current(row)
    drawn = Mask(row, (90, 120), encode(np.eye(90, 120, dtype=bool)), "human", MaskStatus.ACCEPTED)
    served.workspace().mask_history.add(drawn, based_on=version)


def wait_for_update(run_id: str) -> None:
    deadline = time.monotonic() + 60
    while served.live_updates().state(run_id).is_active and time.monotonic() < deadline:
        time.sleep(0.05)


@pytest.mark.usefixtures("discs")
def test_without_an_audit_there_is_nothing_to_follow(masks: Open) -> None:
    assert "No audit of this dataset has finished yet" not in said(masks())
    assert "No audit of this dataset has finished yet" in said(masks(live="yes"))


@pytest.mark.usefixtures("audited")
def test_an_audit_of_the_masks_of_now_needs_no_update(masks: Open) -> None:
    test = masks(row="5", live="yes")
    assert "The audit is of the masks of now" in said(test)
    assert not [button for button in test.button if button.label == "Update"]
    (ranks,) = [table.value for table in test.dataframe if "Full image" in table.value]
    assert ranks["Full image"].iloc[0].isdigit()


def test_an_edited_mask_makes_the_audit_stale_until_it_is_updated(
    masks: Open, audited: str
) -> None:
    edit(5)
    test = masks(row="5", live="yes")
    assert "Since this audit: 1 mask was edited" in said(test)
    test.button(key=f"update {audited}").click().run()
    wait_for_update(audited)
    test.run()
    assert not test.exception
    words = said(test)
    assert "The audit is of the masks of now" in words
    assert re.search(r"CFR at 1: .+ → .+\*\*", words)
    assert re.search(r"SSI at 1: .+ → .+\*\*", words)
    (ranks,) = [table.value for table in test.dataframe if "Before" in table.value]
    assert ranks["View"].tolist() == [
        "Full image",
        "Foreground only",
        "Shortcut only",
        "Silhouette only",
    ]
    assert ranks["Now"].tolist() != ranks["Before"].tolist()


def test_an_update_that_fails_says_why(
    masks: Open, audited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(5)

    def fail(*_: object) -> None:
        raise WeightsError("the weights of grid are not here any more")

    monkeypatch.setattr("cfr_core.audit.live.LiveRun", fail)
    test = masks(row="5", live="yes")
    test.button(key=f"update {audited}").click().run()
    wait_for_update(audited)
    test.run()
    assert "weights of grid are not here any more" in said(test)
    assert test.button(key=f"update {audited}")


@pytest.mark.usefixtures("discs")
def test_a_bulk_run_is_queued_as_a_job(masks: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    queued = []
    monkeypatch.setattr(served.jobs(), "submit", queued.append)
    test = masks()
    assert "never changed" in said(test)
    test.button(key="start bulk run").click().run()
    assert not test.exception, test.exception
    (job,) = queued
    assert (job.kind, job.label) == ("masks", "Masks of discs with grabcut")


@pytest.mark.usefixtures("discs")
def test_a_bulk_run_with_nothing_to_do_says_so(masks: Open) -> None:
    edit(1)
    test = masks()
    test.button(key="start bulk run").click().run()
    assert "every row of discs has a mask that a person or the dataset gave" in said(test)
    assert not served.jobs().jobs()


@pytest.mark.usefixtures("discs")
def test_candidates_of_a_bulk_run_say_why(masks: Open) -> None:
    counts = encode(np.eye(90, 120, dtype=bool))
    proposed = Mask(1, (90, 120), counts, "grabcut", MaskStatus.PROPOSED, score=0.4)
    left = MaskCandidate("run", 1, 0, "grabcut", "box", (90, 120), counts, 0.4, 0.7, "chosen")
    served.workspace().mask_history.add_proposals([proposed], [left])
    (table,) = [each.value for each in masks(row="1").dataframe if "Outcome" in each.value]
    assert table["Outcome"].tolist() == ["chosen"]


@pytest.mark.usefixtures("discs")
def test_the_sheet_explains_with_a_photo_of_this_dataset(masks: Open) -> None:
    test = masks()
    test.button(key="sheet").click().run()
    assert not test.exception, test.exception
    pictures = [text.value for text in test.markdown if text.value.startswith("![")]
    assert [re.search(r"view=(\w+)", picture)[1] for picture in pictures] == [
        "outline",
        "foreground",
        "shortcut",
        "silhouette",
    ]
    assert "ever deleted" in said(test)


@pytest.mark.usefixtures("discs")
def test_a_version_is_not_restored_over_a_newer_one(masks: Open) -> None:
    edit(5)
    test = masks(row="5")
    edit(5)
    next(button for button in test.button if button.label == "Restore").click().run()
    assert not test.exception, test.exception
    assert "look at the newer one" in said(test)
    assert len(served.workspace().mask_history.versions(5)) == 3
