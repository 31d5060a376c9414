"""Moving about the Evidence page as a person does."""

import re

from playwright.sync_api import Locator, Page, expect

from cfr_core.types import View
from tests.e2e.reading import has_run

_PLOT_MS = 60_000
"""The browser reads five megabytes of Plotly before the first plot."""
_HEADER_PX = 36
_ROW_PX = 44


def plane(page: Page) -> Locator:
    """The plot of all runs."""
    return page.locator(".st-key-plane .js-plotly-plot")


def middle_of_point(page: Page, run_id: str) -> tuple[float, float]:
    """Where a run stands on the plane, across and down the window in pixels."""
    expect(plane(page).locator(".scatterlayer .point").first).to_be_visible(timeout=_PLOT_MS)
    curve, number = plane(page).evaluate(
        "(plot, id) => plot.data.flatMap((trace, curve) => (trace.customdata ?? [])"
        ".map(([run], number) => [run, curve, number])).find(([run]) => run === id).slice(1)",
        run_id,
    )
    points = plane(page).locator(".scatterlayer .trace").nth(curve).locator(".point")
    box = points.nth(number).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def click_point(page: Page, run_id: str) -> None:
    """Walk into a run."""
    # By its place, since the layer that hears the mouse lies over the points.
    page.mouse.click(*middle_of_point(page, run_id))
    page.wait_for_url(re.compile(f"run={run_id}"))


def open_query(page: Page, run_id: str, place: int) -> None:
    """Click a row of the table of queries, in a cell far from its box."""
    table = page.locator(f"[class*='st-key-queries-of-{run_id}'] [data-testid='stDataFrame']")
    expect(table.locator("canvas").first).to_be_visible()
    _settled(page)
    table.scroll_into_view_if_needed()
    _settled(page)
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 240, box["y"] + _HEADER_PX + _ROW_PX * (place + 0.5))
    page.wait_for_url(re.compile(r"query=\d+"))


def _settled(page: Page) -> None:
    """Wait until the page has run and stands still."""
    has_run(page)
    page.wait_for_timeout(500)


def strip(page: Page, view: View) -> Locator:
    """The row of photos that a view took for the same animal; tile 0 is the query."""
    return page.locator(f"[class*='st-key-neighbours-in-{view.value}'] .gallery")


def expect_pair(page: Page, view: View) -> None:
    """A pair is open and shown in this view."""
    expect(page.locator(".views [aria-checked=true]")).to_have_attribute("data-view", view.value)
    expect(page.locator(f".zoomed img.shown[data-view={view.value}]")).to_have_count(2)


def pictures(page: Page) -> list[str]:
    """Addresses of the two photos of a pair, the query's first."""
    return page.locator(".zoomed img.shown").evaluate_all(
        "images => images.map(image => new URL(image.src).pathname)"
    )


def has_address(page: Page, **wanted: object) -> None:
    """Wait until the address says so."""
    for name, value in wanted.items():
        page.wait_for_url(re.compile(rf"[?&]{name}={value}(&|$)"))
