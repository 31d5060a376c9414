"""The queue of masks in a real browser: filtered, decided about one by one and many at once."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from cfr_core.audit.spec import AuditSpec
from cfr_core.masks.rle import encode
from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset
from tests.made_run import made_run

APP = Path(__file__).parents[2] / "app.py"
N = 24
PROPOSED = range(4, 16)
SPOILT = (6, 9)


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Discs of which twelve wait for review, two of these with a loose part."""
    folder = tmp_path_factory.mktemp("queue")
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(made_dataset(folder / "photos", n_photos=N))
        made_run(workspace, AuditSpec("discs", "made", ks=(1,), n_resamples=100))
        history = workspace.mask_history
        for row in PROPOSED:
            history.add(proposed(row), based_on=1)
    return serve(APP, folder / "workspace")


def proposed(row: int) -> Mask:
    yy, xx = np.mgrid[:90, :120]
    pixels = (xx - 60) ** 2 + (yy - 45) ** 2 < 25**2
    if row in SPOILT:
        pixels[4:12, 4:12] = True
    return Mask(row, (90, 120), encode(pixels), "human", MaskStatus.PROPOSED, score=0.5 + row / 100)


def status(page: Page, address: str, row: int) -> str:
    return page.request.get(f"{address}/api/rows/{row}/mask").json()["status"]


def shows(page: Page, row: int) -> None:
    expect(page.locator(f".editor[data-row='{row}']")).to_be_visible()


def test_flagged_masks_come_first_and_decisions_lead_on(
    page: Page, address: str, screenshot: Callable[..., None]
) -> None:
    page.goto(f"{address}/masks")
    page.get_by_role("button", name="Proposed 13").click()
    shows(page, 2)
    expect(page).to_have_url(re.compile("state=proposed"))
    page.goto(f"{address}/masks?state=proposed&order=islands")
    shows(page, SPOILT[0])
    expect(page.get_by_text("Worth a look:")).to_contain_text("1 loose part")
    screenshot(page)
    page.keyboard.press("r")
    page.get_by_label("Why is this mask rejected?").fill("a speck")
    page.keyboard.press("Enter")
    shows(page, SPOILT[1])
    page.keyboard.press("a")
    expect(page.get_by_text("11 of 13 photos in this list wait")).to_be_visible()
    assert status(page, address, SPOILT[0]) == "rejected"
    assert status(page, address, SPOILT[1]) == "accepted"
    page.get_by_role("button", name="Refresh the list").click()
    expect(page.get_by_text("11 of 11 photos in this list wait")).to_be_visible()


def test_a_selection_is_accepted_after_a_question(
    new_page: Callable[..., Page], address: str, screenshot: Callable[..., None]
) -> None:
    page = new_page(width=1024, scheme="dark")
    page.goto(f"{address}/masks?state=proposed&show=many+photos")
    tiles = page.get_by_role("option")
    expect(tiles.first).to_be_visible()
    n = tiles.count()
    page.get_by_role("button", name=f"Select all {n}").click()
    expect(page.get_by_text(f"{n} selected").last).to_be_visible()
    page.get_by_role("button", name=f"Accept {n} masks").click()
    expect(page.get_by_text(f"{n} of {n} selected photos have a mask.")).to_be_visible()
    screenshot(page)
    page.get_by_role("button", name=f"Yes, accept {n} masks").click()
    expect(page.get_by_text(f"{n} masks accepted.")).to_be_visible()
    assert status(page, address, PROPOSED[-1]) == "accepted"
    expect(page.get_by_role("button", name="Proposed 0")).to_be_visible()


def test_an_update_is_followed_to_its_end(page: Page, address: str) -> None:
    """Its encoder is not there, so that it ends with the reason; nobody reloads the page."""
    page.goto(f"{address}/masks?row=20")
    shows(page, 20)
    page.get_by_text("Live audit: what these masks change").click()
    expect(page.get_by_text("Since this audit:")).to_contain_text("dropped out")
    page.get_by_role("button", name="Update", exact=True).click()
    expect(page.get_by_test_id("stAlert").filter(has_text="made")).to_be_visible()
    expect(page.get_by_role("button", name="Update", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("live=yes"))
