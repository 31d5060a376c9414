"""Pictures of masks on their crops."""

import hashlib
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfr_core.masks.rle import encode
from cfr_core.outlines import outlined, outlined_key
from cfr_core.pictures import PictureSpec
from cfr_core.types import CropRequest, Mask, MaskStatus
from cfr_core.workspace.cache import FileCache

SPEC = PictureSpec(None, 320)
BLUE, ORANGE = (86, 180, 233), (230, 159, 0)


@pytest.fixture
def crop(tmp_path: Path) -> CropRequest:
    """Plain grey, 80 x 60 px at (20, 10) of a photo of 160 x 100 px."""
    path = tmp_path / "photo.png"
    Image.fromarray(np.full((100, 160, 3), 200, np.uint8)).save(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return CropRequest(7, str(path), (20, 10, 80, 60), None, file_sha256=digest)


def mask_of(rows: slice, columns: slice) -> Mask:
    pixels = np.zeros((60, 80), bool)
    pixels[rows, columns] = True
    return Mask(7, (60, 80), encode(pixels), "grabcut", MaskStatus.PROPOSED)


SQUARE = mask_of(slice(10, 50), slice(20, 60))
CORNER = mask_of(slice(40, 60), slice(50, 80))


@pytest.fixture
def drawn(crop: CropRequest, tmp_path: Path):
    def draw(*masks: Mask, spec: PictureSpec = SPEC) -> np.ndarray:
        jpeg = outlined(crop, masks, spec, FileCache(tmp_path / "cache", limit_bytes=10**6))
        with Image.open(io.BytesIO(jpeg)) as image:
            return np.asarray(image).astype(int)

    return draw


def test_without_a_mask_it_is_the_crop(drawn) -> None:
    pixels = drawn()
    assert pixels.shape == (60, 80, 3)
    np.testing.assert_allclose(pixels, 200, atol=3)


def test_one_mask_darkens_what_is_outside_and_has_a_line(drawn) -> None:
    pixels = drawn(SQUARE)
    np.testing.assert_allclose(pixels[30, 40], 200, atol=6)
    np.testing.assert_allclose(pixels[2, 2], 90, atol=6)
    np.testing.assert_allclose(pixels[30, 20], BLUE, atol=40)


def test_two_masks_have_lines_of_their_own_and_darken_nothing(drawn) -> None:
    pixels = drawn(SQUARE, CORNER)
    np.testing.assert_allclose(pixels[2, 2], 200, atol=6)
    near = np.abs(pixels[:, :, None, :] - np.array([BLUE, ORANGE])).sum(-1) < 90
    rows, columns = np.nonzero(near[..., 1])
    assert rows.min() >= 39
    assert columns.min() >= 49
    assert rows.max() == 59  # also where the mask meets the edge
    whole, dashed = near[10:50, 20:60, 0][0].mean(), near[58, 50:80, 1].mean()
    assert whole > 0.8
    assert 0.2 < dashed < 0.8


def test_a_picture_is_scaled_with_its_mask(drawn) -> None:
    pixels = drawn(SQUARE, spec=PictureSpec(None, 64))
    assert pixels.shape == (48, 64, 3)
    np.testing.assert_allclose(pixels[24, 32], 200, atol=6)
    np.testing.assert_allclose(pixels[24, 10], 90, atol=10)


def test_the_key_knows_pixels_order_and_size(crop: CropRequest) -> None:
    keys = {
        outlined_key(request, masks, spec)
        for request, masks, spec in [
            (crop, [SQUARE], SPEC),
            (crop, [CORNER], SPEC),
            (crop, [SQUARE, CORNER], SPEC),
            (crop, [CORNER, SQUARE], SPEC),
            (crop, [], SPEC),
            (crop, [SQUARE], PictureSpec(None, 64)),
            (replace(crop, bbox_xywh=(0, 0, 80, 60)), [SQUARE], SPEC),
        ]
    }
    assert len(keys) == 7
    accepted = replace(SQUARE, status=MaskStatus.ACCEPTED, author="Ada")
    assert outlined_key(crop, [accepted], SPEC) in keys
