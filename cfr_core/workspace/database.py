"""The workspace's database: opened by one process, used from any of its threads."""

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pandas as pd

from cfr_core.errors import WorkspaceError
from cfr_core.workspace.schema import migrate

Parameters: TypeAlias = Sequence[object] | Mapping[str, object]
"""Values of the question marks, or of the names, of a query."""

_LOCK_HOLDER = re.compile(r"PID (\d+)")


class Database:
    """Reads and transactions that threads may ask for at the same time.

    A DuckDB connection runs one statement at a time and a transaction belongs to it, so each read
    and each transaction gets a cursor of its own (16 us, against 1 ms for the smallest query).
    Writers wait for one another, since DuckDB refuses the second of two that touch the same rows.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, making it and its folder if they are absent.

        Raises:
            WorkspaceError: if another process has it open (its PID is named), if it is damaged,
                or if a newer version wrote it.
        """
        self._connection = _connect(path)
        self._writing = threading.Lock()
        self._revision = time.monotonic_ns()

    @property
    def revision(self) -> int:
        """Another number after each transaction and each opening."""
        return self._revision

    def read(self, query: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._connection.cursor() as cursor:
            return cursor.execute(query, parameters).fetchall()

    def read_table(self, query: str, parameters: Parameters = ()) -> pd.DataFrame:
        """All rows of a query as a table, text as "string" columns."""
        with self._connection.cursor() as cursor:
            table = cursor.execute(query, parameters).df()
        is_text = {name: "string" for name in table.columns if table[name].dtype == object}
        return table.astype(is_text)

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor whose statements are committed together, or not at all after an error."""
        with self._writing, self._connection.cursor() as cursor:
            cursor.execute("BEGIN")
            try:
                yield cursor
            except BaseException:
                cursor.execute("ROLLBACK")
                raise
            cursor.execute("COMMIT")
            self._revision += 1

    def close(self) -> None:
        """Let go of the file, so that another process may open it."""
        self._connection.close()


def insert(
    cursor: duckdb.DuckDBPyConnection, table: str, rows: pd.DataFrame, *, replace: bool = False
) -> None:
    """Add rows to a table by column name; columns that are not given take their defaults.

    Args:
        cursor: Of a transaction.
        table: The table.
        rows: What to add.
        replace: Put them in place of rows with the same key.
    """
    if rows.empty:
        return
    cursor.register("new_rows", rows)
    verb = "INSERT OR REPLACE INTO" if replace else "INSERT INTO"
    cursor.execute(f"{verb} {table} BY NAME SELECT * FROM new_rows")
    cursor.unregister("new_rows")


def now() -> str:
    """The time of a record: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    root = path.parent
    try:
        root.mkdir(parents=True, exist_ok=True)
        connection = duckdb.connect(str(path))
    except OSError as error:
        raise WorkspaceError(f"the workspace {root} cannot be made or written: {error}") from error
    except duckdb.IOException as error:
        holder = _LOCK_HOLDER.search(str(error))
        if holder is None:
            raise WorkspaceError(f"the workspace {root} cannot be opened: {error}") from error
        raise WorkspaceError(
            f"the workspace {root} is open in process {holder.group(1)}; close it there first"
        ) from None
    except duckdb.Error as error:
        raise WorkspaceError(f"{path} is damaged: {error}") from error
    try:
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection
