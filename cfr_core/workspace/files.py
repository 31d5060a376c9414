"""Writing files so that a reader never sees half of one."""

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # workers write their first word before anything heavy is imported
    import pandas as pd


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Write under a temporary name in the same folder, then rename.

    Args:
        path: Final path; its folder is made if absent.
        write: Writes the content to the path it is given.

    Raises:
        OSError: if the disk is full or the folder cannot be written; `path` is then untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{secrets.token_hex(6)}.{path.name}")
    try:
        write(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Strict JSON (NaN is an error: undefined values are null with a reason beside them)."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file of this workspace."""
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def write_parquet(path: Path, table: "pd.DataFrame") -> None:
    """A table without its index."""
    write_atomically(path, lambda temporary: table.to_parquet(temporary, index=False))
