"""Pictures for the screen: the right pixels, a key for all that made them, nothing by guess."""

import hashlib
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfr_core.errors import ImageError, InputError, MaskError, MissingMaskError
from cfr_core.masks.rle import encode
from cfr_core.pictures import PictureSpec, draw, picture, picture_key
from cfr_core.types import CropRequest, Mask, MaskStatus, View, ViewSpec
from cfr_core.workspace.cache import FileCache

FULL = PictureSpec(ViewSpec(View.FULL), 320)
PHOTO = PictureSpec(None, 320)
RED, GREEN = (200, 30, 30), (30, 160, 30)


def masked(view: View, **colours: tuple[int, int, int]) -> PictureSpec:
    return PictureSpec(ViewSpec(view, **colours), 320)


@pytest.fixture
def request_of_row(tmp_path: Path) -> CropRequest:
    """A red animal, 40 px wide, in a green crop of 80 x 60 px at (20, 10) of a grey photo."""
    photo = np.full((100, 160, 3), 90, np.uint8)
    photo[10:70, 20:100] = GREEN
    photo[20:60, 40:80] = RED
    path = tmp_path / "photo.png"
    Image.fromarray(photo).save(path)
    mask = np.zeros((60, 80), bool)
    mask[10:50, 20:60] = True
    return CropRequest(
        row_id=7,
        path=str(path),
        bbox_xywh=(20, 10, 80, 60),
        mask=Mask(7, (60, 80), encode(mask), "human", MaskStatus.ACCEPTED),
        file_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def pixels(jpeg: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(jpeg)) as image:
        assert image.format == "JPEG"
        return np.asarray(image).astype(int)


def assert_colour(jpeg: bytes, x: int, y: int, rgb: tuple[int, int, int]) -> None:
    np.testing.assert_allclose(pixels(jpeg)[y, x], rgb, atol=6)


@pytest.mark.parametrize(
    ("spec", "animal", "around"),
    [
        (FULL, RED, GREEN),
        (masked(View.FOREGROUND), RED, (124, 116, 104)),
        (masked(View.SHORTCUT, fill_rgb=(0, 0, 255)), (0, 0, 255), GREEN),
        (masked(View.SILHOUETTE, silhouette_rgb=(9, 9, 9)), (9, 9, 9), (124, 116, 104)),
    ],
)
def test_a_view_shows_the_crop_with_its_colours(
    request_of_row: CropRequest, spec: PictureSpec, animal: tuple, around: tuple
) -> None:
    jpeg = draw(request_of_row, spec)
    assert pixels(jpeg).shape == (60, 80, 3)
    assert_colour(jpeg, 40, 30, animal)
    assert_colour(jpeg, 8, 8, around)


def test_the_photo_is_whole_with_the_box_drawn_in(request_of_row: CropRequest) -> None:
    boxed = draw(request_of_row, PHOTO)
    assert pixels(boxed).shape == (100, 160, 3)
    assert_colour(boxed, 150, 90, (90, 90, 90))
    assert pixels(boxed)[10, 20:100].mean() > 200  # white on the upper edge of the box
    plain = draw(replace(request_of_row, bbox_xywh=None, mask=None), PHOTO)
    assert pixels(plain).max() < 210


def test_the_longest_side_is_bounded_and_nothing_enlarged(request_of_row: CropRequest) -> None:
    assert pixels(draw(request_of_row, replace(FULL, size_px=64))).shape == (48, 64, 3)
    assert pixels(draw(request_of_row, replace(FULL, size_px=2048))).shape == (60, 80, 3)


@pytest.mark.parametrize("size_px", [-1, 0, 63, 2049])
def test_sizes_out_of_bounds_are_refused(size_px: int) -> None:
    with pytest.raises(InputError, match="from 64 to 2048 px"):
        PictureSpec(None, size_px)


def test_the_key_holds_everything_that_makes_the_picture(request_of_row: CropRequest) -> None:
    row = request_of_row
    other_mask = Mask(7, (60, 80), encode(np.eye(60, 80, dtype=bool)), "x", MaskStatus.ACCEPTED)
    foreground = masked(View.FOREGROUND)
    variants = [
        (row, FULL),
        (row, PHOTO),
        (row, foreground),
        (row, masked(View.SHORTCUT)),
        (row, masked(View.FOREGROUND, fill_rgb=(1, 2, 3))),
        (row, replace(foreground, size_px=100)),
        (replace(row, mask=other_mask), foreground),
        (replace(row, bbox_xywh=(20, 10, 80, 61)), FULL),
        (replace(row, bbox_xywh=(20, 10, 80, 61)), PHOTO),
        (replace(row, file_sha256="0" * 64), FULL),
        (replace(row, file_sha256="0" * 64), PHOTO),
    ]
    assert len({picture_key(*variant) for variant in variants}) == len(variants)
    assert picture_key(replace(row, mask=other_mask), FULL) == picture_key(row, FULL)


def test_no_masked_view_without_an_accepted_mask(request_of_row: CropRequest) -> None:
    bare = replace(request_of_row, mask=None)
    for view in (View.FOREGROUND, View.SHORTCUT, View.SILHOUETTE):
        with pytest.raises(MissingMaskError, match=f"row 7 .* no {view.value} view"):
            picture_key(bare, masked(view))
        with pytest.raises(MissingMaskError):
            draw(bare, masked(view))


def test_unusable_images_and_masks_are_named(request_of_row: CropRequest) -> None:
    with pytest.raises(ImageError, match="has changed since it was imported"):
        draw(replace(request_of_row, file_sha256="0" * 64), FULL)
    with pytest.raises(ImageError, match="no such file"):
        draw(replace(request_of_row, path="absent.jpg"), FULL)
    with pytest.raises(MaskError, match=r"\(60, 80\)"):
        draw(replace(request_of_row, bbox_xywh=None), masked(View.FOREGROUND))


def test_a_picture_is_drawn_once(request_of_row: CropRequest, tmp_path: Path) -> None:
    cache = FileCache(tmp_path / "cache", limit_bytes=10**6)
    first = picture(request_of_row, FULL, cache)
    Path(request_of_row.path).unlink()
    assert picture(request_of_row, FULL, cache) == first
    with pytest.raises(ImageError):  # another size was never drawn
        picture(request_of_row, replace(FULL, size_px=100), cache)
