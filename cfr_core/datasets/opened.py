"""What the image files of a dataset hold: each distinct file decoded once, to its last byte."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cfr_core.datasets.dates import parse_date
from cfr_core.datasets.threads import map_in_threads
from cfr_core.errors import ImageError
from cfr_core.images import Conversion, decode
from cfr_core.masks.fit import upright_hw
from cfr_core.types import OnProgress


@dataclass(frozen=True)
class ImageFacts:
    """What is known of an image file once it was decoded; the pixels are not kept.

    Attributes:
        path: Absolute path.
        image_hw: Upright size, (height, width) in pixels.
        exif_orientation: 1 to 8, as stored in the file.
        file_sha256: Digest of the file's bytes.
        file_bytes: Size of the file.
        captured_at: EXIF time, camera time without zone; None if absent or unreadable.
        conversions: What decoding had to change.
    """

    path: Path
    image_hw: tuple[int, int]
    exif_orientation: int
    file_sha256: str
    file_bytes: int
    captured_at: datetime | None
    conversions: tuple[Conversion, ...]

    @property
    def stored_hw(self) -> tuple[int, int]:
        """Size before the EXIF orientation was applied, (height, width) in pixels."""
        return upright_hw(self.image_hw, self.exif_orientation)


def open_images(
    paths: Iterable[Path], on_progress: OnProgress
) -> dict[Path, ImageFacts | ImageError]:
    """Decode every distinct file completely, several at a time.

    Args:
        paths: The files, repeated or not.
        on_progress: Called after every file, in this thread.

    Returns:
        For each distinct path what it holds, or why it cannot be decoded.
    """
    distinct = list(dict.fromkeys(paths))
    facts = map_in_threads(
        _open, distinct, stage="Checking images", unit="images", on_progress=on_progress
    )
    return dict(zip(distinct, facts, strict=True))


def _open(path: Path) -> ImageFacts | ImageError:
    try:
        image = decode(path)
    except ImageError as error:
        return error
    height, width = image.pixels.shape[:2]
    return ImageFacts(
        path=path,
        image_hw=(height, width),
        exif_orientation=image.exif_orientation,
        file_sha256=image.file_sha256,
        file_bytes=image.file_bytes,
        captured_at=parse_date(image.captured_at),
        conversions=image.conversions,
    )
