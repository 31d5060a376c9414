"""The only image decoder: every file becomes upright RGB uint8, or an error that names it.

Rules, the same for display, masks and models:
- EXIF orientation is applied once, here. Coordinates everywhere else are upright pixels.
- Transparent pixels are composited on `MATTE_RGB`.
- Greyscale deeper than 8 bits is scaled by its depth, never clipped: the depth a TIFF declares,
  else 12 bits if no value is above 4095, else 16 bits.
- Files are decoded to the last byte; a truncated file is an error, not a picture with flat rows.
- Of an animation or multi-page file the first frame counts.
"""

import hashlib
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import cv2
import numpy as np
import pillow_heif
import pyarrow as pa
from PIL import Image, UnidentifiedImageError

from cfr_core.errors import ImageError
from cfr_core.types import RGB, ImageArray

pillow_heif.register_heif_opener()

# Pillow warns of large photos (from 89 megapixels; it refuses from 179) and of damaged EXIF blocks,
# whose picture is still good. Set once, because a filter for a while is not safe in threads.
warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.")
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)

MATTE_RGB: RGB = (255, 255, 255)
"""Colour under transparent pixels."""

_EXIF_ORIENTATION = 0x0112
_TIFF_BITS_PER_SAMPLE = 258
_DEEP_GREY_MODES = frozenset({"I", "I;16", "I;16B", "I;16L", "I;16N"})
_MAX_12_BIT = (1 << 12) - 1
_MAX_16_BIT = (1 << 16) - 1


class Conversion(StrEnum):
    """What decoding had to change beyond turning the picture upright."""

    TRANSPARENCY = "transparent pixels composited on white"
    DEPTH_12 = "12-bit greyscale scaled to 8 bits"
    DEPTH_16 = "16-bit greyscale scaled to 8 bits"
    FLOAT = "floating-point greyscale scaled to 8 bits"
    CMYK = "CMYK converted to RGB"
    FIRST_FRAME = "first of several frames used"


@dataclass(frozen=True)
class DecodedImage:
    """A decoded file.

    Attributes:
        pixels: (H, W, 3) uint8, RGB, upright.
        exif_orientation: 1 to 8 as stored in the file; already applied to `pixels`.
        conversions: What decoding had to change.
        captured_at: EXIF DateTimeOriginal or DateTime as written ("2019:07:14 08:30:00"), or "".
        file_sha256: Digest of the file's bytes, those that were decoded.
        file_bytes: Size of the file.
    """

    pixels: ImageArray
    exif_orientation: int
    conversions: tuple[Conversion, ...]
    captured_at: str
    file_sha256: str
    file_bytes: int


def decode(path: Path, *, expected_sha256: str | None = None) -> DecodedImage:
    """Decode a file completely.

    Args:
        path: Any format that Pillow or libheif reads.
        expected_sha256: Digest that the file must have, or None for any.

    Raises:
        ImageError: if the file is absent, empty, no image, truncated, too large or of another
            content than expected; the message names the file and the reason.
    """
    content = _read(path)
    digest = hashlib.sha256(content).hexdigest()
    if expected_sha256 not in (None, digest):
        raise ImageError(
            f"{path}: the file has changed since it was imported; import it again", "changed file"
        )
    with _opened(path, content) as image:
        conversions = [Conversion.FIRST_FRAME] if _is_sequence(image) else []
        orientation = exif_orientation(image)
        captured_at = _exif_time(image.getexif())
        image.load()
        rgb, changed = _to_rgb(image, path)
        # Pillow turns a TIFF upright by itself while it loads.
        upright = rgb if image.format == "TIFF" else apply_exif(rgb, orientation)
    return DecodedImage(
        pixels=_pixels(upright),
        exif_orientation=orientation,
        conversions=(*conversions, *changed),
        captured_at=captured_at,
        file_sha256=digest,
        file_bytes=len(content),
    )


def _pixels(rgb: Image.Image) -> ImageArray:
    """(H, W, 3) uint8 of an RGB image.

    Pillow keeps four bytes a pixel. By Arrow they are read where they lie, in half the time that
    np.asarray needs, for which they are packed and joined in small pieces.
    """
    try:
        values = pa.array(rgb).flatten()
    except ValueError:  # from 4 megapixels on they lie in several blocks
        return np.array(rgb)
    four = np.asarray(values).reshape(rgb.height, rgb.width, 4)
    return np.asarray(cv2.cvtColor(four, cv2.COLOR_RGBA2RGB), np.uint8)


@contextmanager
def open_image(path: Path) -> Iterator[Image.Image]:
    """Open an image file as stored, undecoded; a failure inside the block is an `ImageError` too.

    Raises:
        ImageError: with the file, what is wrong in words, and a short key for it.
    """
    with _opened(path, _read(path)) as image:
        yield image


def exif_orientation(image: Image.Image) -> int:
    """EXIF orientation of an opened image, 1 to 8; 1 where it is absent or makes no sense."""
    value = image.getexif().get(_EXIF_ORIENTATION, 1)
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def crop(pixels: ImageArray, bbox_xywh: tuple[int, int, int, int] | None) -> ImageArray:
    """Cut a box out of an upright image, as a view of the same memory.

    Args:
        pixels: (H, W, 3) uint8.
        bbox_xywh: Box in pixels inside the image, or None for all of it.

    Raises:
        ImageError: if the box reaches past the image: borders are never invented.
    """
    if bbox_xywh is None:
        return pixels
    x, y, w, h = bbox_xywh
    height, width = pixels.shape[:2]
    if x < 0 or y < 0 or w <= 0 or h <= 0 or x + w > width or y + h > height:
        raise ImageError(f"box {bbox_xywh} is not inside the image of {width} x {height} px")
    return pixels[y : y + h, x : x + w]


def apply_exif(image: Image.Image, orientation: int) -> Image.Image:
    """Turn a picture, or a mask drawn on its stored pixels, upright.

    Args:
        image: Picture as stored.
        orientation: EXIF orientation 1 to 8; other values are read as 1.
    """
    method = _TRANSPOSE.get(orientation)
    return image if method is None else image.transpose(method)


_TRANSPOSE = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ImageError(f"{path}: no such file", "missing file") from None
    except OSError as error:
        raise ImageError(f"{path}: cannot be read ({error.strerror})", "unreadable file") from error


@contextmanager
def _opened(path: Path, content: bytes) -> Iterator[Image.Image]:
    try:
        with Image.open(io.BytesIO(content)) as image:
            yield image
    except ImageError:
        raise
    except UnidentifiedImageError:
        reason, words = _what_it_is(content)
        raise ImageError(f"{path}: {words}", reason) from None
    except Image.DecompressionBombError as error:
        raise ImageError(f"{path}: refused as too large ({error})", "too large") from None
    except Exception as error:
        # On a damaged file Pillow's readers raise RuntimeError, TypeError, struct.error, ...
        raise ImageError(
            f"{path}: damaged image, cannot be decoded to its end ({error})", "damaged image"
        ) from error


def _is_sequence(image: Image.Image) -> bool:
    # The further frames of an MPO are previews or the other eye of a stereo camera.
    return image.format != "MPO" and getattr(image, "n_frames", 1) > 1


def _what_it_is(content: bytes) -> tuple[str, str]:
    if not content:
        return "empty file", "the file is empty (0 bytes); copy it again"
    if content[:512].lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        return "web page", "a web page saved under an image's name; download the image itself"
    return "not an image", "not an image in a known format"


def _to_rgb(image: Image.Image, path: Path) -> tuple[Image.Image, list[Conversion]]:
    if image.mode == "RGB" and "transparency" not in image.info:
        return image, []
    if image.mode in _DEEP_GREY_MODES:
        return _scale_deep_grey(image, path)
    if image.mode == "F":
        return _scale_float(image, path)
    if image.mode == "CMYK":
        return image.convert("RGB"), [Conversion.CMYK]
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        if rgba.getchannel("A").getextrema() == (255, 255):  # an alpha channel that hides nothing
            return rgba.convert("RGB"), []
        matte = Image.new("RGBA", rgba.size, (*MATTE_RGB, 255))
        return Image.alpha_composite(matte, rgba).convert("RGB"), [Conversion.TRANSPARENCY]
    return image.convert("RGB"), []


def _scale_deep_grey(image: Image.Image, path: Path) -> tuple[Image.Image, list[Conversion]]:
    values = np.asarray(image).astype(np.int64)
    if values.min() < 0 or values.max() > _MAX_16_BIT:
        raise ImageError(
            f"{path}: grey values from {values.min()} to {values.max()}; at most 16 bits are read"
        )
    declared = getattr(image, "tag_v2", {}).get(_TIFF_BITS_PER_SAMPLE, (16,))[0]
    is_12_bit = declared == 12 or values.max() <= _MAX_12_BIT
    top = _MAX_12_BIT if is_12_bit else _MAX_16_BIT
    grey = Image.fromarray(((values * 255 + top // 2) // top).astype(np.uint8))
    return grey.convert("RGB"), [Conversion.DEPTH_12 if is_12_bit else Conversion.DEPTH_16]


def _scale_float(image: Image.Image, path: Path) -> tuple[Image.Image, list[Conversion]]:
    values = np.asarray(image)
    if not np.isfinite(values).all() or values.min() < 0 or values.max() > 255:
        raise ImageError(f"{path}: floating-point values must lie within 0..1 or 0..255")
    scale = 255 if values.max() <= 1 else 1
    grey = Image.fromarray(np.rint(values * scale).astype(np.uint8))
    return grey.convert("RGB"), [Conversion.FLOAT]


_EXIF_IFD = 0x8769
_EXIF_DATETIME_ORIGINAL = 0x9003
_EXIF_DATETIME = 0x0132


def _exif_time(exif: Image.Exif) -> str:
    original = exif.get_ifd(_EXIF_IFD).get(_EXIF_DATETIME_ORIGINAL)
    return str(original or exif.get(_EXIF_DATETIME) or "").strip("\x00 ")
