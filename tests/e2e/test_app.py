"""The product's own server in a real browser."""

import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

APP = Path(__file__).parents[2] / "app.py"
PHOTOS = "dataset?part=photos"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app with two datasets, its workspace named on the command line."""
    folder = tmp_path_factory.mktemp("app")
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(made_dataset(folder / "photos", n_photos=40))
        workspace.add_dataset(made_dataset(folder / "photos", "more", n_photos=40))
    other = folder / "not this one"
    return serve(APP, other, "--workspace", str(folder / "workspace"))


def choose(page: Page, dataset: str) -> None:
    page.get_by_role("combobox", name="Dataset").click()
    page.get_by_role("option", name=dataset, exact=True).click()


def test_a_screen_can_be_sent(
    new_page: Callable[..., Page], address: str, screenshot: Callable
) -> None:
    page = new_page()
    page.goto(f"{address}/{PHOTOS}")
    expect(page.locator("img.loaded").first).to_be_visible()
    choose(page, "more")
    expect(page.locator("img.loaded[src*='/rows/44/']")).to_be_visible()
    page.locator("#tile-4").click()
    page.wait_for_url(re.compile("row=44"))
    expect(page.locator(".tile.current")).to_have_attribute("data-index", "4")
    screenshot(page)

    other = new_page()
    other.goto(page.url)
    expect(other.locator(".tile.current")).to_have_attribute("data-index", "4")
    expect(other.locator(".tile.current")).to_contain_text("disc 1")


def test_a_choice_stays_though_its_words_change(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    page.goto(serve(Path(__file__).parent / "relabelled_app.py", tmp_path))
    page.get_by_role("combobox", name="Which").click()
    page.get_by_role("option", name="right, 0 clicks").click()
    expect(page.get_by_text("after 0 clicks right is chosen")).to_be_visible()
    for n in (1, 2, 3):
        page.get_by_role("button", name="Change the words").click()
        expect(page.get_by_text(f"after {n} clicks right is chosen")).to_be_visible()
    expect(page).to_have_url(re.compile("which=right"))
    expect(page.get_by_text("The address says")).to_have_count(0)


def test_a_choice_outlives_the_next_one_that_comes_before_its_answer(
    page: Page, serve: Callable[..., str], tmp_path: Path
) -> None:
    held: list[tuple[WebSocketRoute, str | bytes]] = []
    is_slow = False

    def connect(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()
        browser.on_message(server.send)
        server.on_message(
            lambda message: held.append((browser, message)) if is_slow else browser.send(message)
        )

    page.route_web_socket(re.compile("/_stcore/stream"), connect)
    page.goto(serve(Path(__file__).parent / "two_choices_app.py", tmp_path))
    expect(page.get_by_text("left and left are chosen")).to_be_visible()
    is_slow = True
    for name in ("First", "Second"):
        page.get_by_role("combobox", name=name).click()
        page.get_by_role("option", name="right").click()
        page.wait_for_timeout(300)  # the server has answered, and the browser does not know it
    is_slow = False
    for browser, message in held:
        browser.send(message)
    expect(page.get_by_text("right and right are chosen")).to_be_visible()
    expect(page).to_have_url(re.compile("first=right&second=right"))


def test_back_undoes_a_choice(page: Page, address: str) -> None:
    page.goto(f"{address}/{PHOTOS}")
    expect(page.locator("img.loaded").first).to_be_visible()
    page.wait_for_url(re.compile("dataset=discs"))
    choose(page, "more")
    page.wait_for_url(re.compile("dataset=more"))
    page.go_back()
    page.wait_for_url(re.compile("dataset=discs"))
    expect(page.get_by_role("combobox", name="Dataset")).to_have_value("discs")
    expect(page.locator("img.loaded[src*='/rows/4/']")).to_be_visible()


def test_a_wrong_address_is_told_in_words(page: Page, address: str, screenshot: Callable) -> None:
    page.goto(f"{address}/{PHOTOS}&dataset=disks&row=x")
    expect(page.get_by_text("that must be one of discs, more")).to_be_visible()
    expect(page.get_by_text("row='x'")).to_be_visible()
    expect(page.locator("img.loaded").first).to_be_visible()
    screenshot(page)


def test_no_word_of_deploying_and_nothing_from_elsewhere(page: Page, address: str) -> None:
    elsewhere: list[str] = []
    page.on(
        "request",
        lambda r: (
            elsewhere.append(r.url) if not r.url.startswith((address, "blob:", "data:")) else 0
        ),
    )
    page.goto(f"{address}/{PHOTOS}")
    expect(page.locator("img.loaded").first).to_be_visible()
    page.wait_for_timeout(500)
    expect(page.get_by_text("Deploy")).to_have_count(0)
    assert not elsewhere


def test_the_routes_answer_beside_the_pages(address: str) -> None:
    with urllib.request.urlopen(f"{address}/api/rows/0/image?size=64") as answer:
        assert answer.headers["Content-Type"] == "image/jpeg"
        tag = answer.headers["ETag"]
    again = urllib.request.Request(
        f"{address}/api/rows/0/image?size=64", headers={"If-None-Match": tag}
    )
    for request, status in ((again, 304), (f"{address}/api/elsewhere", 404)):
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(request)
        assert error.value.code == status
        error.value.close()
