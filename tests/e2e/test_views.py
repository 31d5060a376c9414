"""The page of views in a real browser: one zoom for four pictures, and steps to other photos."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("views")
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(made_dataset(folder / "photos", n_photos=40))
    return f"{serve(APP, folder / 'workspace')}/views"


def open_at(page: Page, url: str, row: int) -> Page:
    page.goto(url)
    shown(page, row)
    return page


def shown(page: Page, row: int) -> None:
    expect(page.locator(f".views[data-row='{row}'] .zoomed img[src]").first).to_be_visible()


def picture(page: Page, view: str) -> Locator:
    return page.locator(f".zoomed[data-view='{view}'] img")


def transforms(page: Page) -> set[str]:
    return set(page.locator(".zoomed img").evaluate_all("all => all.map(i => i.style.transform)"))


def test_four_views_zoom_as_one(page: Page, address: str, screenshot: Callable) -> None:
    open_at(page, f"{address}?row=4", 4)
    expect(page.locator(".zoomed img[src]")).to_have_count(4)
    for view in ("full", "foreground", "shortcut", "silhouette"):
        assert f"view={view}" in picture(page, view).get_attribute("src")
    screenshot(page, "whole")
    box = page.locator(".zoomed").nth(1)
    box.hover(position={"x": 60, "y": 40})
    page.mouse.wheel(0, -600)
    expect(page.locator(".zoom")).not_to_have_text("100 %")
    moved = transforms(page)
    assert len(moved) == 1
    # The place under the mouse stays under it.
    left, top, width, height = box.evaluate(
        "b => { const o = b.getBoundingClientRect(), i = b.querySelector('img')"
        ".getBoundingClientRect(); return [(i.left - o.left), (i.top - o.top), i.width, i.height] }"
    )
    whole = box.bounding_box()
    assert (60 - left) / width == pytest.approx(60 / whole["width"], abs=0.01)
    assert (40 - top) / height == pytest.approx(40 / whole["height"], abs=0.01)

    page.mouse.down()
    page.mouse.move(whole["x"] + 20, whole["y"] + 20)
    page.mouse.up()
    assert len(transforms(page)) == 1
    assert transforms(page) != moved
    screenshot(page, "magnified")
    page.locator(".views").press("0")
    expect(page.locator(".zoom")).to_have_text("100 %")
    page.get_by_role("button", name="Larger").click()
    expect(page.locator(".zoom")).to_have_text("150 %")


def test_keys_step_through_photos_and_the_address_follows(page: Page, address: str) -> None:
    open_at(page, f"{address}?row=4", 4)
    for _ in range(5):
        page.locator(".views").press("ArrowRight")  # in a hurry: none of them is lost
    shown(page, 9)
    page.wait_for_url(re.compile("row=9"))
    page.get_by_role("button", name="Next").click()
    shown(page, 10)
    number = page.get_by_label("Photo, of 40")
    # What is typed before the box has followed the click would be overwritten.
    expect(number).to_have_value("11")
    page.wait_for_url(re.compile("row=10"))
    number.fill("33")
    number.press("Enter")
    shown(page, 32)
    page.wait_for_url(re.compile("row=32"))
    page.get_by_role("textbox", name="Find").fill("disc 2")
    page.get_by_role("textbox", name="Find").press("Enter")
    shown(page, 6)
    expect(page.locator(".title")).to_contain_text("disc 2")
    page.go_back()
    shown(page, 32)


def test_a_photo_without_a_mask_shows_what_there_is(
    page: Page, address: str, screenshot: Callable
) -> None:
    open_at(page, f"{address}?row=1", 1)
    expect(page.get_by_text("This photo has no accepted mask.")).to_be_visible()
    expect(page.locator(".zoomed img[src]")).to_have_count(1)
    expect(page.get_by_text("so this view does not exist")).to_have_count(3)
    screenshot(page)
    page.get_by_role("link", name="Add a dataset with masks").click()
    page.wait_for_url(re.compile("/add_dataset"))


def test_colours_reach_the_pictures(page: Page, address: str) -> None:
    open_at(page, f"{address}?row=4&fill=ff8800", 4)
    assert "fill=ff8800" in picture(page, "foreground").get_attribute("src")


def test_many_photos_in_one_view(
    page: Page, address: str, screenshot: Callable, console_errors: list[str]
) -> None:
    page.goto(f"{address}?row=20&show=many+photos&view=silhouette")
    expect(page.locator("#tile-20 img.loaded[src*='view=silhouette']")).to_be_visible()
    screenshot(page)
    page.locator("#tile-22").click()
    shown(page, 22)
    # Rows without an accepted mask have no such view: the server says so, and so do their tiles.
    console_errors[:] = [error for error in console_errors if "status of 409" not in error]


@pytest.mark.parametrize(("width", "scheme"), [(1440, "dark"), (1024, "light")])
def test_it_looks_right(
    new_page: Callable[..., Page], address: str, screenshot: Callable, width: int, scheme: str
) -> None:
    page = open_at(new_page(width=width, scheme=scheme), f"{address}?row=4", 4)
    expect(page.locator(".zoomed img[src]")).to_have_count(4)
    boxes = [page.locator(".zoomed").nth(i).bounding_box() for i in range(4)]
    assert len({(box["width"], box["height"]) for box in boxes}) == 1
    assert boxes[0]["width"] / boxes[0]["height"] == pytest.approx(120 / 90, rel=0.01)
    assert max(box["x"] + box["width"] for box in boxes) <= width
    screenshot(page)
