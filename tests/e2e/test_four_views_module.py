"""The script of the four views without Streamlit, called in orders that come about by chance."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

import components.four_views
from components import zoom
from tests.e2e.scripts import START

_FOLDER = Path(components.four_views.__file__).parent
_PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'


def read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


@pytest.fixture
def script(page: Page) -> Page:
    """A page in which `show(data)` calls the script and `sent` is what it sent to Python."""
    page.route("**/*", lambda route: route.fulfill(body="", content_type="text/html"))
    page.route(
        re.compile("/api/"), lambda route: route.fulfill(body=_PIXEL, content_type="image/svg+xml")
    )
    page.goto("http://views.test/")
    source = zoom.JS + read("four_views.js")
    page.evaluate(START, [source, read("four_views.html"), zoom.CSS + read("four_views.css")])
    return page


def show(script: Page, place: int, seen: str | None) -> None:
    """Call the script as a run of the page does which shows a place and has heard of an event."""
    views = [
        {"name": name, "title": name, "words": "", "problem": None, "query": f"view={name}"}
        for name in ("full", "foreground", "shortcut", "silhouette")
    ]
    data = {
        "seen": seen,
        "row": place,
        "version": 1,
        "title": f"disc {place}",
        "detail": "",
        "place": place,
        "count": 40,
        "sizes": [640],
        "ahead": [],
        "views": views,
    }
    script.evaluate("data => window.show(data)", data)
    script.locator(f".views[data-row='{place}']").wait_for()


def test_no_step_is_lost_to_a_page_that_has_not_heard_of_the_last(script: Page) -> None:
    show(script, 4, None)
    for _ in range(3):
        script.locator(".views").press("ArrowRight")
    ids = script.evaluate("window.sent.map(([, event]) => event.id)")
    show(script, 5, ids[0])  # the run that the first step began
    script.locator(".views").press("ArrowRight")
    assert script.evaluate("window.sent.map(([, event]) => event.place)") == [5, 6, 7, 8]


def test_the_page_leads_once_it_has_heard_of_the_last_step(script: Page) -> None:
    show(script, 4, None)
    script.locator(".views").press("ArrowRight")
    last = script.evaluate("window.sent.at(-1)[1].id")
    show(script, 30, last)  # a number was typed since
    script.locator(".views").press("ArrowRight")
    assert script.evaluate("window.sent.at(-1)[1].place") == 31
