"""Where the files that ship with the product are: the dataset table, results, demo presets."""

from pathlib import Path

import cfr_core
from cfr_core.errors import InputError


def shipped_file(name: str) -> Path:
    """Path of a file in the product's data/ folder, such as "datasets.csv".

    Raises:
        InputError: if the product was installed without that file.
    """
    path = Path(cfr_core.__file__).parents[1] / "data" / name
    if not path.is_file():
        raise InputError(
            f"{path} is missing, though it ships with the product: install it again from the "
            "repository, with its data/ folder"
        )
    return path
