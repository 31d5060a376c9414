"""The editor's script without Streamlit, on a photo of 20 megapixels: places, answers, and trouble.

The server is played by the test, so that it can be slow, fail, or propose what is wanted.
"""

import io
import json
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route, expect

from cfr_core.masks.rle import run_lengths
from components import palette
from components.mask_editor import view

WIDTH, HEIGHT = 5472, 3648
PICTURE = (2048, 1365)
DOT = (1489, 367, 1505, 383)
"""Left, top, right and bottom of a red dot in the scaled picture."""
MARK = (DOT[0] + DOT[2]) / 2 * WIDTH / PICTURE[0], (DOT[1] + DOT[3]) / 2 * HEIGHT / PICTURE[1]
"""Its middle in native pixels."""

_START = """async ([source, html, css]) => {
  document.body.style.margin = 0;
  document.body.innerHTML = '<div id="host"></div>';
  const root = document.getElementById("host").attachShadow({ mode: "open" });
  root.innerHTML = `${html}<style>${css}</style>`;
  const blob = new Blob([source], { type: "text/javascript" });
  const module = await import(URL.createObjectURL(blob));
  window.sent = [];
  window.show = (data) =>
    module.default({
      data,
      parentElement: root,
      setStateValue: (name, value) => window.sent.push(value),
    });
}"""


def photo() -> bytes:
    """The scaled picture: grey, with the dot."""
    pixels = np.full((PICTURE[1], PICTURE[0], 3), 128, np.uint8)
    left, top, right, bottom = DOT
    pixels[top:bottom, left:right] = (255, 0, 0)
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


PHOTO = photo()


class Server:
    """What the editor asks, and what it is answered."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict]] = []
        self.candidates: list[dict] = []
        self.fails: dict[str, tuple[int, dict]] = {}
        self.counts = [WIDTH * HEIGHT]
        self.version = 0

    def answer(self, route: Route) -> None:
        url = route.request.url
        what = url.partition("?")[0].rsplit("/", 1)[-1]
        if route.request.method == "POST":
            self.asked.append((what, json.loads(route.request.post_data)))
        status, content = self.fails.get(what, (200, None))
        if content is not None and route.request.method == "POST":
            route.fulfill(status=status, json=content)
        elif what == "image":
            route.fulfill(body=PHOTO, content_type="image/png")
        elif what == "mask" and route.request.method == "POST":
            self.version += 1
            route.fulfill(json={"version": self.version, "status": self.last("mask")["status"]})
        elif what == "mask":
            size = {"size_hw": [HEIGHT, WIDTH], "counts": self.counts}
            route.fulfill(json=size | {"version": self.version, "status": ""})
        elif what == "propose":
            answer = {"candidates": self.candidates, "best": 0, "engine_ms": 5, "encode_ms": 0}
            route.fulfill(json=answer)
        else:
            route.fulfill(json={} if "/api/" in url else None, body=None)

    def last(self, what: str) -> dict:
        return next(asked for name, asked in reversed(self.asked) if name == what)

    def count(self, what: str) -> int:
        return sum(name == what for name, _ in self.asked)


def data(**changed: object) -> dict:
    def row(number: int) -> dict:
        return {"row": number, "version": 0, "title": f"zebra {number}", "detail": ""}

    return {
        "workspace": "w",
        "row": row(1),
        "ahead": [row(2), row(3)],
        "behind": [],
        "advances": True,
        "audit": "",
        "engine": "grabcut",
        "author": "anna",
        "colours": {"mask": palette.SKY, "added": palette.GREEN, "removed": palette.VERMILION},
        "views": {"fill": "#7c7468", "silhouette": "#000000"},
        "seen": None,
    } | changed


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def open_editor(browser: Browser, server: Server) -> Iterator[Callable[..., Page]]:
    contexts = []

    def open_it(ratio: float = 1, **changed: object) -> Page:
        context = browser.new_context(
            viewport={"width": 1200, "height": 900}, device_scale_factor=ratio
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.route("**/api/**", server.answer)
        page.route("http://editor.test/", lambda r: r.fulfill(body="", content_type="text/html"))
        page.goto("http://editor.test/")
        source = view._source(*(f"{name}.js" for name in view._SCRIPTS))
        page.evaluate(_START, [source, view._source("editor.html"), view._source("editor.css")])
        page.evaluate("(data) => window.show(data)", data(**changed))
        expect(page.locator(".editor[data-row='1']")).to_be_visible()
        return page

    yield open_it
    for context in contexts:
        context.close()


def runs(left: int, top: int, right: int, bottom: int) -> list[int]:
    """Run lengths of a rectangle."""
    pixels = np.zeros((HEIGHT, WIDTH), bool)
    pixels[top:bottom, left:right] = True
    return run_lengths(pixels)


def mark_on_screen(page: Page, ratio: float) -> tuple[float, float]:
    """Centre of the red dot in a picture of the screen, in CSS pixels of the page."""
    # Not clipped by the browser, which would round the stage's corner to whole pixels.
    stage = page.locator(".stage").bounding_box()
    with Image.open(io.BytesIO(page.screenshot())) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    pixels[:, math.floor((stage["x"] + stage["width"]) * ratio) :] = 0  # the strip has the dot too
    is_red = (pixels[..., 0] > 200) & (pixels[..., 1] < 90) & (pixels[..., 2] < 90)
    rows, columns = np.nonzero(is_red)
    assert len(rows) > 20
    return (columns.mean() + 0.5) / ratio, (rows.mean() + 0.5) / ratio


def zoom_at(page: Page, place: tuple[float, float], clicks: int) -> None:
    page.mouse.move(*place)
    for _ in range(clicks):
        page.mouse.wheel(0, -120)
    page.wait_for_timeout(150)


@pytest.mark.parametrize("ratio", [1, 1.25, 1.5, 2])
@pytest.mark.parametrize("clicks", [0, 6, 14])
def test_a_click_means_the_native_pixel_that_is_seen_there(
    open_editor: Callable[..., Page], server: Server, ratio: float, clicks: int
) -> None:
    page = open_editor(ratio)
    page.wait_for_timeout(200)
    first = mark_on_screen(page, ratio)
    zoom_at(page, (first[0] + 15, first[1] + 9), clicks)
    place = mark_on_screen(page, ratio)
    server.candidates = [{"counts": runs(10, 10, 20, 20), "score": 0.9}]
    with page.expect_response("**/propose"):
        page.mouse.click(*place)
    native = server.last("propose")["points"][0]
    # One pixel of the photo, or one CSS pixel where that is coarser: browsers tell where a mouse
    # was pressed in whole ones.
    stage = page.locator(".stage").bounding_box()
    coarse = max(WIDTH / stage["width"], HEIGHT / stage["height"]) / math.exp(0.18 * clicks)
    assert native == pytest.approx(MARK, abs=max(1.0, coarse))


def test_a_dot_of_the_brush_lies_where_it_was_painted(
    open_editor: Callable[..., Page], server: Server
) -> None:
    page = open_editor()
    page.wait_for_timeout(200)
    zoom_at(page, mark_on_screen(page, 1), 14)
    place = mark_on_screen(page, 1)
    page.keyboard.press("b")
    for _ in range(30):
        page.keyboard.press("q")
    page.mouse.click(*place)
    with page.expect_response("**/mask"):
        page.keyboard.press("Control+s")
    saved = server.last("mask")
    ends = np.cumsum(saved["counts"])
    columns = ends[0::2][: len(ends) // 2] // HEIGHT
    assert (saved["author"], saved["based_on"], saved["status"]) == ("anna", 0, "proposed")
    assert abs(columns.mean() - MARK[0]) <= 2.5
    assert len(columns) <= 6  # a few native pixels wide, not a blot


def test_an_engine_is_chosen_from_with_keys_and_each_choice_can_be_undone(
    open_editor: Callable[..., Page], server: Server
) -> None:
    page = open_editor()
    server.candidates = [
        {"counts": runs(0, 0, width, HEIGHT), "score": score}
        for width, score in ((WIDTH // 10, 0.9), (WIDTH // 5, 0.8), (WIDTH // 2, None))
    ]
    page.mouse.click(500, 400)
    state = page.locator(".state")
    expect(state).to_contain_text("10.0 %")
    expect(page.get_by_role("button", name="1 · 0.90")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("3")
    expect(state).to_contain_text("50.0 %")
    page.keyboard.press("2")
    expect(state).to_contain_text("20.0 %")
    page.keyboard.press("Control+z")
    expect(state).to_contain_text("50.0 %")
    with page.expect_response("**/propose"):
        page.mouse.click(520, 400)
    # The mask at hand is what the next answer starts from.
    assert server.last("propose")["prior"] == runs(0, 0, WIDTH // 2, HEIGHT)


def test_an_imported_mask_is_refined(open_editor: Callable[..., Page], server: Server) -> None:
    server.counts = runs(100, 100, 400, 300)
    page = open_editor()
    server.candidates = [{"counts": runs(100, 100, 500, 300), "score": None}]
    with page.expect_response("**/propose"):
        page.mouse.click(500, 400, button="right")  # there is a mask to take away from
    assert server.last("propose")["prior"] == server.counts
    assert server.last("propose")["labels"] == [False]


def test_taking_away_from_nothing_is_explained(
    open_editor: Callable[..., Page], server: Server
) -> None:
    page = open_editor()
    page.mouse.click(500, 400, button="right")
    expect(page.locator(".message")).to_contain_text("Click the animal first")
    assert server.count("propose") == 0


def test_a_held_key_shows_what_a_click_would_give_and_changes_nothing(
    open_editor: Callable[..., Page], server: Server
) -> None:
    page = open_editor()
    server.candidates = [{"counts": runs(0, 0, WIDTH, HEIGHT), "score": 0.9}]
    page.mouse.move(500, 400)
    blank = page.locator("canvas.mask").evaluate(_INK)
    page.keyboard.down("l")
    with page.expect_response("**/propose"):
        page.mouse.move(510, 405)
    page.wait_for_function(f"(canvas) => ({_INK})(canvas) > 1000", arg=handle(page))
    page.keyboard.up("l")
    page.wait_for_function(f"(canvas) => ({_INK})(canvas) === {blank}", arg=handle(page))
    expect(page.locator(".state")).to_have_text("No mask yet")


_INK = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let ink = 0;
  for (let at = 3; at < data.length; at += 4) ink += data[at] > 0;
  return ink;
}"""


def handle(page: Page) -> object:
    return page.locator("canvas.mask").element_handle()


def test_a_failing_engine_is_told_and_the_click_is_taken_back(
    open_editor: Callable[..., Page], server: Server
) -> None:
    page = open_editor()
    server.fails["propose"] = (422, {"message": "photo.jpg: no such file"})
    page.mouse.click(500, 400)
    expect(page.locator(".message")).to_contain_text("photo.jpg: no such file")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    server.fails.clear()
    server.candidates = [{"counts": runs(10, 10, 2000, 2000), "score": None}]
    page.mouse.click(500, 400)
    expect(page.locator(".state")).to_contain_text("% of the crop")
    assert len(server.last("propose")["points"]) == 1


def test_what_cannot_be_saved_stays_and_is_saved_by_trying_again(
    open_editor: Callable[..., Page], server: Server
) -> None:
    page = open_editor()
    page.keyboard.press("b")
    page.mouse.click(500, 400)
    server.fails["mask"] = (503, {"message": "the workspace cannot be opened"})
    page.keyboard.press("ArrowRight")
    message = page.locator(".message")
    expect(message).to_contain_text("the workspace cannot be opened")
    expect(page.locator(".editor[data-row='1']")).to_be_visible()
    server.fails.clear()
    message.get_by_role("button", name="Try again").click()
    expect(page.locator(".editor[data-row='2']")).to_be_visible()
    assert [sent["kind"] for sent in page.evaluate("window.sent")] == ["go"]


def test_a_page_that_has_not_heard_of_the_last_step_does_not_lead_back(
    open_editor: Callable[..., Page],
) -> None:
    page = open_editor()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".editor[data-row='2']")).to_be_visible()
    page.evaluate("(data) => window.show(data)", data())  # a run from before the step
    page.wait_for_timeout(300)
    expect(page.locator(".editor[data-row='2']")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".editor[data-row='3']")).to_be_visible()
    last = page.evaluate("window.sent.at(-1)")
    assert (last["row"], last["to"]) == (2, 3)
    other = {"row": 7, "version": 0, "title": "zebra 7", "detail": ""}
    page.evaluate("(data) => window.show(data)", data(row=other, seen=last["id"]))
    expect(page.locator(".editor[data-row='7']")).to_be_visible()


def test_keys_are_left_to_what_is_typed_in(open_editor: Callable[..., Page]) -> None:
    page = open_editor()
    page.evaluate("document.body.insertAdjacentHTML('afterbegin', '<input id=name>')")
    page.locator("#name").press_sequentially("beargx")
    expect(page.locator("#name")).to_have_value("beargx")
    expect(page.get_by_role("button", name="Points")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("window.sent") == []
