"""Masks that come beside a source: a folder of mask files, or a table of run lengths."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from cfr_core.datasets.cells import mask_from_cell, size_from_values
from cfr_core.datasets.columns import candidates, name_key
from cfr_core.datasets.locate import find_images
from cfr_core.datasets.raw import RawTable, RowNames
from cfr_core.datasets.records import Finding, MaskReference, Severity, SourceTable
from cfr_core.datasets.row_values import Size, texts
from cfr_core.errors import InputError

_ENDINGS = ("", "_mask", "-mask")
_KEYS = ("annotation_id", "image_id", "path")
_SIZES = (("height", "width"), ("imageheight", "imagewidth"), ("maskheight", "maskwidth"))


def with_mask_folder(source: SourceTable, folder: Path) -> SourceTable:
    """Give each row the mask file of its image's name, before any mask of the source itself.

    images/A/1.jpg and A/1.jpg have the mask A/1.png or A/1_mask.png. A file name alone counts only
    where it names one image and one mask: the same name in two folders is never guessed.

    Raises:
        InputError: if the folder does not exist.
    """
    if not folder.is_dir():
        raise InputError(f"there is no mask folder {folder}")
    paths = [_relative(path, source.root) for path in source.table["path"]]
    files = _mask_files(paths, find_images(folder).images)
    masks = tuple(
        MaskReference("file", str(folder.resolve() / file)) if file else own
        for file, own in zip(files, source.masks, strict=True)
    )
    n_found = sum(file is not None for file in files)
    message = f"{n_found} of {len(files)} rows have a mask file of their image's name"
    action = "Name mask files as the images, in folders of the same name, if some are missing."
    note = Finding(Severity.NOTE, "mask folder", folder.name, None, message, action)
    return replace(source, masks=masks, findings=(*source.findings, note))


def with_mask_table(source: SourceTable, table: RawTable) -> SourceTable:
    """Give rows the mask that a table holds for them, before any mask of the source itself.

    Rows are joined by annotation_id, image_id or path, the first that both have. The mask is in a
    column with a usual name: a COCO object as JSON, bare counts beside the size, or polygons.

    Raises:
        InputError: if there is no column to join by, or none with masks.
    """
    columns = {name_key(name): name for name in table.cells.columns}
    mask_column = next(iter(candidates(table, "mask")), columns.get("counts"))
    keys = _key_columns(source, table)
    if mask_column is None or keys is None:
        raise InputError(
            f"{table.name} must have a column with masks (rle, segmentation, counts) and one of "
            f"{', '.join(_KEYS)} as the dataset has it; it has {', '.join(table.cells.columns)}"
        )
    own_keys = [_key(text) for text in source.table[keys[0]].fillna("")]
    mask_keys = [_key(text or "") for text in texts(table, keys[1])]
    cells = dict(zip(mask_keys, texts(table, mask_column), strict=True))
    sizes = dict(zip(mask_keys, _sizes(table), strict=True))
    repeated = _repeated(own_keys) | _repeated(mask_keys)
    names = RowNames(tuple(source.table["path"]), source.table["source_row"].to_numpy())
    masks, findings = list(source.masks), []
    for at, key in enumerate(own_keys):
        if not cells.get(key):
            continue
        try:
            masks[at] = _one_mask(cells[key], sizes[key] or source.sizes_hw[at], key in repeated)
        except InputError as error:
            masks[at] = None
            message = f"the mask in {table.name} cannot be used: {error}"
            action = "Give one mask for each row, as COCO run lengths with their size."
            findings.append(names.no_mask(at, "unreadable mask", message, action))
    findings.append(_summary(table, keys[1], own_keys, mask_keys))
    return replace(source, masks=tuple(masks), findings=(*source.findings, *findings))


def _mask_files(paths: Sequence[str], files: Sequence[str]) -> list[str | None]:
    """For each image path its mask file, relative to the mask folder, or None."""
    by_stem: dict[str, str] = {}
    # PNG first: a JPEG of the same name is a picture of the mask rather than the mask.
    for file in sorted(files, key=lambda file: (not file.lower().endswith(".png"), file)):
        for ending in _ENDINGS:
            if _stem(file).endswith(ending):
                by_stem.setdefault(_stem(file).removesuffix(ending), file)
    stems = [_stem(path) for path in paths]
    n_masks = Counter(PurePosixPath(stem).name for stem in by_stem)
    n_images = Counter(PurePosixPath(stem).name for stem in set(stems))
    by_name = {PurePosixPath(stem).name: file for stem, file in by_stem.items()}
    # Only a folder that all images share can be left out without making two names one.
    shared = (
        f"{tops.pop()}/" if len(tops := {stem.split("/")[0] for stem in stems if stem}) == 1 else ""
    )

    def match(stem: str) -> str | None:
        name = PurePosixPath(stem).name
        is_sure = n_masks[name] == n_images[name] == 1
        same_folder = by_stem.get(stem) or by_stem.get(stem.removeprefix(shared))
        return same_folder or (by_name[name] if is_sure else None)

    return [match(stem) if stem else None for stem in stems]


def _relative(path: str, root: Path) -> str:
    """An image path with forward slashes, from the root if it is absolute and below it."""
    absolute = Path(path)
    if absolute.is_absolute() and absolute.is_relative_to(root):
        return absolute.relative_to(root).as_posix()
    return path.replace("\\", "/")


def _stem(path: str) -> str:
    return PurePosixPath(path).with_suffix("").as_posix() if path else ""


def _key_columns(source: SourceTable, table: RawTable) -> tuple[str, str] | None:
    """Columns of the source and the table that rows are joined by."""
    own = {name_key(name): name for name in source.table.columns}
    other = {name_key(name): name for name in table.cells.columns}
    for key in (name_key(name) for name in _KEYS):
        if key in own and key in other:
            return own[key], other[key]
    paths = candidates(table, "path")
    return ("path", paths[0]) if paths else None


def _key(text: str) -> str:
    return text.replace("\\", "/").removeprefix("./")


def _sizes(table: RawTable) -> list[Size]:
    """The (height, width) of each mask, where the table has columns for it."""
    columns = {name_key(name): name for name in table.cells.columns}
    for height, width in _SIZES:
        if height in columns and width in columns:
            sides = zip(texts(table, columns[width]), texts(table, columns[height]), strict=True)
            return [size_from_values(*pair) for pair in sides]
    if "size" in columns:
        return [_size_from_cell(text) for text in texts(table, columns["size"])]
    return [None] * len(table.cells)


def _size_from_cell(text: str | None) -> Size:
    try:
        height, width = json.loads(text or "")
    except (ValueError, TypeError):
        return None
    return size_from_values(width, height)


def _repeated(keys: Sequence[str]) -> set[str]:
    return {key for key, n in Counter(keys).items() if n > 1}


def _one_mask(text: str | None, size_hw: Size, is_repeated: bool) -> MaskReference:
    if is_repeated:
        raise InputError("several rows share the key, so that it is not clear whose mask it is")
    return mask_from_cell(text or "", size_hw)


def _summary(
    table: RawTable, key: str, own_keys: Sequence[str], mask_keys: Sequence[str]
) -> Finding:
    n_rows = sum(own in set(mask_keys) for own in own_keys)
    n_unused = len(set(mask_keys) - set(own_keys))
    message = (
        f'{n_rows} of {len(own_keys)} rows have a mask by "{key}"; {n_unused} masks belong to no '
        "row"
    )
    return table.note("mask table", message, "If rows are missing, compare the keys in both files.")
