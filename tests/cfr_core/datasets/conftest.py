from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from cfr_core.datasets.records import Finding, SourceTable

TEXT = ("identity", "encounter", "camera", "orientation", "split", "species")
BESIDE = {"box", "mask", "size_hw"}


@pytest.fixture
def source_of() -> Callable[..., SourceTable]:
    """Builds a source from a folder and one dict a row, as a reader would."""

    def build(
        root: Path, rows: Sequence[Mapping[str, Any]], findings: Sequence[Finding] = ()
    ) -> SourceTable:
        extras = dict.fromkeys(
            key for row in rows for key in row if key not in {*TEXT, *BESIDE, "path", "captured_at"}
        )
        columns: dict[str, Any] = {
            "source_row": np.arange(1, len(rows) + 1),
            "captured_at": np.array([row.get("captured_at") for row in rows], "datetime64[s]"),
        }
        for name in ("path", *TEXT, *extras):
            columns[name] = pd.array([row.get(name) for row in rows], dtype="string")
        return SourceTable(
            kind="csv",
            root=root,
            table=pd.DataFrame(columns),
            boxes=tuple(row.get("box") for row in rows),
            masks=tuple(row.get("mask") for row in rows),
            sizes_hw=tuple(row.get("size_hw") for row in rows),
            findings=tuple(findings),
        )

    return build


@pytest.fixture
def photo(tmp_path: Path) -> Callable[..., str]:
    """Writes a noise photo below tmp_path and returns its name; equal seeds, equal files."""

    def write(name: str, size_hw: tuple[int, int] = (24, 32), seed: int | None = None) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        number = sum(name.encode()) if seed is None else seed
        rng = np.random.default_rng(number)
        Image.fromarray(rng.integers(0, 256, (*size_hw, 3), dtype=np.uint8)).save(path)
        return name

    return write
