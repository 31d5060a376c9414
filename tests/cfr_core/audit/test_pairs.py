"""What two photos share, value by value."""

from datetime import timedelta

import pandas as pd
import pytest

from cfr_core.audit.pairs import Relation, pair_facts, shared_circumstances, time_apart


def row(**values: object) -> dict[str, object]:
    known = {
        "path": "a.jpg",
        "identity": "zebra 1",
        "captured_at": pd.Timestamp("2024-05-01 10:00:00"),
        "encounter": "e1",
        "camera": "c1",
        "orientation": None,
        "split": None,
        "species": "zebra",
        "file_sha256": "0",
    }
    return known | values


def facts(one: dict[str, object], other: dict[str, object]) -> dict[str, tuple]:
    return {
        fact.name: (fact.query, fact.candidate, fact.relation.value, fact.note)
        for fact in pair_facts(one, other)
    }


def test_all_facts_of_two_photos_of_one_burst() -> None:
    other = row(
        path="b.jpg", file_sha256="1", captured_at=pd.Timestamp("2024-05-01 10:00:37"), camera=""
    )
    assert facts(row(), other) == {
        "identity": ("zebra 1", "zebra 1", "same", ""),
        "file": ("a.jpg", "b.jpg", "different", ""),
        "encounter": ("e1", "e1", "same", ""),
        "camera": ("c1", None, "not known", ""),
        "date": ("2024-05-01 10:00:00", "2024-05-01 10:00:37", "same", "37 s apart"),
        "species": ("zebra", "zebra", "same", ""),
    }


@pytest.mark.parametrize(
    ("one", "other", "relation", "note"),
    [
        ("2024-05-01", "2024-05-01", Relation.SAME, ""),  # days only: no gap is known
        ("2024-05-01", "2024-05-02", Relation.DIFFERENT, "1 day apart"),
        ("2024-05-01 23:59", "2024-05-02 00:01", Relation.DIFFERENT, "2 min apart"),
        ("2024-05-01", None, Relation.UNKNOWN, ""),
    ],
)
def test_dates(one: str, other: str | None, relation: Relation, note: str) -> None:
    pair = pair_facts(*(row(captured_at=pd.Timestamp(text)) for text in (one, other)))
    (date,) = (fact for fact in pair if fact.name == "date")
    assert (date.relation, date.note) == (relation, note)


def test_only_shared_circumstances_explain_scenery() -> None:
    pair = pair_facts(row(), row(camera="c2", captured_at=pd.NaT))
    assert {fact.name for fact in pair if fact.explains_scenery} == {"file", "encounter"}


def test_two_animals_of_one_photo_share_its_file_under_any_name() -> None:
    (file,) = (f for f in pair_facts(row(), row(path="copy.jpg")) if f.name == "file")
    assert file.relation is Relation.SAME
    assert file.candidate == "copy.jpg"


def test_empty_and_missing_values_are_shared_by_nobody() -> None:
    queries = pd.DataFrame([row(camera="", encounter=None, captured_at=pd.NaT), row()])
    matches = pd.DataFrame([row(camera="", encounter=None, captured_at=pd.NaT), row(camera="C1")])
    assert shared_circumstances(queries, matches) == ["file", "file, encounter, date"]


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (timedelta(0), "0 s"),
        (timedelta(seconds=59), "59 s"),
        (timedelta(seconds=-60), "1 min"),
        (timedelta(hours=3, minutes=10), "3 h"),
        (timedelta(days=1), "1 day"),
        (timedelta(days=12), "12 days"),
        (timedelta(days=365.25), "1 year"),
        (timedelta(days=548), "1.5 years"),
        (timedelta(days=731), "2 years"),
    ],
)
def test_gaps_in_words(gap: timedelta, words: str) -> None:
    assert time_apart(gap) == words
