"""What is worth knowing of rows that are used as they are: repeats, look-alike names, dates."""

import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import pandas as pd

from cfr_core.datasets.opened import ImageFacts
from cfr_core.datasets.records import Annotations, Finding, Severity

Key = TypeVar("Key", bound=Hashable)

_MAX_NAMED = 5
_BOX = ["bbox_x", "bbox_y", "bbox_w", "bbox_h"]


def row_notes(
    annotations: Annotations,
    images: Sequence[ImageFacts],
    unknown_identities: Sequence[str],
    *,
    source: str,
) -> list[Finding]:
    """Everything of this module.

    Args:
        annotations: Checked rows.
        images: The image of each row.
        unknown_identities: Names that were read as unknown.
        source: What findings call the source.
    """
    table = annotations.table
    return [
        *duplicate_files(table, images),
        *repeated_rows(table, images),
        *similar_identities(table, source=source),
        *unknown_look_alikes(table, unknown_identities, source=source),
        *exif_dates(table, images),
    ]


def duplicate_files(table: pd.DataFrame, images: Sequence[ImageFacts]) -> list[Finding]:
    """Groups of different files of the same content, with whether their identities agree.

    Args:
        table: Checked rows, with the columns of `COLUMNS`.
        images: The image of each row.
    """
    findings = []
    for rows in _groups(table["file_sha256"]):
        files = {images[at].path: at for at in reversed(rows)}
        if len(files) == 1:
            continue
        names = sorted(str(table["path"].iloc[at]) for at in files.values())
        agree, identities = _agreement(table, rows)
        findings.append(
            _on_row(
                table,
                rows[0],
                f"duplicate files, {agree}",
                f"{len(files)} files have the same content ({_list(names)}); {identities}",
                "Keep one of them: a copy in the gallery is found by its pixels, not its animal.",
            )
        )
    return findings


def repeated_rows(table: pd.DataFrame, images: Sequence[ImageFacts]) -> list[Finding]:
    """Groups of rows that show the same crop of the same file.

    Args:
        table: Checked rows, with the columns of `COLUMNS`.
        images: The image of each row.
    """
    boxes = table[_BOX].fillna(-1).itertuples(index=False, name=None)
    findings = []
    for rows in _groups(zip((image.path for image in images), boxes, strict=True)):
        agree, identities = _agreement(table, rows)
        numbers = _list(str(table["source_row"].iloc[at]) for at in rows)
        findings.append(
            _on_row(
                table,
                rows[0],
                f"repeated row, {agree}",
                f"rows {numbers} are the same crop of the same file; {identities}",
                "Keep one of them; correct its box or identity if two animals are meant.",
            )
        )
    return findings


def similar_identities(table: pd.DataFrame, *, source: str) -> list[Finding]:
    """Known names that differ only in case, spaces or form of their letters; all are kept apart.

    Args:
        table: Checked rows, with the columns of `COLUMNS`.
        source: What findings call the source.
    """
    names = sorted(table["identity"][table["is_known"]].unique())
    groups = ([names[at] for at in group] for group in _groups(map(_letters, names)))
    return [
        Finding(
            Severity.NOTE,
            "identities alike",
            source,
            None,
            f"{_list(map(repr, alike))} are kept as {len(alike)} different identities",
            "If one animal is meant, write it in one way.",
        )
        for alike in groups
    ]


def unknown_look_alikes(
    table: pd.DataFrame, unknown_identities: Sequence[str], *, source: str
) -> list[Finding]:
    """Names taken for known animals that look like one of the unknown names.

    Args:
        table: Checked rows, with the columns of `COLUMNS`.
        unknown_identities: Names that were read as unknown.
        source: What findings call the source.
    """
    unknown = {_letters(name) for name in unknown_identities}
    counts = table["identity"][table["is_known"]].value_counts()
    return [
        Finding(
            Severity.NOTE,
            "identity looks unknown",
            source,
            None,
            f"{name!r} ({count} rows) is taken for a known animal, because it is not one of the "
            f"unknown names {_list(map(repr, unknown_identities))}",
            "If nobody knows the animal, add this spelling to the unknown names.",
        )
        for name, count in counts.items()
        if _letters(str(name)) in unknown
    ]


def exif_dates(table: pd.DataFrame, images: Sequence[ImageFacts]) -> list[Finding]:
    """Rows whose date is more than a day away from the one in their image's EXIF.

    Args:
        table: Checked rows, with the columns of `COLUMNS`.
        images: The image of each row.
    """
    from_exif = pd.Series([image.captured_at for image in images], dtype="datetime64[s]")
    apart = (table["captured_at"] - from_exif).abs() > pd.Timedelta(days=1)
    return [
        _on_row(
            table,
            at,
            "date differs from EXIF",
            f"the source says {table['captured_at'].iloc[at]:%Y-%m-%d}, the camera's EXIF "
            f"{from_exif.iloc[at]:%Y-%m-%d}; the source is followed",
            "Check the camera's clock, or correct the date.",
        )
        for at in map(int, apart.to_numpy().nonzero()[0])
    ]


def _groups(keys: Iterable[Key]) -> list[list[int]]:
    """Positions that share a key, where there are at least two, in order of their first."""
    positions: dict[Key, list[int]] = defaultdict(list)
    for at, key in enumerate(keys):
        positions[key].append(at)
    return [group for group in positions.values() if len(group) > 1]


def _agreement(table: pd.DataFrame, rows: list[int]) -> tuple[str, str]:
    """Whether rows carry the same identity: as a short key and in words."""
    names = sorted(table["identity"].iloc[rows].fillna("").unique())
    if len(names) == 1:
        return "same identity", f"all are {names[0]!r}" if names[0] else "none has an identity"
    shown = _list(repr(name) if name else "no identity" for name in names)
    return "identities differ", f"their identities differ: {shown}"


def _letters(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def _list(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - _MAX_NAMED} more" if len(shown) > _MAX_NAMED else ""
    return ", ".join(shown[:_MAX_NAMED]) + more


def _on_row(table: pd.DataFrame, at: int, reason: str, message: str, action: str) -> Finding:
    row = table.iloc[at]
    return Finding(Severity.NOTE, reason, str(row["path"]), int(row["source_row"]), message, action)
