"""What the four views tell of a photo beside its pictures."""

import pandas as pd

from cfr_core.types import MaskStatus
from components.four_views.view import Shown

_N_AHEAD = 2


def photo_at(rows: pd.DataFrame, place: int) -> Shown:
    """The photo at a place of a dataset.

    Args:
        rows: As of `Workspace.browse`.
        place: From 0.
    """
    row = rows.iloc[place]
    known = [
        row["captured_at"].strftime("%Y-%m-%d %H:%M") if pd.notna(row["captured_at"]) else None,
        *(row[name] for name in ("encounter", "camera", "orientation")),
        row["path"],
    ]
    return Shown(
        row_id=int(row["row_id"]),
        version=int(row["mask_version"]),
        title=row["identity"] if row["is_known"] else "Unknown identity",
        detail=" · ".join(str(text) for text in known if pd.notna(text) and text != ""),
        has_mask=row["mask_status"] == MaskStatus.ACCEPTED.value,
        place=place,
        count=len(rows),
        ahead=_ahead(rows.iloc[place + 1 : place + 1 + _N_AHEAD]),
    )


def _ahead(rows: pd.DataFrame) -> tuple[tuple[int, int], ...]:
    # Without a mask there are no views to be fetched before they are asked for.
    ready = rows[rows["mask_status"] == MaskStatus.ACCEPTED.value]
    return tuple(zip(ready["row_id"].tolist(), ready["mask_version"].tolist(), strict=True))
