"""Launching an audit in a real browser: journeys b (from the import on) and d."""

import csv
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from cfr_core.datasets.check import check
from cfr_core.datasets.sources import read_source
from cfr_core.types import SilhouetteRole
from cfr_core.workspace.store import Workspace
from tests.workers import end_workers

APP = Path(__file__).parents[2] / "app.py"
SLOW_MS = 120_000
"""The machine may have other things to do than to embed."""
N_IMAGES = 4 * 215


@pytest.fixture(scope="module")
def workspace(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pigs")
    source = read_source(shared_data / "pigs_faro_masks")
    with Workspace(folder) as opened:
        opened.add_dataset(check(source, name="pigs", role=SilhouetteRole.SHORTCUT))
    return folder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], workspace: Path) -> Iterator[str]:
    yield serve(APP, workspace)
    end_workers(workspace)


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
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").first.click()
    return saved(download.value, tmp_path)[0]


def saved(download, tmp_path: Path) -> list[dict[str, str]]:
    path = tmp_path / download.suggested_filename
    download.save_as(path)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def cancel(page: Page) -> None:
    jobs(page).get_by_role("button", name="Cancel").click()
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


def expect_numbers(run: dict[str, str]) -> None:
    """One query of 215 more or less, as engines differ."""
    assert float(run["ssi"]) == pytest.approx(0.79, abs=0.025)
    assert float(run["full"]) == pytest.approx(0.2837, abs=1 / 215)
    assert (run["n_queries"], run["n_identities"]) == ("215", "43")


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
    wait_for_embedded(page, N_IMAGES // 4)
    screenshot(page, "running")
    other = new_page(width=1024, scheme="dark")
    other.goto(address)
    page.reload()
    expect_running_in(other, page)
    screenshot(other, "second session")
    cancel(page)
    screenshot(page, "cancelled")
    expect(launch).to_be_visible(timeout=SLOW_MS)
    stored = int(estimate(page, tmp_path)["Stored"])
    assert N_IMAGES // 4 <= stored < N_IMAGES

    launch.click()
    expect_told_in(page, other)
    expect(jobs(page).get_by_text(re.compile(r"CFR 0\.\d\d, SSI 0\.(79|80|81)"))).to_be_visible()
    screenshot(page, "finished")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").last.click()
    (run,) = saved(download.value, tmp_path)
    expect_numbers(run)
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
    running = next(
        folder
        for folder in workspace.glob("jobs/*")
        if not (folder / "end.json").exists() and (folder / "pid").exists()
    )
    os.killpg(int((running / "pid").read_text()), signal.SIGKILL)
    expect(jobs(page).get_by_text(re.compile("its process ended without a word"))).to_be_visible()
    jobs(page).get_by_role("button", name="Resume").click()
    expect_told_in(page)


def test_a_wrong_address_is_told_in_words(page: Page, address: str) -> None:
    page.goto(f"{address}/retrieval?datasets=pugs&ks=0")
    expect(page.get_by_text("The address says datasets='pugs'")).to_be_visible(timeout=SLOW_MS)
    expect(page.get_by_text("The address says ks='0'")).to_be_visible()
    expect(page.get_by_text("Before the start")).to_be_visible()
