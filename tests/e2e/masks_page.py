"""The page of masks by what a person sees and does, and what the server has of it."""

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from playwright.sync_api import Locator, Page, expect

TIMEOUT_MS = 60_000


class Stored(NamedTuple):
    """What the server has of a row."""

    version: int
    status: str
    pixels: np.ndarray
    author: str


def stored(page: Page, address: str, row: int, part: str = "rows") -> Stored:
    """The mask of a row, or with part "blind/<audit id>/rows" what was drawn of it there."""
    answer = page.request.get(f"{address}/api/{part}/{row}/mask").json()
    height, width = answer["size_hw"]
    is_animal = np.arange(len(answer["counts"])) % 2 == 1
    pixels = np.repeat(is_animal, answer["counts"]).reshape(width, height).T
    return Stored(answer["version"], answer["status"], pixels, answer.get("author", ""))


def covers(mask: Stored, u: float, v: float) -> bool:
    """Whether a mask has the pixel at a share of the photo's sides."""
    height, width = mask.pixels.shape
    return bool(mask.pixels[int(v * height), int(u * width)])


class Editor:
    """The editor on a page, by what a person sees; places are shares of the photo's sides."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address

    def open(self, row: int, **more: str) -> "Editor":
        query = "&".join(f"{name}={text}" for name, text in more.items())
        self.page.goto(f"{self.address}/masks?row={row}&{query}")
        self.shows(row)
        return self

    def shows(self, row: int) -> None:
        expect(self.root(row)).to_be_visible(timeout=TIMEOUT_MS)

    def root(self, row: int | None = None) -> Locator:
        return self.page.locator(f".editor[data-row='{row}']" if row is not None else ".editor")

    def at(self, u: float, v: float) -> tuple[float, float]:
        """Place of the page, from the visible edges of the photo that is shown whole."""
        left, top, width, height = self.page.locator(".stage").evaluate(
            """(stage) => {
              stage.scrollIntoView({ block: "center", behavior: "instant" });
              const canvas = stage.querySelector("canvas.picture");
              const { left, top, width } = canvas.getBoundingClientRect();
              const ratio = canvas.width / width;
              const pen = canvas.getContext("2d");
              const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
              let [x1, y1, x2, y2] = [Infinity, Infinity, 0, 0];
              for (let at = 3; at < data.length; at += 4) {
                if (data[at] < 128) continue;
                const pixel = (at - 3) / 4;
                const [x, y] = [pixel % canvas.width, Math.floor(pixel / canvas.width)];
                [x1, y1] = [Math.min(x1, x), Math.min(y1, y)];
                [x2, y2] = [Math.max(x2, x + 1), Math.max(y2, y + 1)];
              }
              return [left + x1 / ratio, top + y1 / ratio, (x2 - x1) / ratio, (y2 - y1) / ratio];
            }"""
        )
        return left + u * width, top + v * height

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def click(self, u: float, v: float, **more: object) -> None:
        self.page.mouse.click(*self.at(u, v), **more)

    def ask(self, act: Callable[[], None]) -> dict:
        """Do what asks the engine; returns what was asked, once the answer is drawn."""
        with self.page.expect_response(re.compile("/propose"), timeout=TIMEOUT_MS) as answer:
            act()
        assert answer.value.ok, answer.value.text()
        expect(self.page.locator(".busy")).to_be_hidden(timeout=TIMEOUT_MS)
        return json.loads(answer.value.request.post_data)

    def drag(self, *places: Sequence[float], button: str = "left") -> None:
        ends = [self.at(*place) for place in places]
        self.page.mouse.move(*ends[0])
        self.page.mouse.down(button=button)
        for end in ends[1:]:
            self.page.mouse.move(*end, steps=4)
        self.page.mouse.up(button=button)

    def area(self) -> str:
        return self.page.locator(".state").inner_text()

    def is_at_version(self, version: int) -> None:
        expect(self.page.locator(f".state[data-version='{version}']")).to_be_visible(
            timeout=TIMEOUT_MS
        )

    def go(self, key: str, row: int) -> None:
        self.press(key)
        self.shows(row)

    def share(self) -> float:
        """Share of the photo that the mask covers, in percent, as the page says it."""
        found = re.search(r"([\d.]+) % of the crop", self.area())
        return float(found[1]) if found else 0.0
