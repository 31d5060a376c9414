"""What a mask must be before it is stored, and the words where it is not."""

from cfr_core.errors import MaskConflictError, MaskError
from cfr_core.masks.rle import area_px
from cfr_core.types import Mask, MaskStatus


def check_pixels(mask: Mask) -> None:
    """Refuse run lengths that do not fill their size, and an accepted mask without a pixel.

    Raises:
        MaskError: with the row and what to do.
    """
    if not area_px(mask) and mask.status is MaskStatus.ACCEPTED:
        raise MaskError(empty_words(mask.row_id))


def empty_words(row_id: int) -> str:
    """Why an empty mask is not accepted."""
    return (
        f"the mask of row {row_id} is empty, and an empty mask hides nothing: draw the animal, "
        "or reject the mask and say why"
    )


def conflict(newer: Mask, version: int, based_on: int) -> MaskConflictError:
    """Error of an edit that started from an older version than the current one."""
    who = newer.author or "somebody"
    return MaskConflictError(
        f"{who} saved version {version} of the mask of row {newer.row_id} ({newer.status.value}, "
        f"{newer.created_at or 'time unknown'}), but this edit started from version {based_on}: "
        "look at the newer one, then save again or keep it",
        version=version,
        author=newer.author,
        created_at=newer.created_at,
    )
