"""A blind audit in a real browser: drawn without the dataset's masks, and compared with them."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from cfr_core.workspace.store import Workspace
from tests.e2e.masks_page import Editor, stored
from tests.made_dataset import made_dataset

APP = Path(__file__).parents[2] / "app.py"
N_DRAWN = 2
BOX = (0.3, 0.25, 0.7, 0.75)
"""Left, top, right and lower edge of what is drawn, as shares of the photo."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("blind")
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(made_dataset(folder / "photos"))
    return serve(APP, folder / "workspace")


def begin(page: Page, n: int) -> None:
    page.get_by_role("button", name="Draw photos for a new audit").click()
    page.get_by_label("Photos", exact=True).fill(str(n))
    page.get_by_label("Photos", exact=True).press("Enter")
    page.get_by_role("button", name="Draw them").click()
    expect(page.get_by_text(f"0 of {n} photos drawn")).to_be_visible()


def shown_row(page: Page) -> int:
    editor = page.locator(".editor")
    expect(editor).to_have_attribute("data-row", re.compile(r"\d+"))
    return int(editor.get_attribute("data-row"))


def draw_box(editor: Editor) -> None:
    left, top, right, low = BOX
    editor.press("g")
    for corner in [(left, top), (right, top), (right, low), (left, low)]:
        editor.click(*corner)
    editor.press("Enter")


def iou(one: np.ndarray, other: np.ndarray) -> float:
    return float((one & other).sum() / (one | other).sum())


def box_in(size_hw: tuple[int, int]) -> np.ndarray:
    height, width = size_hw
    left, top, right, low = np.multiply(BOX, (width, height, width, height)).round().astype(int)
    box = np.zeros(size_hw, dtype=bool)
    box[top:low, left:right] = True
    return box


def draw_unseen(editor: Editor, n_done: int) -> float:
    """Draw the next photo; returns the IoU with the dataset's mask, which is not seen."""
    row = shown_row(editor.page)
    editor.shows(row)
    before = stored(editor.page, editor.address, row)
    assert before.pixels.any()
    expect(editor.page.locator(".state")).to_have_text("No mask yet")
    assert editor.share() == 0
    # While the page is drawn anew, places on it may move.
    editor.page.locator("[data-test-script-state='notRunning']").wait_for(state="attached")
    draw_box(editor)
    editor.press("a")
    words = f"{n_done + 1} of {N_DRAWN + 1} photos drawn"
    expect(editor.page.get_by_text(words)).to_be_visible()
    after = stored(editor.page, editor.address, row)
    assert (after.version, after.pixels.tolist()) == (before.version, before.pixels.tolist())
    audit = re.search(r"audit=([\w-]+)", editor.page.url)[1]
    drawn = stored(editor.page, editor.address, row, f"blind/{audit}/rows")
    assert iou(drawn.pixels, box_in(drawn.pixels.shape)) > 0.9
    return iou(drawn.pixels, before.pixels)


def test_masks_are_compared_with_what_a_person_draws_unseen(
    page: Page, address: str, screenshot: Callable
) -> None:
    page.goto(f"{address}/mask_audit?person=anna")
    begin(page, N_DRAWN + 1)
    editor = Editor(page, address)
    expected = [draw_unseen(editor, n_done) for n_done in range(N_DRAWN)]
    screenshot(page, "drawing")

    # Of the last one the person says that no animal is to be seen.
    expect(page.locator(".state")).to_have_text("No mask yet")
    editor.press("a")
    page.get_by_role("heading", name="Agreement").wait_for()
    found = page.get_by_test_id("stMetric").filter(has_text="Mean IoU").inner_text()
    mean = float(re.search(r"([\d.]+) %", found)[1]) / 100
    assert mean == pytest.approx(sum(expected) / (N_DRAWN + 1), abs=0.001)
    worst = page.locator("img[alt^='Both masks of row']")
    expect(worst).to_have_count(N_DRAWN + 1)
    expect(page.get_by_text("IoU 0.0 %")).to_be_visible()
    for image in worst.all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("complete", value=True)
        assert image.evaluate("image => image.naturalWidth") > 0
    screenshot(page, "report")
