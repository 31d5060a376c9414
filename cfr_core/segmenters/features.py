"""What an engine computed of a crop, kept: the latest in memory, the earlier ones on disk.

A feature is found by the crop's key and the engine's fingerprint, and taken only if it was made
of the very pixels at hand.
"""

import hashlib
import io
import logging
import threading
import zipfile
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cfr_core.fingerprint import fingerprint
from cfr_core.segmenters.segmenter import EncodedImage, Segmenter
from cfr_core.types import ImageArray
from cfr_core.workspace.cache import FileCache

_LOG = logging.getLogger(__name__)
DEFAULT_DISK_BYTES = 4 * 1024**3
DEFAULT_MEMORY_BYTES = 512 * 1024**2
_PIXELS = "pixels_sha256"
_Arrays: TypeAlias = dict[str, npt.NDArray[Any]]


def crop_key(file_sha256: str, bbox_xywh: tuple[int, int, int, int] | None) -> str:
    """Key of a crop: which file's bytes, and which part of the picture.

    Args:
        file_sha256: Digest of the photo's file.
        bbox_xywh: The crop in upright pixels, or None for the whole photo.
    """
    return fingerprint(file=file_sha256, bbox=list(bbox_xywh) if bbox_xywh else None)


@dataclass(frozen=True)
class _Entry:
    pixels_sha256: str
    arrays: _Arrays

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.arrays.values())


class FeatureCache:
    """Features of crops by engine; threads may share it."""

    def __init__(
        self,
        folder: Path,
        limit_bytes: int = DEFAULT_DISK_BYTES,
        *,
        memory_bytes: int = DEFAULT_MEMORY_BYTES,
    ) -> None:
        """Keep features below a folder that may be deleted at any time.

        Args:
            folder: Need not exist.
            limit_bytes: About how much may lie there.
            memory_bytes: How much is kept in memory besides; the latest entry always is.
        """
        self._files = FileCache(folder, limit_bytes=limit_bytes)
        self._memory_bytes = memory_bytes
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, pixels: ImageArray, segmenter: Segmenter) -> EncodedImage:
        """A crop with its features, computed only if they are not kept yet.

        Args:
            key: `crop_key` of the crop.
            pixels: (H, W, 3) uint8 RGB, the crop.
            segmenter: The engine.

        Raises:
            DeviceError: if memory runs out.
        """
        name = fingerprint(crop=key, engine=segmenter.fingerprint)
        digest = _digest(pixels)
        entry = self._remembered(name, digest) or self._stored(name, digest)
        if entry is None:
            encoded = segmenter.encode([pixels])[0]
            entry = _Entry(digest, encoded.arrays)
            if entry.arrays:  # some engines compute nothing beforehand
                self._files.put(name, _packed(entry))
        self._remember(name, entry)
        return EncodedImage(pixels, entry.arrays, segmenter.fingerprint)

    def _remembered(self, name: str, digest: str) -> _Entry | None:
        with self._lock:
            entry = self._entries.get(name)
        return entry if entry and entry.pixels_sha256 == digest else None

    def _stored(self, name: str, digest: str) -> _Entry | None:
        content = self._files.get(name)
        if content is None:
            return None
        try:
            entry = _unpacked(content)
        except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            _LOG.warning("stored features %s are damaged and made again: %s", name[:12], error)
            return None
        return entry if entry.pixels_sha256 == digest else None

    def _remember(self, name: str, entry: _Entry) -> None:
        with self._lock:
            self._entries.pop(name, None)
            self._entries[name] = entry
            used = sum(kept.n_bytes for kept in self._entries.values())
            while used > self._memory_bytes and len(self._entries) > 1:
                _, dropped = self._entries.popitem(last=False)
                used -= dropped.n_bytes


def _digest(pixels: ImageArray) -> str:
    """SHA-256 of the size and all bytes of a crop; 60 MB take some 40 ms."""
    digest = hashlib.sha256(repr(pixels.shape).encode("ascii"))
    digest.update(np.ascontiguousarray(pixels).data)
    return digest.hexdigest()


def _packed(entry: _Entry) -> bytes:
    stream = io.BytesIO()
    arrays: dict[str, Any] = {**entry.arrays, _PIXELS: np.array(entry.pixels_sha256)}
    np.savez(stream, **arrays)
    return stream.getvalue()


def _unpacked(content: bytes) -> _Entry:
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return _Entry(str(arrays.pop(_PIXELS)), arrays)
