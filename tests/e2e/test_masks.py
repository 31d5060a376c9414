"""The page of masks in a real browser, on photos of zebras: made, corrected, accepted, and kept."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from cfr_core.datasets.check import check
from cfr_core.datasets.sources import read_source
from cfr_core.workspace.store import Workspace
from tests.e2e.masks_page import TIMEOUT_MS, Editor, covers, stored

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture(scope="module")
def address(
    serve: Callable[..., str], shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> str:
    folder = tmp_path_factory.mktemp("masks")
    with Workspace(folder) as workspace:
        workspace.add_dataset(
            check(read_source(shared_data / "zebra_stripespotter"), name="zebras")
        )
    return serve(APP, folder)


@pytest.fixture
def editor(page: Page, address: str) -> Editor:
    return Editor(page, address)


BODY = [(0.35, 0.35), (0.8, 0.3), (0.8, 0.6), (0.4, 0.62)]
"""Corners inside the zebra of most of these photos."""


def draw_with_points(editor: Editor) -> None:
    """On the animal and off it; one point is moved, then deleted."""
    asked = editor.ask(lambda: editor.click(0.5, 0.5))
    assert (asked["labels"], asked["prior"]) == ([True], None)
    height, width = asked["size_hw"]
    assert asked["points"][0] == pytest.approx([width / 2, height / 2], abs=2)
    asked = editor.ask(lambda: editor.click(0.35, 0.4))
    assert asked["labels"] == [True, True]
    assert asked["prior"] is not None  # the mask at hand is refined
    asked = editor.ask(lambda: editor.click(0.9, 0.9, button="right"))
    assert asked["labels"] == [True, True, False]
    asked = editor.ask(lambda: editor.drag((0.9, 0.9), (0.15, 0.85)))
    assert asked["points"][2] == pytest.approx([0.15 * width, 0.85 * height], abs=2)
    editor.page.mouse.move(*editor.at(0.15, 0.85))
    asked = editor.ask(lambda: editor.press("Delete"))
    assert asked["labels"] == [True, True]


def draw_with_a_box_and_the_eraser(editor: Editor) -> None:
    editor.press("x")
    editor.ask(lambda: editor.drag((0.05, 0.05), (0.97, 0.97)))
    editor.press("e")
    with_box = editor.share()
    editor.drag((0.3, 0.5), (0.7, 0.5))
    assert editor.share() < with_box


def draw_with_the_brush(editor: Editor) -> None:
    """Its right button erases."""
    editor.press("b")
    for _ in range(6):
        editor.press("w")
    editor.drag((0.3, 0.45), (0.8, 0.45))
    painted = editor.share()
    editor.drag((0.5, 0.45), (0.6, 0.45), button="right")
    assert 0 < editor.share() < painted


def draw_with_polygons(editor: Editor, screenshot: Callable) -> None:
    """A body, and a hole in it."""
    editor.press("g")
    for corner in BODY:
        editor.click(*corner)
    screenshot(editor.page, "polygon")
    editor.press("Enter")
    whole = editor.share()
    editor.press("h")
    for corner in [(0.5, 0.4), (0.6, 0.4), (0.6, 0.5)]:
        editor.click(*corner)
    editor.click(0.5, 0.4)  # on the first corner: closed
    assert 0 < editor.share() < whole


def draw_and_clean_up(editor: Editor, screenshot: Callable) -> None:
    """The clean-up of a loose speck is shown first, then applied."""
    editor.press("g")
    for corner in BODY:
        editor.click(*corner)
    editor.press("Enter")
    editor.press("b")
    for _ in range(12):
        editor.press("q")
    editor.click(0.1, 0.1)
    before = editor.share()
    editor.press("c")
    words = editor.page.locator(".cleaning .words")
    expect(words).to_contain_text("1 loose part dropped", timeout=TIMEOUT_MS)
    assert editor.share() == before
    screenshot(editor.page, "clean-up")
    editor.press("Enter")
    expect(editor.page.locator(".cleaning")).to_be_hidden()


def test_five_zebras_from_nothing_with_every_tool(
    editor: Editor, page: Page, address: str, screenshot: Callable
) -> None:
    editor.open(0, person="anna")
    expect(page.locator(".state")).to_have_text("No mask yet")
    draw_with_points(editor)
    editor.go("a", 1)
    draw_with_a_box_and_the_eraser(editor)
    editor.go("a", 2)
    draw_with_the_brush(editor)
    editor.go("a", 3)
    draw_with_polygons(editor, screenshot)
    editor.go("a", 4)
    draw_and_clean_up(editor, screenshot)
    editor.go("a", 5)
    masks = [stored(page, address, row) for row in range(5)]
    assert {(m.version, m.status, m.author) for m in masks} == {(1, "accepted", "anna")}
    assert covers(masks[0], 0.5, 0.5)
    assert covers(masks[2], 0.35, 0.45)
    assert not covers(masks[2], 0.55, 0.45)
    assert covers(masks[3], 0.45, 0.43)
    assert not covers(masks[3], 0.57, 0.43)
    assert covers(masks[4], 0.5, 0.45)
    assert not covers(masks[4], 0.1, 0.1)
    # The views of an accepted mask exist by now.
    assert page.request.get(f"{address}/api/rows/4/image?view=foreground").ok


def test_a_tab_that_is_closed_in_the_middle_loses_nothing(
    editor: Editor, page: Page, address: str
) -> None:
    editor.open(8)
    editor.press("b")
    editor.drag((0.3, 0.5), (0.6, 0.5))
    editor.drag((0.3, 0.6), (0.6, 0.6))
    drawn = editor.share()
    context = page.context
    page.wait_for_timeout(300)  # the draft is written at once, but not within the same moment
    page.close(run_before_unload=False)
    assert stored(context, address, 8).version == 0  # nothing was saved

    again = Editor(context.new_page(), address).open(8)
    expect(again.page.locator(".message")).to_contain_text("unsaved changes are back")
    assert again.share() == drawn
    again.press("Control+z")
    assert 0 < again.share() < drawn
    again.press("Control+z")
    assert again.share() == 0
    again.press("Control+y")
    again.press("Control+y")
    assert again.share() == drawn
    again.press("Control+s")
    again.is_at_version(1)
    assert stored(context, address, 8).status == "proposed"
    again.page.reload()
    again.shows(8)
    again.is_at_version(1)
    expect(again.page.locator(".state")).not_to_contain_text("unsaved")


def test_undo_takes_back_one_step_across_tools(editor: Editor) -> None:
    editor.open(9)
    shares = [editor.share()]
    steps: list[Callable[[], None]] = [
        lambda: editor.ask(lambda: editor.click(0.5, 0.5)),
        lambda: (editor.press("b"), editor.drag((0.2, 0.2), (0.4, 0.2))),
        lambda: (editor.press("e"), editor.drag((0.45, 0.5), (0.55, 0.5))),
        lambda: (
            editor.press("g"),
            *(editor.click(u, v) for u, v in [(0.7, 0.7), (0.9, 0.7), (0.9, 0.9)]),
            editor.press("Enter"),
        ),
        lambda: editor.press("d"),
    ]
    for step in steps:
        step()
        shares.append(editor.share())
    assert shares[-1] == 0
    for share in reversed(shares[:-1]):
        editor.press("Control+z")
        assert editor.share() == share
    expect(editor.page.get_by_role("button", name="Undo")).to_be_disabled()
    for share in shares[1:]:
        editor.press("Control+Shift+z")
        assert editor.share() == share


def test_undo_after_coming_back_is_of_this_photo_alone(
    editor: Editor, page: Page, address: str
) -> None:
    editor.open(10)
    editor.press("b")
    editor.drag((0.3, 0.4), (0.6, 0.4))
    one = editor.share()
    editor.drag((0.3, 0.6), (0.6, 0.6))
    both = editor.share()
    editor.go("ArrowRight", 11)
    assert stored(page, address, 10).version == 1  # saved on the way, as a proposal
    assert stored(page, address, 10).status == "proposed"
    editor.drag((0.3, 0.5), (0.5, 0.5))
    elsewhere = editor.share()
    editor.go("ArrowLeft", 10)
    assert editor.share() == both
    editor.press("Control+z")
    assert editor.share() == one
    editor.press("Control+z")
    assert editor.share() == 0
    editor.press("Control+z")
    assert editor.share() == 0
    editor.press("Control+y")
    editor.go("ArrowRight", 11)
    assert editor.share() == elsewhere
    assert stored(page, address, 10).version == 2
    page.wait_for_url(re.compile("row=11"))


def test_a_window_may_be_resized_in_the_middle(editor: Editor, page: Page, address: str) -> None:
    editor.open(12)
    editor.press("b")
    editor.drag((0.4, 0.4), (0.6, 0.4))
    page.set_viewport_size({"width": 1024, "height": 768})
    expect(page.locator(".work")).to_have_css("grid-template-columns", re.compile(r"^\S+$"))
    page.wait_for_function(
        "(c) => c.width === Math.round(c.getBoundingClientRect().width * devicePixelRatio)",
        arg=page.locator("canvas.picture").element_handle(),
    )
    editor.drag((0.4, 0.6), (0.6, 0.6))
    editor.go("a", 13)
    pixels = stored(page, address, 12).pixels
    height, width = pixels.shape
    for v in (0.4, 0.6):
        line = pixels[round(v * height)]
        assert line[round(0.41 * width) : round(0.59 * width)].all()
        assert not line[: round(0.3 * width)].any()
    assert not pixels[round(0.5 * height)].any()


def test_of_two_people_at_one_mask_the_second_is_told(
    editor: Editor, new_page: Callable[..., Page], page: Page, address: str, console_errors: list
) -> None:
    other = Editor(new_page(), address).open(14, person="ben")
    editor.open(14, person="anna")
    for each, v in ((editor, 0.4), (other, 0.6)):
        each.press("b")
        each.drag((0.3, v), (0.6, v))
    editor.press("Control+s")
    editor.is_at_version(1)
    drawn = other.share()
    other.press("a")
    message = other.page.locator(".message")
    expect(message).to_contain_text("anna saved version 1")
    assert stored(page, address, 14).author == "anna"
    assert other.share() == drawn

    # Theirs can be looked at, and one's own comes back by Undo.
    message.get_by_role("button", name="Show the newer one").click()
    expect(other.page.locator(".message")).to_contain_text("Undo brings yours back")
    other.press("Control+z")
    assert other.share() == drawn
    other.go("a", 15)
    after = stored(page, address, 14)
    assert (after.version, after.author, after.status) == (2, "ben", "accepted")
    assert covers(after, 0.5, 0.6)

    # The first one had not changed anything since, and sees the newer mask on coming back.
    editor.go("ArrowRight", 15)
    editor.go("ArrowLeft", 14)
    editor.is_at_version(2)
    console_errors[:] = [error for error in console_errors if "status of 409" not in error]


def test_a_mask_is_rejected_with_a_reason_and_an_empty_one_is_not_accepted(
    editor: Editor, page: Page, address: str
) -> None:
    editor.open(16)
    editor.press("a")
    expect(page.locator(".message")).to_contain_text("An empty mask hides nothing")
    editor.press("r")
    reason = page.get_by_label("Why is this mask rejected?")
    reason.press("Enter")  # nothing said, nothing done
    reason.press_sequentially("bars of a fence in front")  # letters, not keys of tools
    reason.press("Enter")
    editor.shows(17)
    version = page.request.get(f"{address}/api/rows/16/mask").json()
    assert (version["status"], version["reason"]) == ("rejected", "bars of a fence in front")


def test_an_older_version_is_restored_and_the_editor_follows(
    editor: Editor, page: Page, address: str
) -> None:
    editor.open(18)
    editor.press("b")
    editor.drag((0.3, 0.4), (0.6, 0.4))
    editor.press("Control+s")
    editor.is_at_version(1)
    first = editor.share()
    editor.drag((0.3, 0.6), (0.6, 0.6))
    editor.press("Control+s")
    editor.is_at_version(2)
    page.get_by_text("Versions of this mask: 2").click()
    page.get_by_role("button", name="Restore", exact=True).click()
    editor.is_at_version(3)
    assert editor.share() == first
    assert stored(page, address, 18).version == 3


def durations(page: Page, what: str) -> list[dict]:
    """What the editor has measured, in ms, with its details."""
    page.wait_for_function("(what) => performance.getEntriesByName(what).length", arg=what)
    code = (
        "(what) => performance.getEntriesByName(what).map((m) => ({ms: m.duration, ...m.detail}))"
    )
    return page.evaluate(code, what)


_TRIES = 8
_IS_FETCHED = """(what) => performance.getEntriesByType("resource")
  .some(({ name, responseEnd }) => name.endsWith(what) && responseEnd > 0)"""


def test_answers_and_the_next_photo_come_at_once(editor: Editor, page: Page) -> None:
    """The best of some tries counts, since other programs run on this machine."""
    # Browsers keep 250 entries, and the pictures of the queue are more.
    page.add_init_script("performance.setResourceTimingBufferSize(10000)")
    editor.open(20)
    for u in np.linspace(0.3, 0.7, _TRIES):
        editor.ask(lambda u=u: editor.click(u, 0.5))
        beside = [each["ms"] - each["engineMs"] for each in durations(page, "mask proposal")]
        if min(beside) < 150:
            break
    assert min(beside) < 150, beside
    for row in range(21, 21 + _TRIES):
        # Somebody looks at a photo for a while, and the next one is fetched meanwhile.
        for what in (f"/api/rows/{row}/mask", f"/api/rows/{row}/image?view=full&size=2048"):
            page.wait_for_function(_IS_FETCHED, arg=what, timeout=TIMEOUT_MS)
        editor.go("ArrowRight", row)
        steps = [each["ms"] for each in durations(page, "next photo")]
        if min(steps) < 300:
            break
    assert min(steps) < 300, steps


@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), (1440, "dark"), (1024, "light"), (1024, "dark")]
)
def test_it_looks_right(
    new_page: Callable[..., Page], address: str, screenshot: Callable, width: int, scheme: str
) -> None:
    height = 900 if width == 1440 else 768
    page = new_page(width=width, height=height, scheme=scheme)
    editor = Editor(page, address).open(30)
    for u in (0.45, 0.6):
        editor.ask(lambda u=u: editor.click(u, 0.45))
    screenshot(page)
    boxes = [page.locator(selector).bounding_box() for selector in (".tools", ".stage", ".review")]
    assert max(box["x"] + box["width"] for box in boxes) <= width
    # All that is needed to draw and decide is seen at once.
    assert boxes[2]["y"] + boxes[2]["height"] - boxes[0]["y"] <= height
    editor.press("?")
    expect(page.locator(".sheet")).to_be_visible()
    screenshot(page, "keys")
    editor.press("Escape")
    expect(page.locator(".sheet")).to_be_hidden()
