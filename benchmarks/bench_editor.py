"""The mask editor in a browser: from a click to the new outline, and from one photo to the next.

The editor measures both itself until the screen is drawn (User Timing). What the engine needs for
its answer is not counted, since it is another one's speed; the next photo has been fetched while a
person would look at the one at hand.
"""

import statistics
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from benchmarks.app_server import app_server, chromium
from benchmarks.table import Row
from cfr_core.datasets.check import check
from cfr_core.datasets.sources import read_source
from cfr_core.demo.generate import generate
from cfr_core.demo.presets import preset
from cfr_core.workspace.store import Workspace

OUTLINE_MS: Final = 150.0
NEXT_PHOTO_MS: Final = 300.0
_N = 9
_PATIENCE_MS = 60_000
_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync")
_MEASURED = """(what) => performance.getEntriesByName(what)
  .map(({ duration, detail }) => duration - (detail?.engineMs ?? 0))"""
_IS_FETCHED = """(row) => [`/api/rows/${row}/mask`, `/api/rows/${row}/image?view=full&size=2048`]
  .every((end) => performance.getEntriesByType("resource")
    .some(({ name, responseEnd }) => name.endsWith(end) && responseEnd > 0))"""


def rows() -> Iterable[Row]:
    """Measure on photos of the demo, with the engine that needs no weights."""
    with tempfile.TemporaryDirectory() as folder:
        photos, workspace = Path(folder) / "photos", Path(folder) / "workspace"
        generate(preset("leaky"), photos)
        with Workspace(workspace) as opened:
            result = check(read_source(photos), name="demo")
            opened.add_dataset(replace(result, masks=()))  # photos that wait to be gone through
        with app_server(workspace) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=list(_FLAGS))
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(_PATIENCE_MS)
            # Browsers keep 250 entries, and the pictures of the queue are more.
            page.add_init_script("performance.setResourceTimingBufferSize(10000)")
            page.goto(f"{server.address}/masks?dataset=demo&row=0")
            page.locator(".editor[data-row='0']").wait_for()
            outlines, steps = _outlines(page), _steps(page)
            browser.close()
        yield editor_row("Masks: from a click to the new outline", outlines, OUTLINE_MS)
        yield editor_row("Masks: to the next photo, fetched ahead", steps, NEXT_PHOTO_MS)


def editor_row(what: str, measured_ms: list[float], limit_ms: float) -> Row:
    """The median of some waits against the limit."""
    median_ms = statistics.median(measured_ms)
    return Row(
        what=what,
        ours=f"{median_ms:.0f} ms ({min(measured_ms):.0f} to {max(measured_ms):.0f})",
        other=f"limit {limit_ms:g} ms",
        ratio=median_ms / limit_ms,
        bound="at most",
        target=1.0,
    )


def _outlines(page: Page) -> list[float]:
    """Waits for the outline after clicks, in ms, without the engine's own time."""
    stage = page.locator(".stage")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    if box is None:
        raise RuntimeError("the editor is not to be seen")
    for i in range(_N):
        with page.expect_response("**/propose"):
            page.mouse.click(
                box["x"] + box["width"] * (0.4 + 0.02 * i), box["y"] + box["height"] * 0.5
            )
        page.locator(".busy").wait_for(state="hidden")
    return _measured(page, "mask proposal")


def _steps(page: Page) -> list[float]:
    """Waits for the next photo, in ms."""
    for row in range(1, 1 + _N):
        page.wait_for_function(_IS_FETCHED, arg=row)
        page.wait_for_timeout(500)  # the page itself has run by then
        page.keyboard.press("ArrowRight")
        page.locator(f".editor[data-row='{row}']").wait_for()
    return _measured(page, "next photo")


def _measured(page: Page, what: str) -> list[float]:
    page.wait_for_function("(what) => performance.getEntriesByName(what).length", arg=what)
    found: list[float] = page.evaluate(_MEASURED, what)
    return found
