"""The database under several threads."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from cfr_core.errors import WorkspaceError
from cfr_core.workspace.database import Database


@pytest.fixture
def database(tmp_path: Path):
    database = Database(tmp_path / "new" / "audit.duckdb")
    with database.transaction() as cursor:
        cursor.execute("CREATE TABLE counts (name VARCHAR, n BIGINT)")
        cursor.execute("INSERT INTO counts VALUES ('a', 0), ('b', 0)")
    yield database
    database.close()


def in_threads(n: int, work: Callable[[int], object]) -> None:
    with ThreadPoolExecutor(n) as pool:
        list(pool.map(work, range(n)))


def test_threads_that_write_the_same_row_wait_for_one_another(database: Database) -> None:
    def add(_: int) -> None:
        for _ in range(5):
            with database.transaction() as cursor:
                (n,) = cursor.execute("SELECT n FROM counts WHERE name = 'a'").fetchall()[0]
                cursor.execute("UPDATE counts SET n = ? WHERE name = 'a'", [n + 1])

    in_threads(4, add)
    assert database.read("SELECT n FROM counts ORDER BY name") == [(20,), (0,)]


def test_a_reader_sees_all_of_a_transaction_or_nothing(database: Database) -> None:
    done = threading.Event()

    def work(thread: int) -> None:
        if thread == 0:
            for n in range(1, 30):
                with database.transaction() as cursor:
                    cursor.execute("UPDATE counts SET n = ? WHERE name = 'a'", [n])
                    cursor.execute("UPDATE counts SET n = ? WHERE name = 'b'", [n])
            done.set()
        while not done.is_set():
            (a,), (b,) = database.read("SELECT n FROM counts")
            assert a == b

    in_threads(4, work)


def test_an_error_undoes_the_transaction_and_is_no_change(database: Database) -> None:
    def write_half() -> None:
        with database.transaction() as cursor:
            cursor.execute("UPDATE counts SET n = 7")
            raise KeyError("b")

    before = database.revision
    with pytest.raises(KeyError):
        write_half()
    assert database.read("SELECT n FROM counts") == [(0,), (0,)]
    assert database.revision == before
    with database.transaction() as cursor:
        cursor.execute("UPDATE counts SET n = 8")
    assert database.revision != before


def test_a_refused_file_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    database = Database(path)
    with database.transaction() as cursor:
        cursor.execute("INSERT INTO schema_version VALUES (99)")
    database.close()
    with pytest.raises(WorkspaceError, match="version 99"):
        Database(path)
    with duckdb.connect(str(path), read_only=True):  # another configuration needs the file free
        pass
