"""Room for a dataset: what must be free before it is stored, and what goes when it is replaced."""

import re

import duckdb

from cfr_core.errors import InputError

_DATASET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_OF_ROWS = ("masks", "mask_candidates", "mask_scenes")
"""Tables by row id, whose lines go with their row."""


def check_room(cursor: duckdb.DuckDBPyConnection, name: str, *, replace: bool) -> None:
    """Refuse a name that is taken, is no plain name, or holds work that would be lost.

    Raises:
        InputError: with what to do.
    """
    if not _DATASET_NAME.fullmatch(name):
        raise InputError(
            f"dataset name {name!r}: use letters, digits, '.', '_' and '-', at most 80"
        )
    if not _count(cursor, "datasets WHERE name = ?", name):
        return
    if not replace:
        raise InputError(f"dataset {name!r} exists; choose another name, or ask to replace it")
    made_here = _count(
        cursor,
        "masks JOIN rows USING (row_id) "
        "WHERE dataset = ? AND (masks.source <> 'dataset' OR by_person)",
        name,
    )
    made_here += _count(
        cursor, "blind_masks JOIN blind_audits USING (audit_id) WHERE dataset = ?", name
    )
    if made_here:
        raise InputError(
            f"dataset {name!r} holds {made_here} masks made in this workspace; replacing it "
            "would lose them: import under another name"
        )


def clear_room(cursor: duckdb.DuckDBPyConnection, name: str) -> None:
    """Take a dataset out with all that belongs to its rows."""
    for table in _OF_ROWS:
        cursor.execute(
            f"DELETE FROM {table} WHERE row_id IN (SELECT row_id FROM rows WHERE dataset = ?)",
            [name],
        )
    of_dataset = "audit_id IN (SELECT audit_id FROM blind_audits WHERE dataset = ?)"
    cursor.execute(f"DELETE FROM blind_rows WHERE {of_dataset}", [name])
    cursor.execute("DELETE FROM blind_audits WHERE dataset = ?", [name])
    cursor.execute("DELETE FROM rows WHERE dataset = ?", [name])
    cursor.execute("DELETE FROM datasets WHERE name = ?", [name])


def _count(cursor: duckdb.DuckDBPyConnection, lines: str, name: str) -> int:
    # fetchall, since DuckDB keeps a connection busy until a result is read to its end.
    return int(cursor.execute(f"SELECT count(*) FROM {lines}", [name]).fetchall()[0][0])
