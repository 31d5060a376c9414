"""A row of a source whose image could be opened, and the error that concerns one row alone."""

from dataclasses import dataclass
from pathlib import Path

from cfr_core.datasets.opened import ImageFacts
from cfr_core.datasets.records import MaskReference
from cfr_core.errors import InputError


@dataclass(frozen=True)
class OpenedRow:
    """What the source says of one row, beside what its image holds.

    Attributes:
        at: Position in the source table, from 0.
        image: The opened image.
        box: (x, y, w, h) as written, in pixels, or None for the whole image.
        stated_hw: (height, width) that the source states for the image, or None.
        mask: Where the mask is, or None.
        mask_path: File of the mask, if it is one and was found.
    """

    at: int
    image: ImageFacts
    box: tuple[float, float, float, float] | None
    stated_hw: tuple[int, int] | None
    mask: MaskReference | None
    mask_path: Path | None


class RowError(InputError):
    """One row, or its mask, cannot be used; it becomes a finding and never stops the rest.

    Attributes:
        reason: Short key to count by.
        message: What was expected and what came.
        action: What to do about it.
    """

    def __init__(self, reason: str, message: str, action: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.action = action
