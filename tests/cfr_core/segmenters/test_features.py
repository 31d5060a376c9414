"""The cache of features: each belongs to one crop and one engine, and is made once."""

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cfr_core.segmenters.features import FeatureCache, crop_key
from cfr_core.types import ImageArray
from tests.cfr_core.segmenters.counting import CountingSegmenter

SHA = "ab" * 32


def crop(seed: int, height: int = 6, width: int = 8) -> ImageArray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def stored_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_features_are_made_once_and_outlive_the_process(tmp_path: Path) -> None:
    engine, cache = CountingSegmenter(), FeatureCache(tmp_path)
    first = cache.get("a", crop(0), engine)
    again = cache.get("a", crop(0), engine)
    later = FeatureCache(tmp_path).get("a", crop(0), engine)
    assert len(engine.encoded) == 1
    for encoded in (first, again, later):
        assert (encoded.engine, encoded.size_hw) == ("counting-1", (6, 8))
        np.testing.assert_array_equal(encoded.arrays["mean"], first.arrays["mean"])
        assert encoded.arrays["mean"].dtype == np.float32


def test_another_engine_or_crop_has_its_own(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path)
    one, other = CountingSegmenter(), CountingSegmenter(fingerprint="counting-2")
    cache.get("a", crop(0), one)
    assert cache.get("a", crop(0), other).engine == "counting-2"
    cache.get("b", crop(1), one)
    assert (len(one.encoded), len(other.encoded)) == (2, 1)


@pytest.mark.parametrize("is_fresh", [False, True], ids=["in memory", "on disk"])
@pytest.mark.parametrize(
    "pixels", [crop(1), crop(0, 8, 6), crop(0).transpose(1, 0, 2)], ids=["pixels", "size", "turned"]
)
def test_features_never_serve_another_picture(
    tmp_path: Path, pixels: ImageArray, is_fresh: bool
) -> None:
    """Even where a caller gives two pictures one key."""
    engine, cache = CountingSegmenter(), FeatureCache(tmp_path)
    cache.get("a", crop(0), engine)
    found = (FeatureCache(tmp_path) if is_fresh else cache).get("a", pixels, engine)
    assert len(engine.encoded) == 2
    assert found.size_hw == pixels.shape[:2]
    np.testing.assert_allclose(found.arrays["mean"], pixels.mean((0, 1)), rtol=1e-6)


@given(content=st.binary(max_size=200), at=st.integers(0, 400))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_damaged_file_is_made_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes, at: int
) -> None:
    engine = CountingSegmenter()
    FeatureCache(tmp_path).get("a", crop(0), engine)
    (path,) = stored_files(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + content)
    with caplog.at_level(logging.CRITICAL):
        found = FeatureCache(tmp_path).get("a", crop(0), engine)
    np.testing.assert_allclose(found.arrays["mean"], crop(0).mean((0, 1)), rtol=1e-6)


def test_a_damaged_file_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    FeatureCache(tmp_path).get("a", crop(0), CountingSegmenter())
    stored_files(tmp_path)[0].write_bytes(b"PK broken")
    with caplog.at_level(logging.WARNING):
        FeatureCache(tmp_path).get("a", crop(0), CountingSegmenter())
    assert "are damaged and made again" in caplog.text


def test_memory_keeps_the_latest(tmp_path: Path) -> None:
    engine = CountingSegmenter()
    cache = FeatureCache(tmp_path, memory_bytes=24)  # two features of 12 bytes
    for name, seed in (("a", 0), ("b", 1), ("a", 0), ("c", 2)):
        cache.get(name, crop(seed), engine)
    for path in stored_files(tmp_path):
        path.unlink()
    assert len(engine.encoded) == 3
    cache.get("a", crop(0), engine)
    cache.get("c", crop(2), engine)
    assert len(engine.encoded) == 3
    cache.get("b", crop(1), engine)  # was used longest ago
    assert len(engine.encoded) == 4


def test_a_feature_larger_than_the_memory_is_still_kept(tmp_path: Path) -> None:
    engine, cache = CountingSegmenter(), FeatureCache(tmp_path / "file", memory_bytes=1)
    (tmp_path / "file").write_text("where the folder should be")
    cache.get("a", crop(0), engine)
    cache.get("a", crop(0), engine)
    assert len(engine.encoded) == 1


def test_the_disk_keeps_to_its_limit(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path, 2000, memory_bytes=0)
    for seed in range(20):
        cache.get(str(seed), crop(seed), CountingSegmenter())
    assert 0 < sum(path.stat().st_size for path in stored_files(tmp_path)) <= 2000


def test_threads_share_it(tmp_path: Path) -> None:
    cache = FeatureCache(tmp_path, memory_bytes=30)

    def mean(seed: int) -> bool:
        found = cache.get(str(seed % 5), crop(seed % 5), CountingSegmenter())
        return bool(np.allclose(found.arrays["mean"], crop(seed % 5).mean((0, 1))))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(mean, range(40)))


def test_keys_tell_files_and_boxes_apart() -> None:
    keys = {
        crop_key(SHA, None),
        crop_key(SHA, (0, 0, 5, 5)),
        crop_key(SHA, (0, 0, 5, 6)),
        crop_key("cd" * 32, None),
    }
    assert len(keys) == 4
    assert crop_key(SHA, (0, 0, 5, 5)) in keys
