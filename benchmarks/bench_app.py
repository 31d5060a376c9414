"""The app with 100,000 rows: seconds to a page's first content, and memory after many views.

A page counts from the request in a new tab of an empty browser to the first thing on it that is
about the data, on a server that has drawn it once. What a person waits for further down, such as a
plot, is measured too, against the same limit. Other programs lengthen that; the server's own time
on a core, told beside it, they lengthen less. Memory is that of the server's process while a person
steps from photo to photo.
"""

import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.app_server import AppServer, app_server, chromium
from benchmarks.large_workspace import DATASET, make_large_workspace
from benchmarks.table import Row

N_ROWS: Final = 100_000
LIMIT_S: Final = 2.0
N_STEPS: Final = 500
N_STEPS_BEFORE: Final = 50
"""Steps before the first look at the memory: what is imported and kept once is there by then."""
ALLOWANCE_MB: Final = 25.0

_ROUNDS = 3
_PATIENCE_MS = 120_000
_AT_REST = "[data-testid='stApp'][data-test-script-state='notRunning']"
_CHROMIUM_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync")


@dataclass(frozen=True)
class Screen:
    """A page with something on it that is waited for.

    Attributes:
        name: What it is, for the table.
        path: Its address on the server.
        content: CSS selector of what is waited for; it is there as soon as it can be seen.
    """

    name: str
    path: str
    content: str


def screens(runs: tuple[str, ...]) -> tuple[Screen, ...]:
    """Every page of the app, its first content before what comes later; runs are these two."""
    picture, point = "img.loaded", ".scatterlayer .point"
    evidence, compare = f"evidence?run={runs[0]}&k=1", f"compare?first={runs[0]}&second={runs[1]}"
    return (
        Screen("Overview", "", f".card:has-text('{DATASET}')"),
        Screen("Dataset, report", f"dataset?dataset={DATASET}", "text=Photos of each individual"),
        Screen("Dataset, photos", f"dataset?dataset={DATASET}&part=photos", picture),
        Screen("Add a dataset", "add_dataset", "text=Where are the photos?"),
        Screen(
            "Retrieval, the choices",
            "retrieval",
            f"[data-testid='stMultiSelect']:has-text('{DATASET}')",
        ),
        Screen("Retrieval, before the start", "retrieval", "[data-testid='stDataFrame'] canvas"),
        Screen("Views, one photo", f"views?dataset={DATASET}", ".zoomed img[src]"),
        Screen("Views, many photos", f"views?dataset={DATASET}&show=many+photos", picture),
        Screen("Masks", f"masks?dataset={DATASET}", "text=photos reviewed"),
        Screen("Mask audit", f"mask_audit?dataset={DATASET}", "text=No blind audit"),
        Screen("Evidence, the run in words", evidence, f"h3:has-text('{DATASET}')"),
        Screen("Evidence, the plane", evidence, point),
        Screen("Evidence, photos of a query", f"{evidence}&query=7", picture),
        Screen("Compare, what is compared", compare, "text=queries of both runs"),
        Screen("Compare, the plot", compare, point),
    )


def rows() -> Iterable[Row]:
    """Measure every page, then the memory."""
    with tempfile.TemporaryDirectory() as folder:
        runs = make_large_workspace(Path(folder), N_ROWS)
        with app_server(Path(folder)) as server, _browser() as browser:
            for screen in screens(runs):
                first, *later = [_visit(browser, server, screen) for _ in range(1 + _ROUNDS)]
                yield page_row(screen, first, later)
            yield memory_row(*_memory_mb(browser, server))


@dataclass(frozen=True)
class Visit:
    """One opening of a page.

    Attributes:
        seconds: From the request to what is waited for.
        cpu_s: What the server needed of a core for it.
    """

    seconds: float
    cpu_s: float


def page_row(screen: Screen, first: Visit, later: Sequence[Visit]) -> Row:
    """The row of a page: the median of the later visits against the limit.

    Args:
        screen: The page.
        first: The visit for which the server reads and computes what it keeps.
        later: Visits after it, at least one.
    """
    seconds = statistics.median(visit.seconds for visit in later)
    cpu_s = statistics.median(visit.cpu_s for visit in later)
    return Row(
        what=f"{screen.name}, {N_ROWS:,} rows",
        ours=f"{seconds:.2f} s, {cpu_s:.2f} s of it the server's on a core",
        other=f"limit {LIMIT_S:g} s; the first visit {first.seconds:.2f} s",
        ratio=seconds / LIMIT_S,
        bound="at most",
        target=1.0,
    )


def memory_row(before_mb: float, after_mb: float) -> Row:
    """The row of the server's memory before and after the views."""
    return Row(
        what=f"the server's memory over {N_STEPS} photos in Views",
        ours=f"{before_mb:.0f} to {after_mb:.0f} MB",
        other=f"allowance {ALLOWANCE_MB:g} MB",
        ratio=(after_mb - before_mb) / ALLOWANCE_MB,
        bound="at most",
        target=1.0,
    )


def _visit(browser: Browser, server: AppServer, screen: Screen) -> Visit:
    """Open a page in a session of its own."""
    with _tab(browser) as page:
        start, start_cpu_s = time.perf_counter(), server.cpu_s
        page.goto(f"{server.address}/{screen.path}", wait_until="commit")
        page.locator(screen.content).first.wait_for(state="visible")
        visit = Visit(time.perf_counter() - start, server.cpu_s - start_cpu_s)
        # What a page goes on with, such as the plan of an audit, must not slow the next visit.
        page.locator(_AT_REST).wait_for(state="attached")
        return visit


def _memory_mb(browser: Browser, server: AppServer) -> tuple[float, float]:
    """Memory before and after the steps."""
    with _tab(browser) as page:
        page.goto(f"{server.address}/views?dataset={DATASET}")
        _step(page, 0, N_STEPS_BEFORE)
        before_mb = server.memory_mb
        _step(page, N_STEPS_BEFORE, N_STEPS_BEFORE + N_STEPS)
        return before_mb, server.memory_mb


def _step(page: Page, start: int, stop: int) -> None:
    """Go from one place to another with the key for the next photo, seeing each."""
    for place in range(start, stop):
        shown = page.locator(f".views[data-row='{place}'] .zoomed img[src]").first
        shown.wait_for(state="visible")
        page.locator(".views").press("ArrowRight")
    page.locator(f".views[data-row='{stop}'] .zoomed img[src]").first.wait_for(state="visible")


@contextmanager
def _browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(_CHROMIUM_FLAGS))
        yield browser
        browser.close()


@contextmanager
def _tab(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    yield page
    context.close()
