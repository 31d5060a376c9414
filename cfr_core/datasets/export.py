"""A dataset as a folder that other tools and this one read: COCO JSON, mask files, a CSV table.

    metadata.csv       a row an animal: path, identity, box, date, ..., mask_path, further columns
    annotations.json   the same as COCO, masks as compressed run lengths of the upright image
    masks/000012.png   255 on the animal of row 12, of the upright image's size
    ...                the images under their own names, if they are copied

Boxes and masks are in upright pixels. Importing the folder gives the same cells and mask pixels.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from cfr_core.datasets.coco_document import coco_document
from cfr_core.datasets.file_finder import FileFinder
from cfr_core.datasets.records import Annotations, DatasetCard
from cfr_core.datasets.threads import map_in_threads
from cfr_core.errors import InputError
from cfr_core.fingerprint import file_sha256
from cfr_core.masks.files import write_mask_file
from cfr_core.masks.rle import decode, encode
from cfr_core.types import BoolArray, Mask, MaskStatus, OnProgress, no_progress

METADATA = "metadata.csv"
COCO = "annotations.json"
MASKS = "masks"

_CSV_COLUMNS = [
    *("path", "identity", "bbox_x", "bbox_y", "bbox_w", "bbox_h", "captured_at"),
    *("encounter", "camera", "orientation", "split", "species"),
]


@dataclass(frozen=True)
class ExportSummary:
    """What an export wrote.

    Attributes:
        folder: Where it is.
        n_rows: Rows.
        n_masks: Masks; those that are accepted.
        n_masks_left_out: Masks that are not accepted, and so not written.
        n_images_copied: Image files that were copied.
    """

    folder: Path
    n_rows: int
    n_masks: int
    n_masks_left_out: int
    n_images_copied: int


def export_dataset(
    card: DatasetCard,
    annotations: Annotations,
    masks: Iterable[Mask],
    out: Path,
    *,
    copy_images: bool = False,
    on_progress: OnProgress = no_progress,
) -> ExportSummary:
    """Write a dataset to a new folder, all of it or nothing.

    Only accepted masks are written, for whoever reads the folder takes its masks for good.

    Args:
        card: The dataset.
        annotations: Its rows.
        masks: At most one mask a row; rows may be without.
        out: The folder; it must not exist, or be empty.
        copy_images: Put the images into the folder, under the paths that the rows name. Otherwise
            the exported paths are absolute.
        on_progress: Called after every mask.

    Raises:
        InputError: if the folder holds something, or an image is gone or has changed.
    """
    files = _find_images(card, annotations.table)
    every_mask = list(masks)
    accepted = {m.row_id: m for m in every_mask if m.status is MaskStatus.ACCEPTED}
    n_copied = 0
    paths = [file.as_posix() for file in files]
    with _new_folder(out) as folder:
        if copy_images:
            paths, n_copied = _copy_images(annotations.table, files, folder)
        whole_masks = _write_masks(annotations.table, accepted, folder, on_progress)
        _write_csv(annotations, paths, whole_masks, folder / METADATA)
        document = coco_document(card, annotations, paths, whole_masks)
        text = json.dumps(document, ensure_ascii=False)
        (folder / COCO).write_text(text, encoding="utf-8")
    n_left_out = len(every_mask) - len(accepted)
    return ExportSummary(out, len(annotations), len(accepted), n_left_out, n_copied)


def _mask_name(row_id: int) -> str:
    """Path of a row's mask file in an export."""
    return f"{MASKS}/{row_id:06d}.png"


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `out` at the end, or vanishes where something fails."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} exists and is not an empty folder: name a new one")
    partial = out.absolute().with_name(f".{out.name}.{os.getpid()}.partial")
    partial.mkdir(parents=True)
    try:
        yield partial
        if out.exists():
            out.rmdir()
        partial.rename(out)
    except BaseException:
        shutil.rmtree(partial)
        raise


def _find_images(card: DatasetCard, table: pd.DataFrame) -> list[Path]:
    finder = FileFinder(Path(card.root))
    found = [finder.find(name) for name in table["path"]]
    missing = [name for name, path in zip(table["path"], found, strict=True) if path is None]
    if missing:
        raise InputError(
            f"{len(missing)} images of {card.name} are not in {card.root} any more, such as "
            f"{missing[0]}: put them back, or import the dataset from where it is now"
        )
    return [path for path in found if path is not None]


def _copy_images(table: pd.DataFrame, files: Sequence[Path], folder: Path) -> tuple[list[str], int]:
    """Copy each image once; the path of each row in the export, and the number of files."""
    paths, copied = [], set()
    rows = zip(table["path"], table["file_sha256"], files, strict=True)
    for name, digest, file in rows:
        path, target = _place_in_export(name, digest)
        paths.append(path)
        if target in copied:
            continue
        if file_sha256(file) != digest:
            raise InputError(f"{file} has changed since it was imported: import it again")
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / target)
        copied.add(target)
    return paths, len(copied)


def _place_in_export(name: str, digest: str) -> tuple[str, str]:
    """Path of an image as the exported table names it, and where it lies in the folder."""
    target = PurePosixPath(os.path.normpath(name.replace("\\", "/")).replace("\\", "/"))
    is_outside = target.is_absolute() or target.parts[0] == ".." or Path(name).is_absolute()
    if is_outside or target.parts[0].casefold() in (METADATA, COCO, MASKS):
        moved = f"images/{digest[:12]}_{target.name}"
        return moved, moved
    return name, str(target)


def _write_masks(
    table: pd.DataFrame, masks: Mapping[int, Mask], folder: Path, on_progress: OnProgress
) -> dict[int, Mask]:
    """Write a file for each mask; the masks on their whole images, by row."""
    if masks:
        (folder / MASKS).mkdir()
    sizes_and_boxes = table[["row_id", "height", "width", "bbox_x", "bbox_y"]].fillna(0)
    places = {
        int(row_id): ((int(height), int(width)), (int(x), int(y)))
        for row_id, height, width, x, y in sizes_and_boxes.itertuples(index=False)
        if row_id in masks
    }

    def write(row_id: int) -> Mask:
        image_hw, corner_xy = places[row_id]
        pixels = _on_image(decode(masks[row_id]), image_hw, corner_xy)
        write_mask_file(pixels, folder / _mask_name(row_id))
        return replace(masks[row_id], size_hw=image_hw, counts=encode(pixels))

    written = map_in_threads(
        write, list(places), stage="Writing masks", unit="masks", on_progress=on_progress
    )
    return dict(zip(places, written, strict=True))


def _on_image(crop: BoolArray, image_hw: tuple[int, int], corner_xy: tuple[int, int]) -> BoolArray:
    """A mask of a crop on its whole image, (H, W) bool."""
    pixels = np.zeros(image_hw, bool)
    x, y = corner_xy
    height, width = crop.shape
    pixels[y : y + height, x : x + width] = crop
    return pixels


def _write_csv(
    annotations: Annotations, paths: Sequence[str], masks: Mapping[int, Mask], file: Path
) -> None:
    """The table; columns that the import works out from the images are left out."""
    table = annotations.table
    written = table[[*_CSV_COLUMNS, *annotations.extra_columns]].assign(
        path=list(paths), captured_at=table["captured_at"].dt.strftime("%Y-%m-%dT%H:%M:%S")
    )
    mask_paths = [_mask_name(row_id) if row_id in masks else None for row_id in table["row_id"]]
    written.insert(len(_CSV_COLUMNS), "mask_path", pd.Series(mask_paths, dtype="string"))
    # With these line ends (RFC 4180) a carriage return within a cell is quoted as well.
    written.to_csv(file, index=False, encoding="utf-8", lineterminator="\r\n")
