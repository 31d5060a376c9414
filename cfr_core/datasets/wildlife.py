"""Dataset classes of wildlife-datasets, by their DataFrame.

That package is AGPL-3.0 and no requirement: it is imported only when one of its classes is asked
for by name.
"""

import importlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from cfr_core.datasets.raw import frame_table
from cfr_core.datasets.records import SourceTable
from cfr_core.datasets.table_source import source_from_table
from cfr_core.errors import InputError


class WildlifeDataset(Protocol):
    """What is used of such a class: `df` with one animal a row, and the folder of its images."""

    df: pd.DataFrame
    root: str | None


def read_wildlife(
    class_name: str, root: Path, columns: Mapping[str, str] | None = None
) -> SourceTable:
    """Read a downloaded dataset through its class in wildlife-datasets.

    Args:
        class_name: Name of the class, such as "StripeSpotter".
        root: Folder that the class downloaded to; nothing is downloaded here.
        columns: Role -> column, where a person says what a column means.

    Raises:
        InputError: if the package or the class is not there, or it cannot read the folder.
    """
    if not root.is_dir():
        raise InputError(f"{root} is no folder: give the one that {class_name} was downloaded to")
    try:
        module = importlib.import_module("wildlife_datasets.datasets")
    except ModuleNotFoundError as error:
        raise InputError(
            f"the Python package {error.name} is not installed: pip install "
            '"wildlife-datasets>=1.0.9,<2"'
        ) from error
    dataset_class: Any = getattr(module, class_name, None)
    if dataset_class is None:
        raise InputError(f"wildlife-datasets has no class {class_name}: mind upper and lower case")
    try:
        # Missing files are listed by the check, row by row; here one would stop all the others.
        dataset = dataset_class(str(root), check_files=False)
    except Exception as error:  # its classes raise the bare Exception
        raise InputError(f"{class_name} cannot read {root}: {error}") from error
    return source_from_wildlife(dataset, columns)


def source_from_wildlife(
    dataset: WildlifeDataset, columns: Mapping[str, str] | None = None
) -> SourceTable:
    """Read the DataFrame of a dataset object.

    Masks may be polygons, run lengths or paths of files; dates and boxes are read as in a CSV.

    Args:
        dataset: Any object with `df` and `root`; `col_path` and `col_label` are minded.
        columns: Role -> column, where a person says what a column means.

    Raises:
        InputError: if the table has no rows or no column with the files.
    """
    frame = dataset.df
    table = frame_table(type(dataset).__name__, frame)
    own = {
        "path": getattr(dataset, "col_path", "path"),
        "identity": getattr(dataset, "col_label", "identity"),
    }
    given = {role: name for role, name in own.items() if name in frame.columns}
    root = Path(dataset.root) if dataset.root else Path.cwd()
    return source_from_table(
        table, kind="wildlife-datasets", root=root.resolve(), given={**given, **(columns or {})}
    )


def is_wildlife_installed() -> bool:
    """True if `read_wildlife` can find its package."""
    return importlib.util.find_spec("wildlife_datasets") is not None
