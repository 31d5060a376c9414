"""Fixtures for the real photos and reference numbers, and the rule on skipping where they must be.

The photos may not be redistributed, so they lie beside the checkout and not in it. Tests that need
them ask for `shared_data` or `shared_reference` and are skipped where the folder is absent.
"""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

_SHARED = Path(__file__).parents[2] / "shared"
_SHARED_FIXTURES = {"shared_data", "shared_reference"}
_MUST_RUN = ("shared_data", "browser")
_NO_SKIPS = "CFR_NO_SKIPS"
"""Set to 1 where photos and browser are promised: a skipped test that needs them then fails."""


def _shared_folder(name: str) -> Path:
    folder = _SHARED / name
    if not folder.is_dir():
        pytest.skip(f"needs {folder}, which is not part of the repository")
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real photo sets."""
    return _shared_folder("data")


@pytest.fixture(scope="session")
def shared_reference() -> Path:
    """Folder of the published numbers."""
    return _shared_folder("reference")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _SHARED_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("shared_data")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    promised = os.environ.get(_NO_SKIPS) and any(map(item.get_closest_marker, _MUST_RUN))
    if promised and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} must run here ({_NO_SKIPS} is set), but: {reason}"
    return report
