"""Adding photos and launching an audit in a real browser: journeys b and d."""

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from cfr_core.jobs.folder import JobFolder
from tests.e2e.conftest import pages_of
from tests.e2e.reading import cells, save_csv
from tests.workers import end_workers

APP = Path(__file__).parents[2] / "app.py"
SCREENSHOTS = Path(__file__).parent / "screenshots"
SLOW_MS = 120_000
"""The machine may have other things to do than to embed."""
N_IMAGES = 4 * 215


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pigs") / "workspace"


@pytest.fixture(scope="module")
def address(
    serve: Callable[..., str], workspace: Path, browser: Browser, shared_data: Path
) -> Iterator[str]:
    """The app on a workspace that was empty until the photos were added on its pages."""
    address = serve(APP, workspace)
    with pages_of(browser, []) as new_page:
        page = new_page(height=1800)
        page.goto(address)
        add_pigs(page, shared_data / "pigs_faro_masks")
    yield address
    end_workers(workspace)


def add_pigs(page: Page, folder: Path) -> None:
    page.get_by_role("button", name="Add a dataset").click()
    source = page.get_by_role("textbox", name="Folder, table or COCO file")
    source.fill(str(folder))
    source.press("Enter")
    expect(page.get_by_test_id("stMetric").filter(has_text="Usable")).to_contain_text("215")
    name = page.get_by_role("textbox", name="Name of the dataset")
    name.fill("pigs")
    name.press("Enter")
    page.wait_for_url(re.compile("name=pigs"))
    page.get_by_text("No, it is a shortcut", exact=True).click()
    page.wait_for_url(re.compile("role=shortcut"))
    page.screenshot(path=SCREENSHOTS / "pigs-to-import.png")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="Dataset", exact=True)).to_be_visible(timeout=SLOW_MS)
    for label, number in (("Rows", 215), ("Individuals", 43), ("In audits", 215)):
        metric = page.get_by_test_id("stMetric").filter(has_text=label)
        expect(metric.first).to_contain_text(str(number))
    page.screenshot(path=SCREENSHOTS / "pigs-imported.png")


def jobs(page: Page):
    return page.get_by_test_id("stSidebar")


def n_embedded(page: Page) -> int:
    """Images done, as the running job says in the sidebar; 0 before the first."""
    words = jobs(page).get_by_text(re.compile(r"of \d+ images"))
    found = re.search(r"(\d+) of \d+ images", words.inner_text()) if words.count() else None
    return int(found.group(1)) if found else 0


def wait_for_embedded(page: Page, least: int) -> int:
    deadline = time.monotonic() + SLOW_MS / 1000
    while (done := n_embedded(page)) < least:
        assert time.monotonic() < deadline, jobs(page).inner_text()
        page.wait_for_timeout(100)
    return done


def estimate(page: Page, tmp_path: Path) -> dict[str, str]:
    """The line of the estimate, from its download."""
    return save_csv(page, page.get_by_role("button", name="Download CSV").first, tmp_path)[0]


def wait_for(is_so: Callable[[], bool], page: Page) -> None:
    deadline = time.monotonic() + SLOW_MS / 1000
    while not is_so():
        assert time.monotonic() < deadline, jobs(page).inner_text()
        page.wait_for_timeout(20)


@contextmanager
def paused(page: Page, workspace: Path, least: int = 0) -> Iterator[JobFolder]:
    """Hold the worker once so many images are done, or a fast machine would be done meanwhile."""
    wait_for(lambda: any(map(is_running, workspace.glob("jobs/*"))), page)
    running = JobFolder(next(filter(is_running, workspace.glob("jobs/*"))))

    def is_far_enough() -> bool:
        progress = running.path / "progress.json"
        told = json.loads(progress.read_text("utf-8")) if progress.exists() else {}
        return told.get("unit") == "images" and told["done"] >= least

    if least:
        wait_for(is_far_enough, page)
    os.killpg(running.pid, signal.SIGSTOP)
    try:
        yield running
    finally:
        os.killpg(running.pid, signal.SIGCONT)


def is_running(folder: Path) -> bool:
    return (folder / "pid").exists() and not (folder / "end.json").exists()


def ask_to_cancel(page: Page, running: JobFolder) -> None:
    jobs(page).get_by_role("button", name="Cancel").click()
    wait_for(lambda: running.cancel_asked_at is not None, page)


def expect_cancelled(page: Page) -> None:
    expect(jobs(page).get_by_text("Cancelled.")).to_be_visible(timeout=SLOW_MS)
    expect(jobs(page).get_by_role("button", name="Resume")).to_be_visible()


def expect_running_in(*sessions: Page) -> None:
    for session in sessions:
        expect(jobs(session).get_by_text("pigs with effnet-lite0")).to_be_visible()
        expect(jobs(session).get_by_role("button", name="Cancel")).to_be_visible()


def expect_told_in(*sessions: Page) -> None:
    for session in sessions:
        toast = session.get_by_test_id("stToast").get_by_text("Finished")
        expect(toast).to_be_visible(timeout=SLOW_MS)


def expect_numbers(page: Page, tmp_path: Path) -> None:
    """The numbers known of these photos, the same in words, in the table and in its file."""
    in_words = jobs(page).get_by_text(re.compile(r"CFR 0\.\d\d, SSI 0\.(79|80|81)")).inner_text()
    ((_, _, _, in_table, *_),) = cells(page, "Finished audits with their numbers")
    (run,) = save_csv(page, page.get_by_role("button", name="Download CSV").last, tmp_path)
    # One query of 215 more or less, as engines differ.
    assert float(run["ssi"]) == pytest.approx(0.79, abs=0.025)
    assert float(run["full"]) == pytest.approx(0.2837, abs=1 / 215)
    assert (run["n_queries"], run["n_identities"]) == ("215", "43")
    assert f"SSI {float(run['ssi']):.2f}" in in_words
    assert in_table.startswith(f"{float(run['ssi']):.3f} (")


def test_an_audit_is_launched_cancelled_and_launched_again(
    new_page: Callable[..., Page],
    address: str,
    workspace: Path,
    screenshot: Callable,
    tmp_path: Path,
) -> None:
    page = new_page(height=1200)
    page.goto(f"{address}/retrieval")
    launch = page.get_by_role("button", name=re.compile("Launch 1 audit on CPU"))
    expect(launch).to_be_visible(timeout=SLOW_MS)
    before = estimate(page, tmp_path)
    assert (before["Rows used"], before["Left out"]) == ("215", "0")
    assert (before["Images"], before["Stored"]) == (str(N_IMAGES), "0")
    screenshot(page, "before")

    launch.click()
    with paused(page, workspace, N_IMAGES // 4) as running:
        wait_for_embedded(page, N_IMAGES // 4)
        screenshot(page, "running")
        other = new_page(width=1024, scheme="dark")
        other.goto(address)
        page.reload()
        expect_running_in(other, page)
        screenshot(other, "second session")
        ask_to_cancel(page, running)
    expect_cancelled(page)
    screenshot(page, "cancelled")
    expect(launch).to_be_enabled(timeout=SLOW_MS)
    stored = int(estimate(page, tmp_path)["Stored"])
    assert N_IMAGES // 4 <= stored < N_IMAGES

    launch.click()
    with paused(page, workspace):
        expect_running_in(page, other)
    expect_told_in(page, other)
    screenshot(page, "finished")
    expect_numbers(page, tmp_path)
    assert _n_embedded_by_run(workspace) == N_IMAGES - stored


def _n_embedded_by_run(workspace: Path) -> int:
    (profile,) = workspace.glob("runs/*/profile.json")
    found = re.search(r'"n_embedded": (\d+)', profile.read_text(encoding="utf-8"))
    assert found
    return int(found.group(1))


def test_a_job_outlives_its_worker(
    new_page: Callable[..., Page], address: str, workspace: Path
) -> None:
    """The worker is killed; the page says so, and a click goes on with the work."""
    page = new_page()
    page.goto(f"{address}/retrieval?encoders=effnet-lite0&exclude=file")
    page.get_by_role("button", name=re.compile("Launch 1 audit")).click(timeout=SLOW_MS)
    expect(jobs(page).get_by_text("Starting", exact=True)).to_be_visible(timeout=SLOW_MS)
    running = next(filter(is_running, workspace.glob("jobs/*")))
    os.killpg(int((running / "pid").read_text()), signal.SIGKILL)
    expect(jobs(page).get_by_text(re.compile("its process ended without a word"))).to_be_visible()
    jobs(page).get_by_role("button", name="Resume").click()
    expect_told_in(page)


def test_a_wrong_address_is_told_in_words(page: Page, address: str) -> None:
    page.goto(f"{address}/retrieval?datasets=pugs&ks=0")
    expect(page.get_by_text("The address says datasets='pugs'")).to_be_visible(timeout=SLOW_MS)
    expect(page.get_by_text("The address says ks='0'")).to_be_visible()
    expect(page.get_by_text("Before the start")).to_be_visible()
