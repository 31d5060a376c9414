"""Reading any source: a table with photos, folders named as the animals, or COCO JSON."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from cfr_core.datasets.coco import looks_like_coco, read_coco
from cfr_core.datasets.folders import IMAGE_FOLDERS, MASK_FOLDERS, read_folders
from cfr_core.datasets.locate import image_root
from cfr_core.datasets.mask_sources import with_mask_folder, with_mask_table
from cfr_core.datasets.records import Finding, MaskReference, Severity, SourceTable
from cfr_core.datasets.table_source import source_from_table
from cfr_core.datasets.tables import TABLE_SUFFIXES, read_table
from cfr_core.errors import InputError

SourceKind: TypeAlias = Literal["csv", "coco", "folders"]

_USUAL_TABLES = ("metadata", "annotations", "labels")
_USUAL_IMAGE_FOLDERS = ("images", "photos", "imgs")


def read_source(
    path: Path,
    *,
    table: str | None = None,
    kind: SourceKind | None = None,
    columns: Mapping[str, str] | None = None,
    mask_dir: Path | None = None,
    mask_table: Path | None = None,
) -> SourceTable:
    """Read where the photos are, whom they show, and what else is known, without opening them.

    Args:
        path: A folder, a CSV, TSV or Parquet table, or a COCO JSON file.
        table: Which table of the folder to read, where there are several.
        kind: What the source is; default: found out by `detect_source`.
        columns: Role -> column, where a person says what a column means; "" for no column.
        mask_dir: Folder of mask files named as the images. Default: masks/ beside the images, where
            the source itself has no masks.
        mask_table: Table of run lengths, joined by annotation_id, image_id or path.

    Returns:
        The source as it is written, with everything that was noticed. Rows of damaged records are
        in it, named by a SET_ASIDE finding.

    Raises:
        InputError: if there is nothing to read, several tables and none is chosen, or no column
            names the images.
    """
    found, file = _resolve(path, table, kind)
    folder = path if path.is_dir() else path.parent
    if found == "folders":
        source = read_folders(file)
    elif found == "coco":
        source = read_coco(file, columns)
    else:
        source = _read_table_source(file, folder, columns)
    if table is None and path.is_dir():
        source = _with_note_on_others(source, file, path)
    if mask_table is not None:
        source = with_mask_table(source, read_table(mask_table))
    if mask_dir is None and not any(source.masks):
        mask_dir = _usual_mask_folder(source.root, folder)
    return source if mask_dir is None else with_mask_folder(source, mask_dir)


def detect_source(path: Path) -> tuple[SourceKind, Path]:
    """What a path holds, and the file or folder to read.

    In a folder, a table called metadata, annotations or labels comes first, then the only table,
    then the only COCO file (also in annotations/), then subfolders as identities.

    Raises:
        InputError: if the path does not exist, is no table, or holds several to choose from.
    """
    if path.is_file():
        return _file_kind(path), path
    if not path.is_dir():
        raise InputError(f"there is no file or folder {path}")
    tables = sorted(f for f in path.iterdir() if f.suffix.lower() in TABLE_SUFFIXES)
    for name in _USUAL_TABLES:
        if usual := [f for f in tables if f.stem.lower() == name]:
            return "csv", _only(usual, path)
    if tables:
        return "csv", _only(tables, path)
    files = sorted([*path.glob("*.json"), *path.glob("annotations/*.json")])
    coco = [f for f in files if looks_like_coco(f)]
    return ("coco", _only(coco, path)) if coco else ("folders", path)


def _resolve(path: Path, table: str | None, kind: SourceKind | None) -> tuple[SourceKind, Path]:
    if table is not None:
        file = path / table
        if not file.is_file():
            raise InputError(f"there is no table {table} in {path}")
        return kind or _file_kind(file), file
    if kind == "folders" and path.is_dir():
        return kind, path
    found, file = detect_source(path)
    if kind is not None and kind != found:
        raise InputError(f"{path} holds {found}, not {kind}: name the file to read")
    return found, file


def _file_kind(file: Path) -> SourceKind:
    suffix = file.suffix.lower()
    if suffix in {".xlsx", ".xls", ".ods"}:
        raise InputError(f"{file} is a spreadsheet: save it as CSV (UTF-8)")
    return "coco" if suffix == ".json" else "csv"


def _only(files: list[Path], folder: Path) -> Path:
    if len(files) > 1:
        names = ", ".join(f.relative_to(folder).as_posix() for f in files)
        raise InputError(f"{folder} has several tables: say which to read, one of {names}")
    return files[0]


def _with_note_on_others(source: SourceTable, read: Path, folder: Path) -> SourceTable:
    """Note tables and JSON files of the folder that were passed over."""
    suffixes = {*TABLE_SUFFIXES, ".json"}
    others = sorted(f.name for f in folder.iterdir() if f.suffix.lower() in suffixes and f != read)
    if not others or read == folder:
        return source
    message = f"{read.name} is read; not read are {', '.join(others)}"
    action = "Name the table to read if it is another one."
    note = Finding(Severity.NOTE, "other tables", read.name, None, message, action)
    return replace(source, findings=(*source.findings, note))


def _usual_mask_folder(root: Path, folder: Path) -> Path | None:
    """masks/ beside the images, or beside the folder that groups them."""
    bases = [root, folder, *([root.parent] if root.name.lower() in IMAGE_FOLDERS else [])]
    folders = (f for base in bases for f in sorted(base.iterdir()) if f.is_dir())
    return next((f for f in folders if f.name.lower() in MASK_FOLDERS), None)


def _read_table_source(file: Path, folder: Path, columns: Mapping[str, str] | None) -> SourceTable:
    root = folder.resolve()
    source = source_from_table(read_table(file), kind="csv", root=root, given=columns)
    near = file.resolve().parent
    bases = [root, near, *(base / name for base in (root, near) for name in _USUAL_IMAGE_FOLDERS)]
    found = image_root(list(source.table["path"]), bases)
    if found == root:
        return source
    message = f"the paths start from {found}, where the files are"
    note = Finding(Severity.NOTE, "image folder", file.name, None, message, "Nothing, if it is so.")
    masks = tuple(mask and _absolute(mask, (found, near, root)) for mask in source.masks)
    return replace(source, root=found, masks=masks, findings=(*source.findings, note))


def _absolute(mask: MaskReference, bases: tuple[Path, ...]) -> MaskReference:
    """A mask file as an absolute path: it need not start from the folder that the images do."""
    if mask.kind != "file":
        return mask
    return replace(mask, value=str(image_root([mask.value], bases) / mask.value))
