"""Mask files in every mode that turns up, and refusal of those that do not name the animal."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFilter

from cfr_core.errors import ImageError, MaskError
from cfr_core.masks.files import mask_file_size_hw, read_mask_file, write_mask_file

Save = Callable[[np.ndarray], Image.Image]


def blob(height: int = 40, width: int = 60) -> np.ndarray:
    """An ellipse with a hole, off centre, so that no turn or flip leaves it as it was."""
    yy, xx = np.mgrid[:height, :width]
    radius = np.hypot((yy - 15) / 12, (xx - 35) / 20)
    return (radius < 1) & (radius > 0.3)


def scaled(value: float, dtype: type) -> Save:
    return lambda pixels: Image.fromarray((pixels * value).astype(dtype))


def palette(background: tuple[int, int, int], animal: tuple[int, int, int]) -> Save:
    def save(pixels: np.ndarray) -> Image.Image:
        image = Image.fromarray(pixels.astype(np.uint8))
        image = Image.frombytes("P", image.size, image.tobytes())
        image.putpalette([*background, *animal])
        return image

    return save


def coloured(background: tuple[int, ...], animal: tuple[int, ...], mode: str) -> Save:
    def save(pixels: np.ndarray) -> Image.Image:
        picture = np.where(pixels[..., None], np.uint8(animal), np.uint8(background))
        return Image.fromarray(picture.astype(np.uint8)).convert(mode)

    return save


def cut_out(pixels: np.ndarray) -> Image.Image:
    """A photo whose alpha channel is the mask."""
    photo = np.random.default_rng(0).integers(0, 256, (*pixels.shape, 3), dtype=np.uint8)
    return Image.fromarray(np.dstack([photo, np.uint8(255) * pixels.astype(np.uint8)]))


@pytest.mark.parametrize(
    ("save", "suffix"),
    [
        (scaled(255, np.uint8), "png"),
        (scaled(1, np.uint8), "png"),  # 0 and 1, as arrays are saved
        (scaled(128, np.uint8), "png"),
        (scaled(38, np.uint8), "png"),  # the first class of a palette turned grey
        (lambda pixels: Image.fromarray(pixels), "png"),  # one bit
        (scaled(65535, np.uint16), "png"),
        (scaled(1, np.uint16), "png"),
        (scaled(4095, np.uint16), "tif"),
        (scaled(1, np.float32), "tif"),
        (scaled(255, np.int32), "tif"),
        (palette((0, 0, 0), (128, 0, 0)), "png"),  # as DAVIS and Pascal VOC have it
        (palette((0, 0, 0), (255, 255, 255)), "png"),
        (coloured((0, 0, 0), (255, 255, 255), "RGB"), "png"),
        (coloured((0, 0, 0), (0, 200, 0), "RGB"), "png"),
        (coloured((0, 0, 0), (255, 255, 255), "RGBA"), "png"),  # opaque throughout
        (coloured((0, 0, 0), (255, 255, 255), "LA"), "png"),
        (cut_out, "png"),
        (scaled(255, np.uint8), "jpg"),
        (coloured((0, 0, 0), (255, 255, 255), "RGB"), "jpg"),
    ],
)
def test_every_mode_gives_the_animal(tmp_path: Path, save: Save, suffix: str) -> None:
    path = tmp_path / f"mask.{suffix}"
    save(blob()).save(path)
    np.testing.assert_array_equal(read_mask_file(path), blob())
    assert mask_file_size_hw(path) == (40, 60)


def test_an_inverted_palette_is_read_by_its_colours(tmp_path: Path) -> None:
    palette((255, 255, 255), (0, 0, 0))(~blob()).save(tmp_path / "mask.png")
    np.testing.assert_array_equal(read_mask_file(tmp_path / "mask.png"), blob())


def test_soft_edges_are_cut_at_half(tmp_path: Path) -> None:
    soft = Image.fromarray(np.uint8(255) * blob(200, 300)).filter(ImageFilter.GaussianBlur(2))
    soft.save(tmp_path / "mask.png")
    np.testing.assert_array_equal(read_mask_file(tmp_path / "mask.png"), np.asarray(soft) > 127)


@pytest.mark.parametrize(("value", "expected"), [(0, False), (1, True), (255, True)])
def test_one_value_is_nothing_or_everything(tmp_path: Path, value: int, expected: bool) -> None:
    Image.new("L", (6, 4), value).save(tmp_path / "mask.png")
    np.testing.assert_array_equal(read_mask_file(tmp_path / "mask.png"), np.full((4, 6), expected))


def two_animals(first: int, second: int) -> Save:
    def save(pixels: np.ndarray) -> Image.Image:
        labels = np.where(pixels, np.uint8(first), np.uint8(0))
        labels[:, 40:] = np.where(pixels[:, 40:], np.uint8(second), np.uint8(0))
        return Image.fromarray(labels)

    return save


@pytest.mark.parametrize(
    "save",
    [
        two_animals(1, 2),  # labels
        two_animals(85, 255),  # labels spread over the range
        two_animals(128, 255),
        lambda pixels: Image.fromarray(np.where(pixels, np.uint8(1), np.uint8(2))),  # a trimap
        coloured((255, 0, 0), (0, 0, 255), "RGB"),  # neither colour is black
        lambda pixels: Image.fromarray(
            np.random.default_rng(0).integers(0, 256, (*pixels.shape, 3), dtype=np.uint8)
        ),  # a photo
    ],
)
def test_what_does_not_say_which_is_the_animal_is_refused(tmp_path: Path, save: Save) -> None:
    save(blob()).save(tmp_path / "labels.png")
    with pytest.raises(MaskError, match=r"labels\.png.*Save the animal"):
        read_mask_file(tmp_path / "labels.png")


def test_a_float_without_meaning_is_refused(tmp_path: Path) -> None:
    Image.fromarray(np.float32([[0, np.nan], [1, 1]])).save(tmp_path / "mask.tif")
    with pytest.raises(MaskError, match="finite"):
        read_mask_file(tmp_path / "mask.tif")


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "mask.png"
    write_mask_file(np.random.default_rng(0).random((64, 64)) > 0.5, path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ImageError, match="damaged"):
        read_mask_file(path)


@pytest.mark.parametrize("suffix", ["png", "tif"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_its_own_exif_turns_a_mask(tmp_path: Path, orientation: int, suffix: str) -> None:
    path = tmp_path / f"mask.{suffix}"
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = Image.fromarray(np.uint8(255) * blob())
    stored.save(path, exif=exif)

    upright = read_mask_file(path)

    assert mask_file_size_hw(path) == upright.shape == ((60, 40) if orientation > 4 else (40, 60))
    if orientation == 6:  # a quarter turn clockwise
        np.testing.assert_array_equal(upright, np.rot90(blob(), -1))


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    write_mask_file(blob(), tmp_path / "mask.png")
    np.testing.assert_array_equal(read_mask_file(tmp_path / "mask.png"), blob())
    with Image.open(tmp_path / "mask.png") as image:
        assert image.mode == "L"
        assert image.getextrema() == (0, 255)


def test_real_masks_are_read_as_drawn(shared_data: Path) -> None:
    paths = sorted(shared_data.glob("*/masks/**/*.png"))[::20]
    assert len(paths) > 10
    for path in paths:
        with Image.open(path) as image:
            np.testing.assert_array_equal(read_mask_file(path), np.asarray(image) > 127)
