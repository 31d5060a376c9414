"""Pages run without a browser, on a workspace of their own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from cfr_core.workspace.location import VARIABLE
from server import workspace as served

MAIN = Path(__file__).parents[2] / "pages" / "main.py"


@pytest.fixture(autouse=True)
def workspace_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "workspace"))
    yield tmp_path / "workspace"
    served.close()


@pytest.fixture
def open_page() -> Callable[..., AppTest]:
    """Open a page by its file, such as "dataset.py", at an address; it must not raise."""

    def open_it(page: str, **address: str) -> AppTest:
        test = AppTest.from_file(str(MAIN), default_timeout=20)
        test.switch_page(page)
        for name, text in address.items():
            test.query_params[name] = text
        test.run()
        assert not test.exception, test.exception
        return test

    return open_it
