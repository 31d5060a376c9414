"""Files that can be made again: kept up to a size, the longest unused ones deleted first."""

import logging
import os
import threading
from pathlib import Path

from cfr_core.workspace.files import write_atomically

_LOG = logging.getLogger(__name__)
_SHARE_KEPT = 0.9
"""Room is made down to this share of the limit, so that it is not made for every new file."""


class FileCache:
    """One file a key below a folder that may be deleted at any time; threads may share it."""

    def __init__(self, folder: Path, *, limit_bytes: int) -> None:
        """Use a folder, which need not exist, for at most about `limit_bytes` of files."""
        self._folder = folder
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._used_bytes: int | None = None

    def get(self, key: str) -> bytes | None:
        """Content of a key (hexadecimal digits), or None; it counts as used now."""
        path = self._path(key)
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep a content; where the disk refuses, it is logged and not kept."""
        try:
            write_atomically(self._path(key), lambda temporary: temporary.write_bytes(content))
            with self._lock:
                self._account(len(content))
        except OSError as error:
            _LOG.warning("the cache %s cannot be written: %s", self._folder, error)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]

    def _account(self, n_bytes: int) -> None:
        if self._used_bytes is None:
            self._used_bytes = sum(size for _, size, _ in self._files())
        else:
            self._used_bytes += n_bytes
        if self._used_bytes > self._limit_bytes:
            self._make_room()

    def _make_room(self) -> None:
        files = sorted(self._files())
        self._used_bytes = sum(size for _, size, _ in files)
        for _, size, path in files:
            if self._used_bytes <= self._limit_bytes * _SHARE_KEPT:
                return
            path.unlink(missing_ok=True)
            self._used_bytes -= size

    def _files(self) -> list[tuple[int, int, Path]]:
        """Time of last use in ns, size in bytes and path of each file."""
        found = []
        for path in self._folder.glob("??/*"):
            try:
                stat = path.stat()
            except FileNotFoundError:  # the folder may be emptied while it is read
                continue
            found.append((stat.st_mtime_ns, stat.st_size, path))
        return found
