"""The editor's pure scripts in a browser, against independent oracles: places, strokes, undo."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page
from pycocotools import mask as coco

import components.mask_editor

_FOLDER = Path(components.mask_editor.__file__).parent

# An example is a message to the browser and back.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
examples = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Iterator[Page]:
    """A page that knows the functions of the pure scripts."""
    page = browser.new_page()
    page.goto("about:blank")
    for name in ("geometry.js", "raster.js", "render.js", "session.js", "commands.js"):
        page.add_script_tag(content=(_FOLDER / name).read_text(encoding="utf-8"))
    yield page
    page.close()


sizes = st.tuples(st.integers(1, 24), st.integers(1, 24))
"""Width and height of a small crop."""

# Off the grid, so that no pixel's centre lies exactly on an edge.
places = st.tuples(st.integers(-40, 280), st.integers(-40, 280)).map(
    lambda at: [at[0] / 10 + 0.0137, at[1] / 10 + 0.0071]
)
strokes = st.fixed_dictionaries(
    {
        "from": places,
        "to": places,
        "radius": st.integers(1, 80).map(lambda tenth: tenth / 10 + 0.0031),
        "value": st.sampled_from([0, 1]),
    }
)
polygons = st.fixed_dictionaries(
    {"corners": st.lists(places, min_size=3, max_size=7), "value": st.sampled_from([0, 1])}
)


def pixels_of(runs: list[int], width: int, height: int) -> np.ndarray:
    """(H, W) bool, by pycocotools alone."""
    compressed = coco.frPyObjects({"size": [height, width], "counts": runs}, height, width)
    return np.asarray(coco.decode(compressed)).astype(bool)


def centres(width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    y, x = np.mgrid[:height, :width]
    return x + 0.5, y + 0.5


def stroked(pixels: np.ndarray, stroke: dict) -> np.ndarray:
    """A stroke pixel by pixel: all whose centre is within the radius of the segment."""
    height, width = pixels.shape
    x, y = centres(width, height)
    (ax, ay), (bx, by) = stroke["from"], stroke["to"]
    length2 = (bx - ax) ** 2 + (by - ay) ** 2
    along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length2 if length2 else np.zeros_like(x)
    along = np.clip(along, 0, 1)
    gap = np.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay))
    covered = gap <= max(0.5, stroke["radius"])
    for u, v in (stroke["from"], stroke["to"]):
        if 0 <= u < width and 0 <= v < height:
            covered[math.floor(v), math.floor(u)] = True
    return np.where(covered, bool(stroke["value"]), pixels)


def filled(pixels: np.ndarray, polygon: dict) -> np.ndarray:
    """A polygon pixel by pixel: a ray to the right crosses its edges an odd number of times."""
    height, width = pixels.shape
    inside = np.zeros_like(pixels)
    corners = polygon["corners"]
    for row in range(height):
        for column in range(width):
            x, y, is_in = column + 0.5, row + 0.5, False
            for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
                if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
                    is_in = not is_in
            inside[row, column] = is_in
    return np.where(inside, bool(polygon["value"]), pixels)


_RUN = """([[width, height], steps]) => {
  const raster = new Raster(width, height);
  const masks = [];
  for (const { from, to, radius, corners, value } of steps) {
    const flips = new Flips();
    if (corners) paintPolygon(raster, corners, value, flips);
    else paintStroke(raster, from, to, radius, value, flips);
    masks.push(raster.runs());
  }
  return masks;
}"""


@examples
@given(sizes, st.lists(strokes, min_size=1, max_size=4))
def test_strokes_cover_what_lies_within_the_brush(
    scripts: Page, size: tuple[int, int], steps: list[dict]
) -> None:
    expected = np.zeros(size[::-1], bool)
    for step, runs in zip(steps, scripts.evaluate(_RUN, [size, steps]), strict=True):
        expected = stroked(expected, step)
        np.testing.assert_array_equal(pixels_of(runs, *size), expected)


@examples
@given(sizes, st.lists(polygons, min_size=1, max_size=3))
def test_polygons_cover_what_they_enclose(
    scripts: Page, size: tuple[int, int], steps: list[dict]
) -> None:
    expected = np.zeros(size[::-1], bool)
    for step, runs in zip(steps, scripts.evaluate(_RUN, [size, steps]), strict=True):
        expected = filled(expected, step)
        np.testing.assert_array_equal(pixels_of(runs, *size), expected)


@examples
@given(sizes)
def test_brush_and_polygon_reach_the_last_row_and_column(
    scripts: Page, size: tuple[int, int]
) -> None:
    width, height = size
    around = {"corners": [[0, 0], [width, 0], [width, height], [0, height]], "value": 1}
    edge = {"from": [0, height], "to": [width, height], "radius": 0.5, "value": 1}
    side = {"from": [width, 0], "to": [width, height], "radius": 0.5, "value": 1}
    polygon, *_ = scripts.evaluate(_RUN, [size, [around]])
    assert pixels_of(polygon, *size).all()
    *_, brushed = scripts.evaluate(_RUN, [size, [edge, side]])
    pixels = pixels_of(brushed, *size)
    assert pixels[-1].all()
    assert pixels[:, -1].all()


@examples
@given(st.data(), sizes)
def test_run_lengths_go_both_ways(
    scripts: Page, data: st.DataObject, size: tuple[int, int]
) -> None:
    width, height = size
    bits = data.draw(st.lists(st.booleans(), min_size=width * height, max_size=width * height))
    pixels = np.array(bits).reshape(height, width)
    compressed = coco.encode(np.asfortranarray(pixels, np.uint8))
    runs = scripts.evaluate(
        """([bits, width, height]) => {
          const raster = new Raster(width, height);
          bits.forEach((bit, at) => {
            raster.pixels[(at % width) * height + Math.floor(at / width)] = bit;
          });
          const runs = raster.runs();
          if (String(rasterOf(runs, width, height).pixels) !== String(raster.pixels)) return null;
          return [runs, raster.area];
        }""",
        [[int(bit) for bit in bits], width, height],
    )
    assert runs is not None
    np.testing.assert_array_equal(pixels_of(runs[0], width, height), pixels)
    assert runs[1] == coco.area(compressed)


_SESSION = """([[width, height], acts]) => {
  const answer = { size_hw: [height, width], counts: [width * height], version: 0, status: "" };
  const session = new Session(7, answer);
  const seen = [[session.raster.runs().join(), session.prompts]];
  const faults = [];
  for (const act of acts) {
    if (act.undo || act.redo) {
      const moved = act.undo ? session.undo() : session.redo();
      const place = session.log.position;
      const [runs, prompts] = seen[place];
      if (session.raster.runs().join() !== runs || session.prompts !== prompts) faults.push(act);
      continue;
    }
    const before = session.log.position;
    if (act.replace) {
      const prompts = { ...session.prompts, note: 1 };
      session.replace("clean up", rasterOf(act.replace, width, height), prompts);
    } else {
      const flips = new Flips();
      if (act.corners) paintPolygon(session.raster, act.corners, act.value, flips);
      else paintStroke(session.raster, act.from, act.to, act.radius, act.value, flips);
      session.pushStroke("brush", flips);
    }
    if (session.log.position === before) continue; // it changed nothing, so there is no step
    seen.length = session.log.position;
    seen.push([session.raster.runs().join(), session.prompts]);
  }
  const last = session.raster.runs().join();
  const steps = session.log.position;
  while (session.undo());
  const isFirst = session.raster.runs().join() === seen[0][0] && !session.isDirty;
  for (let i = 0; i < steps; i++) session.redo();
  return { faults, isFirst, isLast: session.raster.runs().join() === last };
}"""


@examples
@given(st.data(), sizes)
def test_any_sequence_with_undo_and_redo_gives_the_same_masks(
    scripts: Page, data: st.DataObject, size: tuple[int, int]
) -> None:
    n = size[0] * size[1]
    whole = st.integers(0, n).map(lambda at: {"replace": [at, n - at] if at < n else [n]})
    moves = st.sampled_from([{"undo": True}, {"redo": True}])
    acts = data.draw(st.lists(st.one_of(strokes, polygons, whole, moves, moves), max_size=25))
    found = scripts.evaluate(_SESSION, [size, acts])
    assert found == {"faults": [], "isFirst": True, "isLast": True}


views = st.fixed_dictionaries(
    {
        "scale": st.floats(0.05, 48),
        "x": st.floats(-30_000, 30_000),
        "y": st.floats(-30_000, 30_000),
    }
)


@examples
@given(views, st.floats(0, 5472), st.floats(0, 3648))
def test_a_place_is_found_again_at_any_zoom_and_pan(
    scripts: Page, view: dict, u: float, v: float
) -> None:
    there = scripts.evaluate("([view, at]) => toNative(view, toStage(view, at))", [view, [u, v]])
    assert there == pytest.approx([u, v], abs=1e-6)


@examples
@given(
    st.tuples(st.integers(1, 6000), st.integers(1, 6000)),
    st.tuples(st.integers(60, 2000), st.integers(60, 1500)),
    st.lists(
        st.one_of(
            st.tuples(st.just("zoom"), st.floats(0.2, 5), st.floats(0, 1), st.floats(0, 1)),
            st.tuples(st.just("pan"), st.floats(-900, 900), st.floats(-900, 900)),
        ),
        max_size=12,
    ),
)
def test_zoom_keeps_what_is_under_the_pointer_and_the_photo_in_sight(
    scripts: Page, size: tuple[int, int], stage: tuple[int, int], moves: list[tuple]
) -> None:
    steps = scripts.evaluate(
        """([size, stage, moves]) => {
          let view = fitted(size, stage);
          return moves.map(([what, a, b, c]) => {
            const at = [b * stage[0], c * stage[1]];
            const before = toNative(view, at);
            if (what === "zoom") view = zoomedAt(view, a, at, size, stage);
            else view = panned(view, [a, b], size, stage);
            const [x, y] = at.map((place, axis) => place - before[axis] * view.scale);
            const free = { scale: view.scale, x, y };
            const isHeld = JSON.stringify(inSight(free, size, stage)) !== JSON.stringify(free);
            return { what, view, at, before, after: toNative(view, at), isHeld };
          });
        }""",
        [size, stage, moves],
    )
    for step in steps:
        view = step["view"]
        for axis, offset in enumerate((view["x"], view["y"])):
            seen = min(stage[axis], offset + size[axis] * view["scale"]) - max(0, offset)
            assert seen >= min(60, size[axis] * view["scale"], stage[axis]) - 1e-6
        if step["what"] == "zoom" and not step["isHeld"]:
            gap = np.subtract(step["after"], step["before"]) * view["scale"]
            assert np.abs(gap).max() < 1e-6 * max(1, *np.abs(step["before"])) * view["scale"] + 1e-6


@examples
@given(st.data(), sizes, st.floats(0.3, 12), st.sampled_from([1, 1.25, 1.5, 2, 3]))
def test_the_screen_shows_the_pixel_that_a_click_would_hit(
    scripts: Page, data: st.DataObject, size: tuple[int, int], scale: float, ratio: float
) -> None:
    """Each screen pixel takes the colour of the native pixel under its centre."""
    width, height = size
    bits = data.draw(st.lists(st.booleans(), min_size=width * height, max_size=width * height))
    view = {
        "scale": scale,
        "x": data.draw(st.floats(-20, 20)),
        "y": data.draw(st.floats(-20, 20)),
    }
    region = [data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9)), 30, 20]
    faults = scripts.evaluate(
        """([bits, [width, height], view, ratio, region]) => {
          const raster = new Raster(width, height, Uint8Array.from(bits));
          const seen = sampled(raster, view, ratio, region);
          let faults = 0;
          for (let j = 0; j < region[3]; j++) {
            for (let i = 0; i < region[2]; i++) {
              const css = [(region[0] + i + 0.5) / ratio, (region[1] + j + 0.5) / ratio];
              const [u, v] = toNative(view, css).map(Math.floor);
              const is = u >= 0 && v >= 0 && u < width && v < height ? bits[u * height + v] : 0;
              faults += seen[j * region[2] + i] !== is;
            }
          }
          return faults;
        }""",
        [[int(bit) for bit in bits], size, view, ratio, region],
    )
    assert faults == 0


@pytest.mark.parametrize(
    ("event", "command"),
    [
        ({"key": "b"}, "brush"),
        ({"key": "B", "shiftKey": True}, "brush"),
        ({"key": "z", "code": "KeyW", "ctrlKey": True}, "undo"),  # AZERTY
        ({"key": "z", "code": "KeyY", "ctrlKey": True}, "undo"),  # QWERTZ
        ({"key": "Z", "code": "KeyZ", "ctrlKey": True, "shiftKey": True}, "redo"),
        ({"key": "y", "ctrlKey": True}, "redo"),
        ({"key": "z", "metaKey": True}, "undo"),
        ({"key": "z"}, None),
        ({"key": "a", "ctrlKey": True}, None),  # selects all, as everywhere
        ({"key": "a", "code": "KeyQ"}, "accept"),
        ({"key": "?", "shiftKey": True}, "help"),
        ({"key": "ArrowRight"}, "next"),
        ({"key": "ArrowRight", "altKey": True}, None),  # the browser's own way back
    ],
)
def test_keys_are_those_that_are_written_on_them(
    scripts: Page, event: dict, command: str | None
) -> None:
    found = scripts.evaluate(
        "(event) => commandOf(new KeyboardEvent('keydown', event)) ?? null", event
    )
    assert found == command


def test_digits_are_found_where_they_need_shift(scripts: Page) -> None:
    code = "(event) => candidateOf(new KeyboardEvent('keydown', event)) ?? null"
    assert scripts.evaluate(code, {"key": "&", "code": "Digit1"}) == 0  # AZERTY
    assert scripts.evaluate(code, {"key": "3", "code": "Numpad3"}) == 2
    assert scripts.evaluate(code, {"key": "1", "code": "Digit1", "ctrlKey": True}) is None


def test_no_key_means_two_things(scripts: Page) -> None:
    keys = scripts.evaluate("COMMANDS.map((c) => (c.ctrl ? 'Ctrl+' : '') + c.key)")
    further = ["q", "w", "1", "2", "3", "l", "t", " ", "+", "=", "-", "Delete", "Enter", "Escape"]
    assert len({*keys, *further}) == len(keys) + len(further)


def test_a_photo_of_20_megapixels_is_quick(scripts: Page) -> None:
    spent_ms = scripts.evaluate(
        """() => {
          const raster = new Raster(5472, 3648);
          const timed = (act) => {
            const from = performance.now();
            act();
            return performance.now() - from;
          };
          const stroke = timed(() => {
            paintStroke(raster, [100, 100], [5000, 3000], 200, 1, new Flips());
          });
          const runs = timed(() => raster.runs());
          const back = timed(() => rasterOf(raster.runs(), 5472, 3648));
          const sample = timed(() => {
            sampled(raster, { scale: 0.2, x: 0, y: 0 }, 1, [0, 0, 1000, 700]);
          });
          return { stroke, runs, back, sample };
        }"""
    )
    # Generous, since the machine may be busy; usually each is a tenth of this.
    assert max(spent_ms.values()) < 1000, spent_ms
