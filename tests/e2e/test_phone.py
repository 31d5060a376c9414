"""The page for a dataset's owner, on a phone."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from cfr_core.types import View
from tests.e2e.conftest import MadeRuns

PHONE = {"width": 390, "height": 844}


def test_an_owner_sees_on_a_phone_what_a_model_looks_at(
    new_page: Callable[..., Page], made_runs: MadeRuns, screenshot: Callable
) -> None:
    page = new_page(**PHONE)
    page.goto(f"{made_runs.address}/demo/")
    expect_photo(page, made_runs.scenery.suspicious[0].query_row_id)
    expect(page.get_by_text("from the surroundings alone, but not from the animal")).to_be_visible()

    page.get_by_role("combobox", name="Dataset and model").click()
    page.get_by_role("option", name="discs, animals").click()
    expect(page.get_by_text("from the surroundings alone, but not")).to_have_count(0)
    expect(page.get_by_text("The model finds disc")).to_be_visible()
    in_its_colours = "img[src*='fill=ff8800'][src*='silhouette=0000ff']"
    expect(page.locator(f".four {in_its_colours}")).to_have_count(len(View))
    expect(page.locator(f".strip {in_its_colours}")).to_have_count(5 * len(View))
    screenshot(page, "top")
    for strip in page.locator(".strip").all():
        strip.scroll_into_view_if_needed()
        expect_loaded(strip.locator("img").first)
    screenshot(page, "nearest")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def expect_photo(page: Page, row_id: int) -> None:
    """The four views of a photo, and the nearest photos of each, from the right workspace."""
    for view in View:
        expect_loaded(page.locator(f".four img[src*='/rows/{row_id}/image?view={view.value}&']"))
    expect(page.locator(".strip")).to_have_count(len(View))
    for strip in page.locator(".strip").all():
        expect(strip.locator("figure")).to_have_count(5)


def expect_loaded(image: Locator) -> None:
    image.scroll_into_view_if_needed()
    expect(image).to_have_js_property("complete", value=True)
    assert image.evaluate("image => image.naturalWidth") > 0
