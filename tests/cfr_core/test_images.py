"""Decoding: one orientation, one depth, one background, and no picture from a damaged file."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from cfr_core.errors import ImageError
from cfr_core.fingerprint import file_sha256
from cfr_core.images import Conversion, crop, decode


def gradient(height: int = 24, width: int = 40) -> np.ndarray:
    """An image in which no two rows, columns or corners look alike."""
    yy, xx = np.mgrid[:height, :width]
    return np.stack([yy * 255 // height, xx * 255 // width, (yy + xx) * 2], -1).astype(np.uint8)


@pytest.mark.parametrize("suffix", ["png", "tif"])  # Pillow itself turns a TIFF on loading
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied_as_pillow_does(
    tmp_path: Path, orientation: int, suffix: str
) -> None:
    path = tmp_path / f"photo.{suffix}"
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(gradient()).save(path, exif=exif)

    decoded = decode(path)

    with Image.open(path) as stored:
        expected = np.asarray(ImageOps.exif_transpose(stored))
    np.testing.assert_array_equal(decoded.pixels, expected)
    assert decoded.exif_orientation == orientation


@pytest.mark.parametrize(
    ("top", "conversion"),
    [
        (65535, Conversion.DEPTH_16),  # full 16-bit range
        (4095, Conversion.DEPTH_12),  # 12 bits in a 16-bit container, as thermal cameras write
    ],
)
def test_deep_grey_is_scaled_not_clipped(tmp_path: Path, top: int, conversion: Conversion) -> None:
    path = tmp_path / "deep.png"
    Image.fromarray(np.linspace(0, top, 64 * 64).reshape(64, 64).astype(np.uint16)).save(path)

    decoded = decode(path)

    assert decoded.conversions == (conversion,)
    assert decoded.pixels.min() == 0
    assert decoded.pixels.max() == 255
    assert 120 < decoded.pixels.mean() < 135  # a linear ramp stays one


def test_transparency_is_composited_on_white(tmp_path: Path) -> None:
    path = tmp_path / "clear.png"
    Image.new("RGBA", (4, 4), (200, 0, 0, 0)).save(path)

    decoded = decode(path)

    assert decoded.conversions == (Conversion.TRANSPARENCY,)
    assert (decoded.pixels == 255).all()


@pytest.mark.parametrize("mode", ["L", "P", "1", "CMYK", "YCbCr", "LA"])
def test_every_mode_becomes_rgb(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "photo.tif"
    if mode == "YCbCr":
        path = tmp_path / "photo.jpg"
    Image.fromarray(gradient()).convert("L").convert(mode if mode != "YCbCr" else "RGB").save(path)

    assert decode(path).pixels.shape == (24, 40, 3)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "0 bytes"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "web page"),
        (b"GARBAGE" * 40, "not an image"),
    ],
)
def test_what_is_no_image_says_what_it_is(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(content)

    with pytest.raises(ImageError, match=words) as error:
        decode(path)
    assert "photo.jpg" in str(error.value)


def test_a_truncated_jpeg_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    rng = np.random.default_rng(0)
    Image.fromarray(rng.integers(0, 255, (200, 300, 3), dtype=np.uint8)).save(path)
    path.write_bytes(path.read_bytes()[:-2000])

    with pytest.raises(ImageError, match="damaged"):
        decode(path)


def test_an_opaque_alpha_channel_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "opaque.png"
    Image.fromarray(gradient()).convert("RGBA").save(path)

    decoded = decode(path)

    assert decoded.conversions == ()
    np.testing.assert_array_equal(decoded.pixels, gradient())


@pytest.mark.filterwarnings("ignore:::PIL")  # pytest drops the filter that images.py sets
@pytest.mark.parametrize("suffix", ["jpg", "tif", "webp", "avif"])
def test_whatever_a_damaged_file_holds_only_image_errors_come_out(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"photo.{suffix}"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(gradient()).save(path, exif=exif)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    n_refused = 0
    for _ in range(150):
        damaged = bytearray(content)
        for place in rng.integers(0, min(300, len(content)), 3):
            damaged[place] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            decode(path)
        except ImageError:
            n_refused += 1
    assert n_refused > 10


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"gone\.jpg: no such file"):
        decode(tmp_path / "gone.jpg")


def test_a_file_that_changed_since_its_import_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    Image.fromarray(gradient()).save(path)
    digest = file_sha256(path)
    assert decode(path, expected_sha256=digest).pixels.shape == (24, 40, 3)
    Image.fromarray(gradient()[::-1]).save(path)
    with pytest.raises(ImageError, match="changed since it was imported"):
        decode(path, expected_sha256=digest)


def test_crop_is_exact_and_never_invents_a_border() -> None:
    pixels = gradient()
    np.testing.assert_array_equal(crop(pixels, (3, 5, 30, 10)), pixels[5:15, 3:33])
    with pytest.raises(ImageError, match="not inside"):
        crop(pixels, (3, 5, 38, 10))


@pytest.mark.parametrize("size_hw", [(1, 1), (37, 53), (2100, 2000)])  # the last in several blocks
def test_pixels_of_every_size_are_the_files_own(tmp_path: Path, size_hw: tuple[int, int]) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (*size_hw, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "photo.bmp")
    decoded = decode(tmp_path / "photo.bmp").pixels
    np.testing.assert_array_equal(decoded, pixels)
    assert decoded.flags.c_contiguous
