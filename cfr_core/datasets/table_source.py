"""From a table of text to a source: columns get their meaning, cells become boxes, masks, dates."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from cfr_core.datasets.columns import extra_names, recognise
from cfr_core.datasets.dates import DateColumn
from cfr_core.datasets.raw import RawTable, RowNames
from cfr_core.datasets.records import Finding, Severity, SourceTable
from cfr_core.datasets.row_values import (
    Roles,
    read_boxes,
    read_dates,
    read_masks,
    read_sizes,
    texts,
)

_TEXT_ROLES = ("encounter", "camera", "orientation", "split", "species")


def source_from_table(
    table: RawTable, *, kind: str, root: Path, given: Mapping[str, str] | None = None
) -> SourceTable:
    """Read a table of one animal a row.

    The text of a date column is kept as a further column where it says more than the date that
    was read from it (a zone, a day that does not exist, "summer 2019").

    Args:
        table: The table as text.
        kind: Kind of source, as in `SourceTable`.
        root: Folder that relative paths start from.
        given: Role -> column where a person says what a column means; "" for no column.

    Raises:
        InputError: if no column names the images, or `given` does not fit the table.
    """
    recognised = recognise(table, given)
    roles = recognised.columns
    files = tuple(table.cells[roles["path"]].fillna(table.name))
    names = RowNames(files, table.source_rows)
    dates, date_findings = read_dates(table, roles, names)
    sizes, size_findings = read_sizes(table, roles)
    boxes, box_findings = read_boxes(table, roles, names)
    masks, mask_findings = (
        read_masks(table, roles["mask"], sizes, names)
        if "mask" in roles
        else ((None,) * len(table.cells), [])
    )
    findings = (
        *(*table.findings, *recognised.findings, *_without_path(table, roles, names)),
        *(*date_findings, *size_findings, *box_findings, *mask_findings),
    )
    frame = pd.concat([_columns(table, roles, dates), _extras(table, roles, dates)], axis=1)
    column_roles = {name: role for role, name in roles.items()}
    once = _one_reason_a_row(findings)
    return SourceTable(kind, root, frame, boxes, masks, sizes, column_roles, once)


def _columns(table: RawTable, roles: Roles, dates: DateColumn | None) -> pd.DataFrame:
    empty = [None] * len(table.cells)
    no_dates = np.full(len(table.cells), np.datetime64("NaT"), dtype="datetime64[s]")
    columns = {role: texts(table, roles[role]) if role in roles else empty for role in _TEXT_ROLES}
    identity = texts(table, roles["identity"]) if "identity" in roles else empty
    return pd.DataFrame(
        {
            "source_row": table.source_rows,
            "path": pd.array([text or "" for text in texts(table, roles["path"])], dtype="string"),
            "identity": pd.array(identity, dtype="string"),
            "captured_at": dates.captured_at if dates else no_dates,
            **{role: pd.array(cells, dtype="string") for role, cells in columns.items()},
        }
    )


def _extras(table: RawTable, roles: Roles, dates: DateColumn | None) -> pd.DataFrame:
    consumed = set(roles.values())
    if dates and not dates.is_plain:
        consumed.discard(roles["captured_at"])
    names = extra_names([name for name in table.cells.columns if name not in consumed])
    return table.cells[list(names)].rename(columns=names)


def _one_reason_a_row(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings with the first reason only for which each row was set aside: the others follow."""
    seen: set[int | None] = set()
    kept = []
    for finding in findings:
        if finding.severity is Severity.SET_ASIDE:
            if finding.source_row in seen:
                continue
            seen.add(finding.source_row)
        kept.append(finding)
    return tuple(kept)


def _without_path(table: RawTable, roles: Roles, names: RowNames) -> list[Finding]:
    message = f'the cell of "{roles["path"]}" is empty'
    action = "Name the image file of this row."
    empty = np.flatnonzero(table.cells[roles["path"]].isna().to_numpy())
    return [names.set_aside(int(at), "no file named", message, action) for at in empty]
