"""What a person may choose among before an import: files, columns, a name."""

import re
import unicodedata
from pathlib import Path

from cfr_core.datasets.coco import looks_like_coco
from cfr_core.datasets.sources import SourceKind, detect_source, read_source
from cfr_core.datasets.tables import TABLE_SUFFIXES, read_table
from cfr_core.errors import InputError

_MAX_NAME = 80


def readable_files(folder: Path) -> list[str]:
    """Tables and COCO files of a folder that could be read, as `read_source` takes them.

    Args:
        folder: Any path; one that is no folder has none.
    """
    if not folder.is_dir():
        return []
    tables = [file for file in folder.iterdir() if file.suffix.lower() in TABLE_SUFFIXES]
    documents = [*folder.glob("*.json"), *folder.glob("annotations/*.json")]
    files = [*tables, *(file for file in documents if looks_like_coco(file))]
    return sorted(file.relative_to(folder).as_posix() for file in files)


def source_columns(
    path: Path, *, table: str | None = None, kind: SourceKind | None = None
) -> list[str]:
    """Columns of a source, also of one that cannot be read until somebody says what they mean.

    Args:
        path: As `read_source` takes it.
        table: As `read_source` takes it.
        kind: As `read_source` takes it.

    Returns:
        Names as in the source; none where the folders are the source.

    Raises:
        InputError: if there is no table to read, or several and none is chosen.
    """
    file = path / table if table else path
    found, file = (kind, file) if kind == "folders" else detect_source(file)
    if found == "csv":
        return [str(name) for name in read_table(file).cells.columns]
    if found == "folders":
        return []
    try:
        return list(read_source(path, table=table, kind=kind).column_roles)
    except InputError:
        return []


def suggested_name(path: Path) -> str:
    """A dataset name for a source: that of its folder, as far as names may have its letters."""
    folder = path if path.suffix == "" or path.is_dir() else path.parent
    # "Ñandú" becomes "Nandu": letters come apart from their signs.
    letters = "".join(
        sign
        for sign in unicodedata.normalize("NFKD", folder.name)
        if not unicodedata.combining(sign)
    )
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", letters).strip("-._")
    return name[:_MAX_NAME] or "dataset"
