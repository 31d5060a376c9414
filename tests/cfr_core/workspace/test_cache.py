"""The cache of files: what was used last stays, and a full or unwritable disk loses nothing."""

import hashlib
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cfr_core.workspace.cache import FileCache

KEYS = [hashlib.sha256(bytes([n])).hexdigest() for n in range(50)]


def set_age(folder: Path, key: str, age_s: int) -> None:
    path = folder / key[:2] / key[2:]
    os.utime(path, (10**9 - age_s, 10**9 - age_s))


def used_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_what_is_put_is_got(tmp_path: Path) -> None:
    cache = FileCache(tmp_path, limit_bytes=1000)
    assert cache.get(KEYS[0]) is None
    cache.put(KEYS[0], b"a")
    cache.put(KEYS[0], b"bc")
    assert cache.get(KEYS[0]) == b"bc"
    assert FileCache(tmp_path, limit_bytes=1000).get(KEYS[0]) == b"bc"


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    cache = FileCache(tmp_path, limit_bytes=100)
    for key in KEYS[:9]:
        cache.put(key, b"x" * 10)
    for age, key in enumerate(reversed(KEYS[:9])):
        set_age(tmp_path, key, age)  # KEYS[0] is the oldest
    assert cache.get(KEYS[0])  # and is used now
    cache.put(KEYS[9], b"x" * 20)
    assert [key for key in KEYS[:10] if cache.get(key) is None] == KEYS[1:3]
    assert used_bytes(tmp_path) == 90


def test_files_of_an_earlier_process_count(tmp_path: Path) -> None:
    earlier = FileCache(tmp_path, limit_bytes=1000)
    for key in KEYS:
        earlier.put(key, b"x" * 10)
    FileCache(tmp_path, limit_bytes=100).put(KEYS[0], b"x" * 10)
    assert used_bytes(tmp_path) <= 100


def test_the_folder_may_be_emptied_at_any_time(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    cache = FileCache(folder, limit_bytes=30)
    for key in KEYS[:3]:
        cache.put(key, b"x" * 10)
    for path in folder.rglob("*"):
        if path.is_file():
            path.unlink()
    assert cache.get(KEYS[0]) is None
    cache.put(KEYS[1], b"x" * 10)
    assert cache.get(KEYS[1]) == b"x" * 10


def test_a_disk_that_refuses_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("where the folder should be")
    cache = FileCache(tmp_path / "file", limit_bytes=100)
    with caplog.at_level(logging.WARNING):
        cache.put(KEYS[0], b"x")
    assert "cannot be written" in caplog.text
    assert cache.get(KEYS[0]) is None


def test_threads_stay_within_the_limit(tmp_path: Path) -> None:
    cache = FileCache(tmp_path, limit_bytes=200)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda key: cache.put(key, b"x" * 10), KEYS))
    assert 0 < used_bytes(tmp_path) <= 200
