"""Columns by digest: kept up to a size, and gone in plain words."""

import pytest

from server import columns
from tests.server.asking import get


def test_what_is_published_can_be_fetched() -> None:
    url = columns.publish("ab12", b"[1,2]")
    answer = get(url)
    assert (answer.status, answer.body) == (200, b"[1,2]")
    assert answer.headers["content-type"] == "application/json"
    assert "immutable" in answer.headers["cache-control"]


def test_what_is_not_there_is_said() -> None:
    answer = get("/api/columns/absent")
    assert (answer.status, b"reload the page" in answer.body) == (404, True)


def test_the_longest_unshown_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_LIMIT_BYTES", 30)
    monkeypatch.setattr(columns, "_PUBLISHED", columns._Published())
    for digest in ("a", "b", "c", "a", "d"):  # "a" is shown again
        columns.publish(digest, b"x" * 10)
    assert [get(f"/api/columns/{digest}").status for digest in "abcd"] == [200, 404, 200, 200]
    columns.publish("big", b"x" * 100)  # one list is kept, however long
    assert get("/api/columns/big").status == 200
    assert get("/api/columns/d").status == 404
