"""Journey a in a real browser: from an empty workspace to a pair of photos of the demo.

The demo datasets are drawn smaller than they ship, so that auditing them takes seconds.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

from cfr_core.audit.demo import demo_dataset_name
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.stored import read_profile
from cfr_core.demo.presets import PRESETS
from cfr_core.types import View
from tests.e2e.evidence_page import (
    click_point,
    expect_pair,
    has_address,
    middle_of_point,
    open_query,
    pictures,
    strip,
)

SMALL_DEMO_APP = Path(__file__).parent / "small_demo_app.py"
_JOB_MS = 240_000


def test_from_an_empty_workspace_to_a_pair(
    serve: Callable[..., str], new_page: Callable[..., Page], tmp_path: Path, screenshot: Callable
) -> None:
    page = new_page()
    page.goto(serve(SMALL_DEMO_APP, tmp_path / "workspace"))
    open_the_demo(page, screenshot)
    profiles = {
        profile.dataset: profile for profile in map(read_profile, tmp_path.glob("workspace/runs/*"))
    }
    assert {name: profile.by_k[1].region for name, profile in profiles.items()} == {
        demo_dataset_name(name): recipe.region for name, recipe in PRESETS.items()
    }

    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Evidence").click()
    expect_places(page, list(profiles.values()))
    screenshot(page, "plane")
    walk_to_a_pair(page, profiles["demo-shortcut"], screenshot)

    other = page.context.new_page()
    other.goto(page.url)
    expect_pair(other, View.SHORTCUT)
    assert pictures(other) == pictures(page)


def open_the_demo(page: Page, screenshot: Callable) -> None:
    expect(page.get_by_text("This workspace holds no dataset yet.")).to_be_visible()
    screenshot(page, "empty")
    page.get_by_role("button", name="Open the demo").click()
    expect(page.get_by_text("The demo is being drawn")).to_be_visible()
    screenshot(page, "drawing")
    for name in map(demo_dataset_name, PRESETS):
        card = page.get_by_role("button", name=f"{name}, 32 rows of 8 individuals")
        expect(card).to_be_visible(timeout=_JOB_MS)
    for name in map(demo_dataset_name, PRESETS):
        run = page.get_by_role("button", name=f"{name} · effnet-lite0, CFR")
        expect(run).to_contain_text(re.compile(r"CFR .* · SSI .* at k = 1"), timeout=_JOB_MS)
    screenshot(page, "done")


def expect_places(page: Page, profiles: Sequence[EvidenceProfile]) -> None:
    """Pixels are a straight line of the numbers: across with CFR, down with less SSI."""
    places = np.array([middle_of_point(page, profile.run_id) for profile in profiles])
    rates = [profile.by_k[1] for profile in profiles]
    numbers = np.array([(at_k.cfr, at_k.ssi) for at_k in rates])
    for axis, sign in ((0, 1), (1, -1)):
        slope, start = np.polyfit(numbers[:, axis], places[:, axis], 1)
        assert slope * sign > 100
        assert np.abs(start + slope * numbers[:, axis] - places[:, axis]).max() < 3


def walk_to_a_pair(page: Page, run: EvidenceProfile, screenshot: Callable) -> None:
    """Open the first suspicious match of a run and step through its views."""
    match = run.suspicious[0]
    click_point(page, run.run_id)
    expect(page.get_by_role("heading", name=f"{run.dataset}, effnet-lite0")).to_be_visible()
    open_query(page, run.run_id, 0)
    has_address(page, query=match.query_row_id)
    for view in View:
        strip(page, view).scroll_into_view_if_needed()
        expect(strip(page, view).locator("#tile-0 img.loaded")).to_be_visible()
    expect(strip(page, View.SHORTCUT).locator("#tile-1")).to_have_class(re.compile("right"))
    screenshot(page, "neighbours")

    strip(page, View.SHORTCUT).locator("#tile-1").click()
    expect_pair(page, View.SHORTCUT)
    has_address(page, pair=match.match_row_id)
    assert f"/api/rows/{match.query_row_id}/" in pictures(page)[0]
    assert f"/api/rows/{match.match_row_id}/" in pictures(page)[1]
    screenshot(page, "pair")
    for key, view in (*enumerate(View, start=1), (3, View.SHORTCUT)):
        page.keyboard.press(str(key))
        expect_pair(page, view)
    has_address(page, view="shortcut")
