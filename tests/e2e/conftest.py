"""A server on a free port, and pages of a real browser on it.

An error on the browser's console fails the test that caused it. Screenshots go to `screenshots/`.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.spec import AuditSpec
from cfr_core.workspace.location import VARIABLE
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset
from tests.made_run import ANIMAL, SCENERY, made_run

# Scripts for a server; the search for doctests would run them.
collect_ignore = ["gallery_app.py", "gallery_page.py", "small_demo_app.py"]

REPOSITORY = Path(__file__).parents[2]
SCREENSHOTS = Path(__file__).parent / "screenshots"

_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_START_S = 60

# Longer than Playwright's own five seconds, since a first page imports much on a busy machine.
expect.set_options(timeout=60_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@contextmanager
def running_server(
    script: Path, workspace: Path, log: Path, arguments: tuple[str, ...] = ()
) -> Iterator[str]:
    """Address of `streamlit run script -- arguments` on that workspace; stopped at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    options = [f"--server.port={port}", "--server.headless=true"]
    environment = os.environ | {VARIABLE: str(workspace), "PYTHONPATH": str(REPOSITORY)}
    with (
        log.open("w") as output,
        subprocess.Popen(
            [*command, *options, "--", *arguments],
            cwd=REPOSITORY,
            env=environment,
            stdout=output,
            stderr=output,
        ) as server,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/_stcore/health", server, log)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()


def _wait_for(url: str, server: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"the server did not start; its log:\n{log.read_text()}")


@pytest.fixture(scope="package")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Start a server of a script on a workspace; it runs until the last test of this folder."""
    with ExitStack() as stack:
        log = tmp_path_factory.mktemp("logs")

        def start(script: Path, workspace: Path, *arguments: str) -> str:
            name = log / f"{len(list(log.iterdir()))}.txt"
            return stack.enter_context(running_server(script, workspace, name, arguments))

        yield start


@dataclass(frozen=True)
class MadeRuns:
    """Two encoders on one dataset, "discs"; the later run sees scenery, the earlier the animal.

    The earlier one has colours of its own.
    """

    address: str
    scenery: EvidenceProfile
    animal: EvidenceProfile


@pytest.fixture(scope="package")
def made_runs(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> MadeRuns:
    """The app on a workspace with finished runs, which no encoder was needed for."""
    folder = tmp_path_factory.mktemp("made")
    asked = {"ks": (1, 5), "n_resamples": 100}
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(made_dataset(folder / "photos", n_photos=60))
        colours = {"fill_rgb": (255, 136, 0), "silhouette_rgb": (0, 0, 255)}
        animal = made_run(workspace, AuditSpec("discs", "animals", **asked, **colours), ANIMAL)
        scenery = made_run(
            workspace,
            AuditSpec("discs", "scenery", **asked),
            SCENERY,
            finished_at="2026-01-02T12:00:00+00:00",
        )
    return MadeRuns(serve(REPOSITORY / "app.py", folder / "workspace"), scenery, animal)


# Of a module, no wider: while Playwright runs, asyncio.run fails in every test, also elsewhere.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    path = next(filter(None, map(shutil.which, _CHROMIUM_NAMES)), None)
    if path is None:
        pytest.skip(f"needs one of these programs: {', '.join(_CHROMIUM_NAMES)}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(_CHROMIUM_FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def console_errors() -> list[str]:
    """Errors on the consoles of the test's pages; a test that expects some takes them out."""
    return []


@contextmanager
def pages_of(browser: Browser, errors: list[str]) -> Iterator[Callable[..., Page]]:
    """Open pages, each in a session of its own: `new_page(width=1024, scheme="dark")`."""
    with ExitStack() as stack:

        def open_page(width: int = 1440, height: int = 900, scheme: str = "light") -> Page:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(60_000)
            page.on("console", lambda message: _note(message, errors))
            page.on("pageerror", lambda error: errors.append(str(error)))
            return page

        yield open_page
        assert not errors, errors


@pytest.fixture
def new_page(browser: Browser, console_errors: list[str]) -> Iterator[Callable[..., Page]]:
    """Open pages, as of `pages_of`."""
    with pages_of(browser, console_errors) as open_page:
        yield open_page


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """One page of 1440 x 900 px in the light theme."""
    return new_page()


@pytest.fixture
def screenshot(request: pytest.FixtureRequest) -> Callable[[Page, str], None]:
    """Keep a picture of a page, under the name of the test."""

    def save(page: Page, name: str = "") -> None:
        SCREENSHOTS.mkdir(exist_ok=True)
        stem = "-".join(filter(None, (request.node.name, name))).replace("/", "_")
        page.screenshot(path=SCREENSHOTS / f"{stem}.png")

    return save


def _note(message: ConsoleMessage, errors: list[str]) -> None:
    url = str(message.location.get("url"))
    # Opened at /dataset, Streamlit's page looks for its server there first; that is no fault.
    is_search = "status of 404" in message.text and "/_stcore/" in url
    if message.type == "error" and not is_search:
        errors.append(f"{message.text} ({url})")
