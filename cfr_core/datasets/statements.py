"""What an import states about itself: role, unknown names, masks, dates, sizes."""

from collections.abc import Iterator, Mapping, Sequence

from cfr_core.datasets.boxes import Crop
from cfr_core.datasets.frames import Frames
from cfr_core.datasets.raw import RowNames
from cfr_core.datasets.records import Annotations, DatasetCard, Finding, Severity
from cfr_core.datasets.rows import OpenedRow
from cfr_core.masks.fit import upright_hw


def dataset_statements(
    card: DatasetCard, annotations: Annotations, *, n_masks: int, had_dates: bool
) -> Iterator[Finding]:
    """What was decided for the dataset as a whole, by default or by what it holds.

    Args:
        card: The dataset.
        annotations: Its checked rows.
        n_masks: Masks that came with it.
        had_dates: False if the dates were taken from EXIF.
    """
    table = annotations.table
    yield _note(
        card.name,
        "silhouette role",
        f"the role of the outline is {card.silhouette_role} ({card.role_source})",
        "Give the role if it is another one, before you look at results.",
    )
    n_unknown = int((~table["is_known"]).sum())
    yield _note(
        card.name,
        "unknown identities",
        f"{n_unknown} of {len(table)} rows are of unknown identity "
        f"({int(table['identity'].isna().sum())} without a name); unknown names are "
        f"{', '.join(map(repr, card.unknown_identities)) or 'none'}",
        "They are neither queries nor gallery. Give other unknown names if these are not right.",
    )
    if n_masks:
        yield _note(
            card.name,
            "masks accepted",
            f"{n_masks} masks came with the dataset and are accepted without review",
            "Look at a sample of them in the gallery.",
        )
    if n_masks < len(table):
        yield _note(
            card.name,
            "rows without a mask",
            f"{len(table) - n_masks} of {len(table)} rows have no mask, and are in no audit",
            "Make masks for them.",
        )
    if not had_dates:
        n_dates = int(table["captured_at"].notna().sum())
        yield _note(
            card.name,
            "dates from EXIF",
            f"the source has no dates: {n_dates} of {len(table)} rows take theirs from EXIF",
            "Add a date column if the camera's clock is not to be trusted.",
        )


def reading_notes(
    rows: Sequence[OpenedRow],
    crops: Mapping[int, Crop],
    frames: Frames,
    names: RowNames,
    *,
    source: str,
) -> Iterator[Finding]:
    """Paths and boxes that were not taken to the letter, and images of another size than stated.

    Args:
        rows: The rows that are used.
        crops: The crop of each of them, by position in the source.
        frames: In which pixels the coordinates are.
        names: What findings call the rows.
        source: What findings call the source.
    """
    n_rounded = sum(crop.is_rounded for crop in crops.values())
    if n_rounded:
        message = f"{n_rounded} boxes have fractions of pixels: their edges are rounded"
        yield _note(source, "boxes rounded", message, "Nothing, if the crops look right.")
    n_slashed = sum("\\" in names.files[row.at] and "\\" not in str(row.image.path) for row in rows)
    if n_slashed:
        message = f"{n_slashed} paths are written with backslashes, which are read as slashes"
        yield _note(source, "backslashes", message, "Nothing.")
    for row in rows:
        if row.stated_hw is None or row.box is not None:
            continue
        is_stored = row.at in frames.annotations
        stated = upright_hw(row.stated_hw, row.image.exif_orientation if is_stored else 1)
        if stated != row.image.image_hw:
            (height, width), (file_height, file_width) = row.stated_hw, row.image.image_hw
            message = (
                f"the source says {width} x {height} px, the file has {file_width} x {file_height}"
            )
            yield names.note(row.at, "stated size differs", message, "Check that it is this file.")


def _note(file: str, reason: str, message: str, action: str) -> Finding:
    return Finding(Severity.NOTE, reason, file, None, message, action)
