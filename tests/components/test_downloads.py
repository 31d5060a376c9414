"""What can be taken home: the names of files, and a CSV that Excel and this product read alike."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cfr_core.datasets.tables import read_table
from components import downloads


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the download button was given."""
    given: dict[str, object] = {}

    def button(label: str, data: Callable[[], bytes], **options: object) -> None:
        given.update(options, label=label, data=data)

    monkeypatch.setattr(downloads.st, "download_button", button)
    return given


def test_a_table_comes_back_as_it_was(saved: dict, tmp_path: Path) -> None:
    table = pd.DataFrame({"identity": ["Ñandú", 'a "b", c', "007"], "note": ["x\ny", None, "=1"]})
    downloads.csv_button(table, "my herd: rows", key="k")
    assert saved["file_name"] == "my-herd-rows.csv"
    (tmp_path / "t.csv").write_bytes(saved["data"]())
    cells = read_table(tmp_path / "t.csv").cells
    assert cells.columns.tolist() == ["identity", "note"]
    assert cells["identity"].tolist() == table["identity"].tolist()
    assert cells["note"].tolist() == ["x\ny", pd.NA, "=1"]


def test_a_plot_is_saved_with_all_that_it_needs(saved: dict) -> None:
    figure = downloads.go.Figure(downloads.go.Bar(x=["a"], y=[1]))
    downloads.html_button(figure, "../evil/name", key="k")
    assert saved["file_name"] == "evil-name.html"
    page = saved["data"]()
    assert b"<html>" in page[:200]
    assert not re.search(rb"<script[^>]*\ssrc=", page)
    assert len(page) > 10**6, "Plotly itself is in it"


def test_a_png_has_a_name_of_its_own() -> None:
    assert downloads.plot_config("a b")["toImageButtonOptions"]["filename"] == "a-b"
