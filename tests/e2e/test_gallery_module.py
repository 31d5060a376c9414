"""The gallery's script without Streamlit, called in orders that otherwise come about by chance."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import components.gallery
from tests.e2e.scripts import START

_FOLDER = Path(components.gallery.__file__).parent


def read(*names: str) -> str:
    return "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in names)


@pytest.fixture
def script(page: Page) -> Page:
    """A page in which `show(data)` calls the script and `sent` is what it sent to Python."""
    page.route("**/*", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("http://gallery.test/")
    source = read("layout.js", "tile.js", "gallery.js")
    page.evaluate(START, [source, read("gallery.html"), read("gallery.css")])
    return page


def data(n: int = 30, **changed: object) -> dict:
    columns = {
        "ids": list(range(n)),
        "captions": [f"row {i}" for i in range(n)],
        "details": None,
        "states": "p" * n,
        "versions": None,
    }
    return {
        "columns": json.dumps(columns),
        "digest": f"{n}",
        "query": "view=full",
        "sizes": [160],
        "view": "full",
        "layout": "grid",
        "tilePx": 170,
        "heightPx": 400,
        "states": {"p": "plain"},
        "colours": {},
        "current": None,
        "ticked": [],
        "seen": None,
    } | changed


def test_a_call_overtaken_by_the_next_does_not_take_the_gallery_away(script: Page) -> None:
    # Streamlit calls what an overtaken call returned, though the gallery stays in the page.
    script.evaluate("async data => { window.end = await window.show(data); }", data())
    script.locator("#tile-3 .tick").click()
    script.evaluate("async data => { window.end(); await window.show(data); }", data(current=1))
    script.wait_for_timeout(50)
    expect(script.locator(".tile.current")).to_have_count(1)
    script.locator("#tile-5").click(modifiers=["Shift"])
    assert script.evaluate("window.sent.at(-1)[1].rows") == [3, 4, 5]


def test_a_gallery_that_left_the_page_listens_to_nothing(script: Page) -> None:
    script.evaluate("async data => { window.end = await window.show(data); }", data())
    script.evaluate(
        """() => {
          window.view = document.getElementById("host").shadowRoot.querySelector(".viewport");
          document.getElementById("host").remove();
          window.end();
        }"""
    )
    script.wait_for_timeout(50)
    script.evaluate("window.view.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }))")
    assert script.evaluate("window.sent") == []
    assert script.evaluate("window.view.querySelectorAll('.tile').length") == 0


def test_ticks_that_python_has_not_seen_are_kept(script: Page) -> None:
    script.evaluate("data => window.show(data)", data())
    script.locator("#tile-1 .tick").click()
    script.locator("#tile-2 .tick").click()
    first, second = script.evaluate("window.sent.map(([, value]) => value)")
    assert (first["rows"], second["rows"]) == ([1], [1, 2])
    # The answer to the first tick comes after the second one.
    script.evaluate("data => window.show(data)", data(ticked=[1], seen=first["id"]))
    expect(script.locator(".tile.selected")).to_have_count(2)
    script.evaluate("data => window.show(data)", data(ticked=[], seen=second["id"]))
    expect(script.locator(".tile.selected")).to_have_count(0)


def test_the_place_is_kept_when_only_words_change(script: Page) -> None:
    script.evaluate("data => window.show(data)", data())
    script.get_by_role("listbox").press("End")
    expect(script.locator("#tile-29")).to_be_in_viewport()
    words = data() | {"columns": data()["columns"].replace("row 29", "changed"), "digest": "new"}
    script.evaluate("data => window.show(data)", words)
    expect(script.locator("#tile-29")).to_contain_text("changed")
    expect(script.locator("#tile-29")).to_be_in_viewport()
    script.evaluate("data => window.show(data)", data(40))
    expect(script.locator("#tile-0")).to_be_in_viewport()


def strip(script: Page, n: int, width: int) -> None:
    detail = "#60 · 0.696 · 2022-07-05"
    columns = json.loads(data(n)["columns"]) | {"details": [detail] * n}
    script.evaluate("w => { document.getElementById('host').style.width = `${w}px`; }", width)
    shown = data(n, layout="strip", tilePx=136, columns=json.dumps(columns), digest=f"{n} {width}")
    script.evaluate("data => window.show(data)", shown)
    expect(script.locator("#tile-0")).to_be_visible()
    script.wait_for_timeout(50)  # the observer of its size


@pytest.mark.parametrize(
    ("n", "width", "tile_px"),
    [
        (7, 1100, 136),  # all are in sight as they are
        (7, 702, 90),  # (702 - 6 gaps of 12) / 7
        (7, 400, 136),  # too narrow for all: they scroll
        (100, 702, 136),
    ],
)
def test_tiles_of_a_strip_give_way_if_all_are_then_in_sight(
    script: Page, n: int, width: int, tile_px: int
) -> None:
    strip(script, n, width)
    assert script.locator("#tile-0").bounding_box()["width"] == pytest.approx(tile_px, abs=0.1)
    detail = script.locator("#tile-0 .detail")
    assert detail.evaluate("e => e.scrollHeight <= e.clientHeight + 1")
    assert detail.evaluate("e => e.scrollWidth <= e.clientWidth") or tile_px == 136
    box, view = script.locator("#tile-0").bounding_box(), script.get_by_role("listbox")
    assert box["height"] <= view.bounding_box()["height"]


def test_words_are_never_read_as_markup(script: Page) -> None:
    caption = "<img src=x onerror=window.attacked=1>"
    text = data(1)["columns"].replace("row 0", caption)
    script.evaluate("data => window.show(data)", data(1) | {"columns": text})
    expect(script.locator("#tile-0 .caption")).to_have_text(caption)
    assert script.evaluate("window.attacked") is None


def test_an_empty_list_says_so(script: Page) -> None:
    script.evaluate("data => window.show(data)", data(0))
    expect(script.locator(".status")).to_have_text("No images")
    script.get_by_role("listbox").press("End")
    script.get_by_role("listbox").press("Enter")
    assert script.evaluate("window.sent") == []
