"""A test that needs the photos is skipped without them, and fails where they are promised."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest

def test_of_photos(shared_data): ...
def test_of_numbers(shared_reference): ...
@pytest.mark.browser
@pytest.mark.skipif(True, reason="no browser")
def test_of_the_page(): ...
@pytest.mark.skip(reason="another system")
def test_of_another_system(): ...
def test_of_arrays(): ...
"""


@pytest.mark.parametrize(
    ("no_skips", "summary"),
    [
        ("", "1 passed, 4 skipped"),
        # The two fixtures fail in their set-up, which pytest counts as errors.
        ("1", "1 passed, 1 skipped, 3 errors"),
    ],
)
def test_skips_fail_where_everything_is_promised(tmp_path: Path, no_skips: str, summary: str):
    folder = tmp_path / "checkout" / "tests"
    folder.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    (folder / "test_some.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  shared_data: photos\n  browser: b\n")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        env={**os.environ, "CFR_NO_SKIPS": no_skips, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert summary in run.stdout, run.stdout + run.stderr
    assert ("must run here" in run.stdout) == bool(no_skips)
