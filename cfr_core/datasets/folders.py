"""A folder whose subfolders are the individuals."""

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import numpy as np

from cfr_core.datasets.locate import FoundFiles, find_images
from cfr_core.datasets.raw import RawTable, raw_table
from cfr_core.datasets.records import Finding, SourceTable
from cfr_core.datasets.table_source import source_from_table
from cfr_core.errors import InputError

MASK_FOLDERS = ("masks", "mask")
"""Folders beside the images that hold masks and no animals of their own."""

IMAGE_FOLDERS = frozenset({"images", "image", "imgs", "img", "photos", "pictures", "jpegimages"})
"""Folders that only group the photos; lower case."""
_SPLITS = frozenset({"train", "test", "val", "valid", "validation", "query", "gallery", "database"})


def read_folders(root: Path) -> SourceTable:
    """Read root/<identity>/.../photo.jpg, also below root/images/ or root/<split>/.

    Photos directly in the folder have no identity. Names of folders below the identity are kept in
    the column "subfolder".

    Raises:
        InputError: if there is no image.
    """
    found = find_images(root, skip=MASK_FOLDERS)
    if not found.images:
        raise InputError(
            f"{root} has neither a table nor images in it: give the folder with the photos, or "
            "with their CSV file"
        )
    columns, rows = _rows(found.images)
    table = raw_table(root.name, columns, rows, np.arange(1, len(rows) + 1))
    table = table.with_findings(_notes(table, found))
    given = {"path": "path", "identity": "identity"}
    return source_from_table(table, kind="folders", root=root, given=given)


def _rows(images: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Path, identity, split and subfolder of each image, empty columns left out."""
    folders = [PurePosixPath(path).parent.parts for path in images]
    if _all_in(folders, IMAGE_FOLDERS):
        folders = [parts[1:] for parts in folders]
    splits = [""] * len(folders)
    if _all_in(folders, _SPLITS):
        splits = [parts[0] for parts in folders]
        folders = [parts[1:] for parts in folders]
    identities = [parts[0] if parts else "" for parts in folders]
    subfolders = ["/".join(parts[1:]) for parts in folders]
    columns = {"path": list(images), "identity": identities, "split": splits}
    columns = {name: cells for name, cells in columns.items() if name != "split" or any(cells)}
    if any(subfolders):
        columns["subfolder"] = subfolders
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def _all_in(folders: Sequence[tuple[str, ...]], names: frozenset[str]) -> bool:
    return all(parts and parts[0].lower() in names for parts in folders)


def _notes(table: RawTable, found: FoundFiles) -> Iterator[Finding]:
    cells = table.cells
    message = f"the folder names are the identities: {cells['identity'].nunique()} of them"
    yield table.note("identity by folder", message)
    if "split" in cells:
        names = ", ".join(sorted(cells["split"].unique()))
        yield table.note("split by folder", f"the folders {names} are read as the split")
    if n_loose := int(cells["identity"].isna().sum()):
        message = f"{n_loose} images lie in no individual's folder: their identity is unknown"
        yield table.note(
            "no identity folder", message, "Move them into folders named as the animal."
        )
    if found.n_unnamable:
        message = f"{found.n_unnamable} files have names that are no valid text: not read"
        yield table.note("unreadable file name", message, "Rename them.")
    if found.others:
        listed = ", ".join(f"{n} {ending}" for ending, n in found.others.most_common())
        message = f"{found.others.total()} files are not read as images: {listed}"
        yield table.note(
            "other files", message, "Convert photos among them, such as raw files, to JPEG."
        )
