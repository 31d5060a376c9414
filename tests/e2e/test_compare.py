"""Comparing two runs of one dataset in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import MadeRuns
from tests.e2e.reading import cells, save_csv

NUMBERS = "Numbers of both runs, their difference and its 95 % interval"


def test_two_runs_are_compared_and_the_numbers_saved(
    page: Page, made_runs: MadeRuns, tmp_path: Path, screenshot: Callable
) -> None:
    page.goto(f"{made_runs.address}")
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Compare").click()
    expect(page.locator(".js-plotly-plot .scatterlayer .point").first).to_be_visible()
    expect(page.get_by_text("Over the 56 queries of both runs, of 19 individuals.")).to_be_visible()
    page.wait_for_url(re.compile(f"first={made_runs.scenery.run_id}"))
    shown = {name: (float(change), says) for name, _, _, change, *_, says in cells(page, NUMBERS)}
    screenshot(page)

    # Both runs were asked the same queries, so the difference is that of their own numbers.
    scenery, animal = (run.by_k[1] for run in (made_runs.scenery, made_runs.animal))
    for name, change in (("SSI@1", animal.ssi - scenery.ssi), ("CFR@1", animal.cfr - scenery.cfr)):
        assert shown[name][0] == pytest.approx(change)
    assert shown["SSI@1"][1] == "lower in the second"
    assert shown["CFR@1"][1] == "higher in the second"

    saved = save_csv(page, page.get_by_role("button", name="Download CSV"), tmp_path)
    for line in saved:
        change, says = shown.pop(line["Number"])
        assert float(line["Difference"]) == pytest.approx(change, abs=1e-12)
        assert line["Reading"] == says
    assert not shown
