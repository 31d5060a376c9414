from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfr_core.encoders.preprocess import to_inputs
from cfr_core.images import decode
from tests.cfr_core.encoders.conftest import GRID_SPEC

PILLOW = {"bicubic": Image.Resampling.BICUBIC, "bilinear": Image.Resampling.BILINEAR}
SPEC = replace(GRID_SPEC, input_size_px=224)


@pytest.mark.parametrize("interpolation", ["bicubic", "bilinear"])
def test_photos_are_resized_as_by_pillow(interpolation: str, shared_data: Path) -> None:
    paths = sorted((shared_data / "weizmann_horses" / "images").rglob("*.jpg"))[:4]
    photos = [decode(path).pixels for path in paths]
    inputs = to_inputs(photos, replace(SPEC, interpolation=interpolation))
    assert inputs.shape == (4, 224, 224, 3)
    for photo, row in zip(photos, inputs, strict=True):
        expected = np.asarray(Image.fromarray(photo).resize((224, 224), PILLOW[interpolation]))
        difference = np.abs(row.astype(int) - expected.astype(int))
        assert difference.max() <= 1
        assert difference.mean() < 0.1


@pytest.mark.parametrize("size_hw", [(1, 1), (3, 500), (224, 224), (500, 3), (640, 480)])
def test_any_size_is_resized_to_the_square(size_hw: tuple[int, int]) -> None:
    # Mid-grey: where bicubic overshoots black or white, each library clips at another step.
    image = np.random.default_rng(0).integers(80, 176, (*size_hw, 3), dtype=np.uint8)
    (row,) = to_inputs([image], SPEC)
    expected = np.asarray(Image.fromarray(image).resize((224, 224), PILLOW["bicubic"]))
    assert np.abs(row.astype(int) - expected.astype(int)).max() <= 2


def test_nothing_is_cut_off() -> None:
    """A model's usual evaluation drops the border; here each corner still counts."""
    image = np.full((300, 400, 3), 120, np.uint8)
    for y in (slice(0, 8), slice(-8, None)):
        for x in (slice(0, 8), slice(-8, None)):
            image[y, x] = 255
    (row,) = to_inputs([image], SPEC)
    assert all(row[y, x].min() > 200 for y in (0, -1) for x in (0, -1))
    assert row[112, 112].tolist() == [120, 120, 120]


def test_a_crop_of_a_larger_photo_is_read_and_not_changed() -> None:
    photo = np.random.default_rng(0).integers(0, 256, (90, 80, 3), dtype=np.uint8)
    before = photo.copy()
    photo.setflags(write=False)
    crop = photo[10:50, 20:70]
    np.testing.assert_array_equal(to_inputs([crop], SPEC), to_inputs([crop.copy()], SPEC))
    assert to_inputs([photo], SPEC).shape == (1, 224, 224, 3)
    np.testing.assert_array_equal(photo, before)


def test_no_images_give_an_empty_batch() -> None:
    assert to_inputs([], SPEC).shape == (0, 224, 224, 3)
