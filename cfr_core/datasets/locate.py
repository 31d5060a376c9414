"""Where image files are: walking folders, and finding the folder that paths start from."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cfr_core.datasets.columns import is_image_name

_SAMPLE = 200
_SYSTEM_FILES = frozenset({"thumbs.db", "desktop.ini", "__macosx"})


@dataclass(frozen=True)
class FoundFiles:
    """What lies in a folder and below it.

    Attributes:
        images: Paths relative to the folder with forward slashes, in order.
        others: Number of files of each other ending, lower case.
        n_unnamable: Files whose names are no text in the encoding of the file system.
    """

    images: tuple[str, ...]
    others: Counter[str]
    n_unnamable: int = 0


def find_images(folder: Path, *, skip: Sequence[str] = ()) -> FoundFiles:
    """Image files below a folder, by their ending; hidden and system files are passed over.

    Args:
        folder: Where to start; linked folders are followed, each once.
        skip: Names of folders directly in it to leave out, lower case.
    """
    images, others, n_unnamable = [], Counter[str](), 0
    for file in _walk(folder, set(), skip):
        if not _is_text(str(file)):
            n_unnamable += 1
        elif is_image_name(file.name):
            images.append(file.relative_to(folder).as_posix())
        else:
            others[file.suffix.lower() or file.name] += 1
    return FoundFiles(tuple(sorted(images)), others, n_unnamable)


def image_root(paths: Sequence[str], candidates: Sequence[Path]) -> Path:
    """The folder under which most of the paths exist; the first where that does not tell."""
    step = max(1, len(paths) // _SAMPLE)
    sample = [path.replace("\\", "/") for path in paths[::step] if path]
    return max(candidates, key=lambda folder: sum((folder / path).is_file() for path in sample))


def _walk(folder: Path, seen: set[str], skip: Sequence[str] = ()) -> Iterator[Path]:
    real = os.path.realpath(folder)
    if real in seen:
        return
    seen.add(real)
    for entry in sorted(folder.iterdir()):
        name = entry.name
        if name.startswith(".") or name.lower() in _SYSTEM_FILES or name.lower() in skip:
            continue
        if entry.is_dir():
            yield from _walk(entry, seen)
        else:
            yield entry


def _is_text(name: str) -> bool:
    """False for a name with bytes that the file system's encoding does not know."""
    return not any("\ud800" <= char <= "\udfff" for char in name)
