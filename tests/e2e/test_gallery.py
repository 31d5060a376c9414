"""The gallery in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

HERE = Path(__file__).parent
N_MANY = 100_000


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Rows 0 to 39 in "discs", and a hundred thousand more over the same photos in "many"."""
    folder = tmp_path_factory.mktemp("gallery")
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(made_dataset(folder / "photos", n_photos=40))
        workspace.add_dataset(made_dataset(folder / "photos", "many", n_photos=40, n_rows=N_MANY))
    return serve(HERE / "gallery_app.py", folder / "workspace")


def tile(page: Page, row: int) -> Locator:
    return page.locator(f"#tile-{row}")


def loaded(page: Page, row: int) -> Locator:
    return tile(page, row).locator("img.loaded")


def seen(page: Page, text: str) -> None:
    expect(page.get_by_text(text, exact=True)).to_be_visible()


def open_at(page: Page, url: str, row: int = 0) -> Page:
    page.goto(url)
    expect(loaded(page, row)).to_be_visible()
    return page


def test_pictures_have_captions_and_words_for_those_who_do_not_see(
    page: Page, address: str
) -> None:
    open_at(page, f"{address}/?show=discs")
    expect(tile(page, 4)).to_contain_text("disc 1")
    expect(tile(page, 3)).to_contain_text("unknown identity")
    assert tile(page, 4).locator("img").get_attribute("alt") == "disc 1, 2024-05-01, full view"
    assert tile(page, 1).locator("img").get_attribute("alt") == (
        "disc 0, 2024-05-01 · mask: none, to be looked at, full view"
    )
    box = page.get_by_role("listbox")
    expect(box).to_have_attribute("aria-activedescendant", "tile-0")
    expect(page.get_by_role("option").first).to_have_attribute("aria-setsize", "40")


def test_a_hundred_thousand_rows_cost_what_is_in_sight(
    page: Page, address: str, screenshot: Callable
) -> None:
    frames: list[int] = []
    page.on("websocket", lambda s: s.on("framereceived", lambda f: frames.append(len(f))))
    open_at(page, f"{address}/?show=many")
    expect(page.get_by_text(f"of {N_MANY:,}")).to_be_visible()
    assert page.locator(".tile").count() < 100
    assert max(frames) < 100_000
    page.get_by_role("listbox").press("End")
    expect(loaded(page, N_MANY - 1)).to_be_visible()
    expect(tile(page, N_MANY - 1)).to_contain_text(f"disc {(N_MANY - 1) // 3}")
    assert page.locator(".tile").count() < 100
    screenshot(page)


def test_a_click_acts_once(page: Page, address: str) -> None:
    open_at(page, f"{address}/?show=discs")
    tile(page, 5).click()
    seen(page, "opened now 5")
    seen(page, "opened so far [5]")
    page.get_by_role("button", name="Run again").click()
    seen(page, "opened now None")
    seen(page, "opened so far [5]")
    tile(page, 5).click()  # the same row once more is a new event
    seen(page, "opened so far [5, 5]")


def test_the_keyboard_moves_and_opens(page: Page, address: str) -> None:
    open_at(page, f"{address}/?show=discs")
    box = page.get_by_role("listbox")
    box.press("ArrowUp")  # leads nowhere from the first line
    expect(tile(page, 0)).to_have_class(re.compile("active"))
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowDown"):
        box.press(key)
    per_line = round(page.locator(".canvas").bounding_box()["width"] / 190)
    active = int(page.locator(".tile.active").get_attribute("data-index"))
    assert active in (per_line, per_line + 1, per_line + 2)
    box.press("Enter")
    seen(page, f"opened so far [{active}]")
    box.press("End")
    expect(tile(page, 39)).to_have_class(re.compile("active"))
    expect(loaded(page, 39)).to_be_visible()
    box.press("Space")  # opens, where nothing can be ticked
    seen(page, f"opened so far [{active}, 39]")


def test_rows_are_ticked_by_mouse_and_keyboard(
    page: Page, address: str, screenshot: Callable
) -> None:
    open_at(page, f"{address}/?show=discs&tick=1")
    tile(page, 1).locator(".tick").click()
    tile(page, 3).locator(".tick").click()
    seen(page, "ticked [1, 3]")
    tile(page, 8).click(modifiers=["Shift"])
    seen(page, "ticked [1, 3, 4, 5, 6, 7, 8]")
    tile(page, 3).click(modifiers=["Control"])
    seen(page, "ticked [1, 4, 5, 6, 7, 8]")
    box = page.get_by_role("listbox")
    box.press("ArrowRight")
    box.press("Space")
    seen(page, "ticked [1, 5, 6, 7, 8]")
    expect(page.get_by_text("5 selected")).to_be_visible()
    seen(page, "opened so far []")
    screenshot(page)


def test_ticks_given_by_python_replace_those_made_here(page: Page, address: str) -> None:
    open_at(page, f"{address}/?show=discs&tick=1")
    tile(page, 1).locator(".tick").click()
    seen(page, "ticked [1]")
    page.get_by_role("button", name="Give three").click()
    seen(page, "ticked [4, 5, 6]")
    expect(page.locator(".tile.selected")).to_have_count(3)
    tile(page, 1).locator(".tick").click()
    seen(page, "ticked [1, 4, 5, 6]")
    page.get_by_role("button", name="Run again").click()
    seen(page, "ticked [1, 4, 5, 6]")
    page.get_by_role("button", name="Clear").click()
    seen(page, "ticked []")
    expect(page.locator(".tile.selected")).to_have_count(0)


def test_quick_ticks_are_all_kept(page: Page, address: str) -> None:
    open_at(page, f"{address}/?show=discs&tick=1")
    for row in range(8):
        tile(page, row).locator(".tick").click(no_wait_after=True)
    seen(page, "ticked [0, 1, 2, 3, 4, 5, 6, 7]")
    page.wait_for_timeout(500)
    expect(page.locator(".tile.selected")).to_have_count(8)


def test_the_current_row_is_scrolled_to_and_marked(page: Page, address: str) -> None:
    open_at(page, f"{address}/?show=many&current=70000", row=69_960)
    expect(page.locator(".tile.current")).to_have_attribute("data-index", "69960")
    expect(page.locator(".tile.current")).to_be_in_viewport()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_right_and_wrong_differ_by_sign_and_line(
    new_page: Callable[..., Page], address: str, scheme: str, screenshot: Callable
) -> None:
    page = open_at(new_page(1024, 420, scheme), f"{address}/?show=strip")

    def line(row: int) -> str:
        frame = tile(page, row).locator(".frame")
        return frame.evaluate("frame => getComputedStyle(frame).borderTopStyle")

    assert [line(row) for row in (0, 1, 2, 7)] == ["double", "solid", "dashed", "dotted"]
    assert [tile(page, row).locator(".sign").inner_text() for row in (1, 2, 0)] == [
        "✓",
        "✗",
        "query",
    ]
    assert "wrong match" in tile(page, 2).locator("img").get_attribute("alt")
    screenshot(page)


def test_a_picture_that_cannot_be_shown_says_why(
    page: Page, address: str, console_errors: list[str], screenshot: Callable
) -> None:
    page.goto(f"{address}/?show=strip&view=foreground")
    expect(loaded(page, 0)).to_be_visible()
    expect(tile(page, 1)).to_contain_text("row 1 has no accepted mask")
    screenshot(page)
    # The browser notes each refused picture on its console, whatever a page does.
    assert all("409" in error for error in console_errors)
    console_errors.clear()


def test_a_strip_scrolls_sideways(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 700, "height": 500})
    open_at(page, f"{address}/?show=strip")
    box = page.get_by_role("listbox")
    box.press("End")
    expect(loaded(page, 8)).to_be_in_viewport()
    box.press("Enter")
    seen(page, "opened 8")


def test_nothing_below_moves_while_pictures_come_or_the_page_runs_again(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/?show=discs")
    expect(tile(page, 0)).to_be_visible()
    below = page.get_by_text("opened now")
    before = below.bounding_box()
    expect(loaded(page, 0)).to_be_visible()
    page.get_by_role("button", name="Run again").click()
    page.wait_for_timeout(500)
    assert below.bounding_box() == before


def first_in_sight(page: Page) -> int:
    found = re.search(r"Images ([\d,]+)", page.locator(".status").inner_text())
    assert found is not None
    return int(found[1].replace(",", ""))


def test_the_place_is_kept_when_the_window_is_resized(page: Page, address: str) -> None:
    open_at(page, f"{address}/?show=many")
    page.locator(".viewport").evaluate("view => { view.scrollTop = 100000 }")
    expect(page.locator(".status")).not_to_contain_text(re.compile(r"Images 1\D"))
    first = first_in_sight(page)
    page.set_viewport_size({"width": 900, "height": 900})
    expect(page.locator(f"#tile-{first}")).to_be_in_viewport()
    assert abs(first_in_sight(page) - first) < 12


def test_a_gallery_can_be_taken_away_and_come_back(page: Page, address: str) -> None:
    open_at(page, f"{address}/?show=discs&tick=1")
    tile(page, 1).locator(".tick").click()
    seen(page, "ticked [1]")
    page.get_by_text("Hide").click()
    expect(page.locator(".gallery")).to_have_count(0)
    page.set_viewport_size({"width": 1000, "height": 900})
    page.get_by_text("Hide").click()
    expect(loaded(page, 0)).to_be_visible()
    tile(page, 2).click()
    seen(page, "opened so far [2]")


def test_a_gallery_in_a_closed_tab_is_drawn_when_it_is_opened(page: Page, address: str) -> None:
    page.goto(f"{address}/?show=tab")
    expect(page.get_by_text("words", exact=True)).to_be_visible()
    page.get_by_role("tab", name="Photos").click()
    expect(loaded(page, 30)).to_be_in_viewport()
    expect(tile(page, 30)).to_have_class(re.compile("current"))


@pytest.mark.parametrize("width", [1440, 1024])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_looks_right(
    new_page: Callable[..., Page], address: str, width: int, scheme: str, screenshot: Callable
) -> None:
    page = open_at(new_page(width, 800, scheme), f"{address}/?show=discs&tick=1&current=7")
    tile(page, 2).locator(".tick").click()
    seen(page, "ticked [2]")
    canvas, title = page.locator(".tile").first.bounding_box(), page.get_by_text("opened now")
    assert abs(canvas["x"] - title.bounding_box()["x"]) < 1  # in line with the page
    screenshot(page)
