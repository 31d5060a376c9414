"""What a mask must be before it is stored, and the words where it is not."""

from collections.abc import Sequence

import duckdb

from cfr_core.errors import MaskConflictError, MaskError, UnknownRowError
from cfr_core.masks.rle import area_px
from cfr_core.types import Mask, MaskStatus

_CROP_SIZES = """
    SELECT row_id, coalesce(bbox_h, height), coalesce(bbox_w, width) FROM rows
    WHERE row_id IN (SELECT unnest(?::BIGINT[]))
"""


def check_pixels(mask: Mask) -> None:
    """Refuse run lengths that do not fill their size, and an accepted mask without a pixel.

    Raises:
        MaskError: with the row and what to do.
    """
    if not area_px(mask) and mask.status is MaskStatus.ACCEPTED:
        raise MaskError(empty_words(mask.row_id))


def check_sizes(cursor: duckdb.DuckDBPyConnection, masks: Sequence[Mask]) -> None:
    """Refuse masks of rows that are not there, and masks of another size than their crops.

    Raises:
        UnknownRowError: if there is no such row.
        MaskError: with both sizes.
    """
    found = cursor.execute(_CROP_SIZES, [[mask.row_id for mask in masks]]).fetchall()
    sizes = {row_id: (height, width) for row_id, height, width in found}
    for mask in masks:
        if mask.row_id not in sizes:
            raise UnknownRowError(
                f"there is no row {mask.row_id} in this workspace; its dataset may have been "
                "replaced"
            )
        if mask.size_hw != sizes[mask.row_id]:
            height, width = sizes[mask.row_id]
            raise MaskError(
                f"the mask of row {mask.row_id} is {mask.size_hw[1]} x {mask.size_hw[0]} px, its "
                f"crop {width} x {height} px: draw it on the crop"
            )


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
