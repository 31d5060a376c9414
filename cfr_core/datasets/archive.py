"""Unpacking a zip that a stranger may have made: in its folder and within bounds, or not at all.

Names decide nothing but the place below the target, and links and devices are refused. The sizes
that a zip states are judged before anything is written; Python's reader stops at them, and tells a
file that is longer as damaged, so a zip that lies about them gains nothing.
"""

import hashlib
import os
import re
import secrets
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cfr_core.datasets.columns import is_image_name
from cfr_core.errors import InputError
from cfr_core.types import OnProgress, Progress, no_progress

_CHUNK_BYTES = 1024**2
_GIB = 1024**3
_LEFT_BY_SYSTEMS = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
_WINDOWS_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_MAX_DEPTH = 32
_ENCRYPTED_FLAG = 0x1


@dataclass(frozen=True)
class ArchiveLimits:
    """How much a zip may unpack to.

    Attributes:
        max_files: Files in it.
        max_bytes: Bytes of all files together.
        max_ratio: Unpacked bytes for each byte of the zip; photos are near 1, tables near 10.
        always_bytes: Up to this size the ratio does not count: plain masks pack very well.
    """

    max_files: int = 500_000
    max_bytes: int = 64 * _GIB
    max_ratio: float = 100.0
    always_bytes: int = _GIB // 4

    def allowed_bytes(self, archive_bytes: int) -> int:
        """Bytes that a zip of this size may unpack to."""
        return min(self.max_bytes, max(self.always_bytes, int(archive_bytes * self.max_ratio)))


def unpack_upload(
    archive: BinaryIO,
    name: str,
    parent: Path,
    *,
    limits: ArchiveLimits | None = None,
    on_progress: OnProgress = no_progress,
) -> Path:
    """Unpack a zip below a folder of uploads; the same zip again is not unpacked again.

    Args:
        archive: The zip, seekable; left open.
        name: Its file name, for the folder's name and for messages.
        parent: Folder of all uploads.
        limits: How much it may unpack to.
        on_progress: Told after each file.

    Returns:
        Where the dataset lies: the new folder, or the only folder in it.

    Raises:
        InputError: as of `unpack`.
    """
    digest = _sha256(archive)
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(name).stem).strip("-.")[:60] or "upload"
    folder = parent / f"{stem}-{digest[:10]}"
    if folder.exists():
        os.utime(folder)  # as young as a new one: old ones that nothing needs are deleted
    else:
        unpack(archive, folder, name=name, limits=limits, on_progress=on_progress)
    return _dataset_folder(folder)


def unpack(
    archive: BinaryIO,
    target: Path,
    *,
    name: str = "the zip",
    limits: ArchiveLimits | None = None,
    on_progress: OnProgress = no_progress,
) -> None:
    """Unpack a zip to a folder that appears only when all of it is there.

    Args:
        archive: The zip, seekable; left open.
        target: Folder to make; it must not exist.
        name: What messages call the zip.
        limits: How much it may unpack to.
        on_progress: Told after each file.

    Raises:
        InputError: if it is no zip, damaged, encrypted or empty, if an entry leads out of the
            folder, is a link or is there twice, or if it is too large for the limits or the disk.
    """
    if target.exists():
        raise InputError(f"{target} exists already: unpack to another folder")
    limits = limits or ArchiveLimits()
    unfinished = target.with_name(f".{secrets.token_hex(6)}.{target.name}")
    try:
        with _opened(archive, name) as opened:
            entries = _entries(opened, name)
            _check_size(entries, archive, limits, target, name)
            _write(opened, entries, unfinished, name, on_progress)
        unfinished.rename(target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _sha256(archive: BinaryIO) -> str:
    digest = hashlib.sha256()
    archive.seek(0)
    while chunk := archive.read(_CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()


@dataclass(frozen=True)
class _Entry:
    info: zipfile.ZipInfo
    parts: tuple[str, ...]


def _opened(archive: BinaryIO, name: str) -> zipfile.ZipFile:
    archive.seek(0)
    try:
        return zipfile.ZipFile(archive)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(
            f"{name} is no zip file that can be read ({error}); make it again, as .zip"
        ) from error


def _entries(opened: zipfile.ZipFile, name: str) -> list[_Entry]:
    """The files to write, each with the parts of its path below the target."""
    entries = []
    for info in opened.infolist():
        parts = _safe_parts(info, name)
        if info.filename.endswith("/") or not parts or set(parts) & set(_LEFT_BY_SYSTEMS):
            continue
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise InputError(f"{name} is protected by a password; make it again without one")
        entries.append(_Entry(info, parts))
    if not entries:
        raise InputError(f"{name} holds no file")
    return entries


def _safe_parts(info: zipfile.ZipInfo, name: str) -> tuple[str, ...]:
    """The parts of an entry's path, none of which leads anywhere but down."""
    # Windows programs write backslashes; nobody means one as part of a file name.
    path = info.filename.replace("\\", "/")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if path.startswith("/") or ".." in parts or any(map(_is_unsafe, parts)):
        raise InputError(
            f"{name} holds {info.filename[:200]!r}, a name that leads out of its folder or is none "
            "on every system; make the zip again without it"
        )
    if len(parts) > _MAX_DEPTH:
        raise InputError(f"{name} holds folders more than {_MAX_DEPTH} deep")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise InputError(
            f"{name} holds {info.filename[:200]!r}, which is a link or a device; pack the files "
            "themselves"
        )
    return parts


def _is_unsafe(part: str) -> bool:
    is_device = os.name == "nt" and _WINDOWS_DEVICE.fullmatch(part) is not None
    # A colon names a drive or a hidden stream on Windows.
    return is_device or ":" in part or any(ord(sign) < 32 for sign in part)


def _check_size(
    entries: list[_Entry], archive: BinaryIO, limits: ArchiveLimits, target: Path, name: str
) -> None:
    """Refuse a zip that is too large for its limits or for the disk."""
    if len(entries) > limits.max_files:
        raise InputError(
            f"{name} holds {len(entries):,} files, more than {limits.max_files:,}; put the folder "
            "on this computer and name it instead"
        )
    stated = sum(entry.info.file_size for entry in entries)
    allowed = limits.allowed_bytes(archive.seek(0, os.SEEK_END))
    if stated > allowed:
        raise InputError(
            f"{name} unpacks to more than {allowed / _GIB:.2f} GiB, which is too much for a zip of "
            "its size; put the folder on this computer and name it instead"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(target.parent).free
    if stated > free:
        raise InputError(
            f"{name} unpacks to {stated / _GIB:.1f} GiB, and the disk of {target.parent} has "
            f"{free / _GIB:.1f} GiB left"
        )


def _write(
    opened: zipfile.ZipFile,
    entries: list[_Entry],
    folder: Path,
    name: str,
    on_progress: OnProgress,
) -> None:
    folder.mkdir()
    for done, entry in enumerate(entries):
        on_progress(Progress("Unpacking", done, len(entries), "files"))
        path = folder.joinpath(*entry.parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Never over another file: also where the disk takes "A.jpg" and "a.jpg" for one.
            with path.open("xb") as stream:
                stream.writelines(_chunks(opened, entry, name))
        except (FileExistsError, NotADirectoryError) as error:
            raise InputError(
                f"{name} holds {entry.info.filename!r} twice, or under names that differ in case "
                "only; pack it once"
            ) from error
        except OSError as error:
            raise InputError(f"{entry.info.filename!r} cannot be written: {error}") from error
    on_progress(Progress("Unpacking", len(entries), len(entries), "files"))


def _chunks(opened: zipfile.ZipFile, entry: _Entry, name: str) -> Iterator[bytes]:
    try:
        with opened.open(entry.info) as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                yield chunk
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(
            f"{name} is damaged at {entry.info.filename!r} ({error}); make or copy it again"
        ) from error


def _dataset_folder(folder: Path) -> Path:
    """The only folder in a folder, unless it is an individual's: then it is part of the data."""
    inside = list(folder.iterdir())
    if len(inside) != 1 or not inside[0].is_dir():
        return folder
    only_images = all(path.is_file() and is_image_name(path.name) for path in inside[0].iterdir())
    return folder if only_images else inside[0]
