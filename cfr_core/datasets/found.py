"""The files that a source names, found without opening them, or reported."""

from collections.abc import Iterable
from pathlib import Path

from cfr_core.datasets.file_finder import FileFinder
from cfr_core.datasets.raw import RowNames
from cfr_core.datasets.records import Finding, Severity, SourceTable


def find_images(
    source: SourceTable, names: RowNames, finder: FileFinder
) -> tuple[dict[int, Path], list[Finding]]:
    """Images of the rows that parsing left in.

    Args:
        source: The source as parsed.
        names: What findings call its rows.
        finder: Looks below the source's root.

    Returns:
        Path of each image by the row's position, and a finding for each that is not there.
    """
    set_aside = {f.source_row for f in source.findings if f.severity is Severity.SET_ASIDE}
    paths, findings = {}, []
    for at, file in enumerate(names.files):
        if names.source_rows[at] in set_aside:
            continue
        path = finder.find(file)
        if path is None:
            message = f"there is no such file in {source.root}"
            action = _offer(finder, file, "Copy it there, or correct the name in the source.")
            findings.append(names.set_aside(at, "missing file", message, action))
        else:
            paths[at] = path
    return paths, findings


def find_masks(
    source: SourceTable, names: RowNames, finder: FileFinder, positions: Iterable[int]
) -> tuple[dict[int, Path], list[Finding]]:
    """Mask files of some rows.

    Args:
        source: The source as parsed.
        names: What findings call its rows.
        finder: Looks below the source's root.
        positions: Positions of the rows.

    Returns:
        Path of each mask file by the row's position, and a finding for each that is not there.
    """
    paths, findings = {}, []
    for at in positions:
        reference = source.masks[at]
        if reference is None or not has_mask_file(source, at):
            continue
        path = finder.find(str(reference.value))
        if path is None:
            message = f"there is no mask file {reference.value}"
            action = _offer(finder, str(reference.value), "Copy it there, or draw the mask.")
            findings.append(names.no_mask(at, "missing mask file", message, action))
        else:
            paths[at] = path
    return paths, findings


def has_mask_file(source: SourceTable, at: int) -> bool:
    """True if the mask of a row, by its position, is a file of its own."""
    reference = source.masks[at]
    return reference is not None and reference.kind == "file"


def _offer(finder: FileFinder, name: str, otherwise: str) -> str:
    nearest = finder.nearest(name)
    return f"Did you mean {' or '.join(nearest)}?" if nearest else otherwise
