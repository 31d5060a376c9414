"""The Evidence page in a real browser: its address, its pairs, small windows and downloads."""

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image, ImageColor
from playwright.sync_api import Page, expect

from cfr_core.types import View
from components import palette
from tests.e2e.conftest import MadeRuns
from tests.e2e.evidence_page import click_point, has_address, plane, strip
from tests.e2e.reading import cells, save, save_csv


@pytest.fixture
def address(made_runs: MadeRuns) -> str:
    return f"{made_runs.address}/evidence"


@pytest.fixture
def pair_address(address: str, made_runs: MadeRuns) -> str:
    """The first suspicious match of a run."""
    match = made_runs.scenery.suspicious[0]
    run = made_runs.scenery.run_id
    return f"{address}?run={run}&query={match.query_row_id}&pair={match.match_row_id}"


def test_a_pair_is_magnified_stepped_and_closed(page: Page, pair_address: str) -> None:
    page.goto(pair_address)
    expect(page.locator(".zoomed img.shown")).to_have_count(2)
    page.locator(".zoomed").nth(1).hover(position={"x": 80, "y": 60})
    page.mouse.wheel(0, -500)
    # Magnified, they are asked for larger.
    expect(page.locator(".zoomed img.shown[src*='size=2048']")).to_have_count(2)
    style = "images => images.map(image => image.style.transform)"
    one, other = page.locator(".zoomed img.shown").evaluate_all(style)
    assert one == other != "translate(0%, 0%) scale(1)"
    page.keyboard.press("0")
    assert set(page.locator(".zoomed img").evaluate_all(style)) == {"translate(0%, 0%) scale(1)"}

    first = re.search(r"pair=\d+", pair_address)[0]
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: first not in url and "pair=" in url)
    expect(page.locator(".place")).to_contain_text("rank")
    page.keyboard.press("Escape")
    expect(page.locator(".zoomed")).to_have_count(0)
    page.wait_for_url(lambda url: "pair=" not in url and "query=" in url)


def test_choices_are_in_the_address_and_come_back(
    page: Page, address: str, made_runs: MadeRuns
) -> None:
    page.goto(address)
    click_point(page, made_runs.animal.run_id)
    page.get_by_role("radio", name="5", exact=True).click()
    has_address(page, k=5)
    page.get_by_text("Show the 68 published results").click()
    has_address(page, published="yes")
    expect(plane(page).get_by_text("published (68)")).to_be_visible()
    page.get_by_role("button", name=re.compile("Missed")).click()
    has_address(page, kinds="missed")
    page.reload()
    expect(plane(page).get_by_text("published (68)")).to_be_visible()
    has_address(page, run=made_runs.animal.run_id, k=5, kinds="missed")
    page.go_back()
    page.wait_for_url(lambda url: "kinds=" not in url)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_small_window(
    new_page: Callable[..., Page], pair_address: str, screenshot: Callable, scheme: str
) -> None:
    page = new_page(width=1024, height=1400, scheme=scheme)
    page.goto(pair_address.partition("&pair")[0])
    expect(strip(page, View.FULL).locator("#tile-1 img.loaded")).to_be_visible()
    overflow = page.locator(".stMain").evaluate("main => main.scrollWidth - main.clientWidth")
    assert overflow <= 0
    screenshot(page, "top")
    strip(page, View.SILHOUETTE).scroll_into_view_if_needed()
    expect(strip(page, View.SILHOUETTE).locator("#tile-1 img.loaded")).to_be_visible()
    screenshot(page, "neighbours")
    strip(page, View.FULL).locator("#tile-1").click()
    expect(page.locator(".zoomed img.shown")).to_have_count(2)
    screenshot(page, "pair")


def test_a_table_is_saved_as_it_is_shown(
    page: Page, address: str, made_runs: MadeRuns, tmp_path: Path
) -> None:
    run = made_runs.scenery
    page.goto(f"{address}?run={run.run_id}")
    page.get_by_text("All numbers with their 95 % intervals").click()
    shown = cells(page, "Every number of the run with its 95 % interval")
    button = page.locator(f"[class*='st-key-numbers-of-{run.run_id}'] button")
    saved = save_csv(page, button, tmp_path)
    assert [line["Number"] for line in saved] == [name for name, *_ in shown]
    for line, (_, *numbers) in zip(saved, shown, strict=True):
        of_file = [float(line[name]) for name in ("Value", "Low", "High")]
        assert list(map(float, numbers)) == pytest.approx(of_file, abs=1e-6)
    (ssi,) = (float(line["Value"]) for line in saved if line["Number"] == "SSI @1")
    assert ssi == pytest.approx(run.by_k[1].ssi, abs=1e-9)


def test_a_plot_is_saved_as_a_picture_and_as_a_page(
    page: Page, new_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    page.goto(address)
    expect(plane(page).locator(".scatterlayer .point")).to_have_count(3)
    size = plane(page).bounding_box()
    plane(page).hover()
    picture = save(page, page.locator(".st-key-plane [data-title*='Download plot']"), tmp_path)
    with Image.open(picture) as image:
        assert image.format == "PNG"
        # Twice as sharp as on the page.
        assert image.size == pytest.approx((2 * size["width"], 2 * size["height"]), abs=4)
        pixels = np.asarray(image.convert("RGB"))
    for colour in palette.SERIES[:2]:
        assert (pixels == ImageColor.getrgb(colour)).all(axis=-1).sum() > 50

    file = save(page, page.get_by_role("button", name="Download plot (HTML)").first, tmp_path)
    assert file.name == "evidence-plane-at-1.html"
    alone = new_page()
    alone.context.set_offline(True)
    alone.goto(file.as_uri())
    expect(alone.locator(".js-plotly-plot .scatterlayer .point")).to_have_count(3)
    expect(alone.get_by_text("Shortcut-driven")).to_be_visible()


def test_a_run_is_saved_as_one_zip(
    page: Page, address: str, made_runs: MadeRuns, tmp_path: Path
) -> None:
    run = made_runs.scenery
    page.goto(f"{address}?run={run.run_id}")
    saved = save(page, page.get_by_role("button", name="Download run (zip)"), tmp_path)
    assert saved.name == f"{run.run_id}.zip"
    with zipfile.ZipFile(saved) as bundle:
        bundle.extractall(tmp_path)
    profile = json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))
    assert profile["by_k"]["1"]["ssi"] == pytest.approx(run.by_k[1].ssi)
    queries = pd.read_csv(tmp_path / "queries.csv")
    assert len(queries) == run.n_queries
    assert (queries["shortcut_rank"] == 1).mean() == pytest.approx(
        run.by_k[1].retrieval[View.SHORTCUT]
    )
    neighbours = pd.read_parquet(tmp_path / "neighbours.parquet")
    nearest = neighbours[(neighbours["rank"] == 1) & (neighbours["view"] == View.SHORTCUT)]
    assert nearest["is_right"].mean() == pytest.approx(run.by_k[1].retrieval[View.SHORTCUT])
