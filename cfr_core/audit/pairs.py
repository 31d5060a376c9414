"""What two photos have in common beside the animal: the usual reasons of a scenery match."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeAlias

import pandas as pd
from pandas.api.typing import NaTType

_Moment: TypeAlias = pd.Timestamp | NaTType

_CIRCUMSTANCES = {
    "file": "file_sha256",
    "encounter": "encounter",
    "camera": "camera",
    "date": "captured_at",
}
"""What photos may share, by its name on screens -> column of the rows."""

_OTHER_FACTS = {"side": "orientation", "part of the split": "split", "species": "species"}

_LONG_TIMES = ((365.25, "year"), (1.0, "day"))
_SHORT_TIMES = ((3600, "h"), (60, "min"), (1, "s"))


class Relation(StrEnum):
    """How the values of two photos compare."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "not known"


@dataclass(frozen=True)
class PairFact:
    """One thing known of a query and a candidate.

    Attributes:
        name: What it is, in words.
        query: Value of the query, or None where it is not known.
        candidate: Value of the candidate.
        relation: How they compare.
        note: What to add, such as "37 s apart"; may be empty.
        is_circumstance: Whether sharing it lets a model match the scene instead of the animal.
    """

    name: str
    query: str | None
    candidate: str | None
    relation: Relation
    note: str = ""
    is_circumstance: bool = False

    @property
    def explains_scenery(self) -> bool:
        """True if the two photos share a circumstance."""
        return self.is_circumstance and self.relation is Relation.SAME


def pair_facts(
    query: Mapping[Hashable, Any], candidate: Mapping[Hashable, Any]
) -> tuple[PairFact, ...]:
    """Facts of a pair: the identities, the circumstances, then the rest.

    What is known of neither photo is left out.

    Args:
        query: A row of a run, by column.
        candidate: Another.
    """
    facts = (
        _fact("identity", query, candidate, "identity"),
        _file_fact(query, candidate),
        *(
            _fact(name, query, candidate, _CIRCUMSTANCES[name], is_circumstance=True)
            for name in ("encounter", "camera")
        ),
        _date_fact(query["captured_at"], candidate["captured_at"]),
        *(_fact(name, query, candidate, column) for name, column in _OTHER_FACTS.items()),
    )
    return tuple(fact for fact in facts if (fact.query, fact.candidate) != (None, None))


def shared_circumstances(queries: pd.DataFrame, candidates: pd.DataFrame) -> list[str]:
    """What each query shares with its candidate: "encounter, camera, date", "" if nothing.

    Args:
        queries: Rows of a run.
        candidates: As many rows, each compared to the query of the same place.
    """
    shared = {}
    for name, column in _CIRCUMSTANCES.items():
        one, other = (_comparable(table[column], name) for table in (queries, candidates))
        shared[name] = (one == other).fillna(False).to_numpy(bool)
    return [
        ", ".join(name for name, is_shared in zip(shared, flags, strict=True) if is_shared)
        for flags in zip(*shared.values(), strict=True)
    ]


def time_apart(gap: timedelta) -> str:
    """A gap between two photos in its largest unit: "37 s", "14 min", "3 days", "1.5 years"."""
    seconds = abs(gap.total_seconds())
    for days, unit in _LONG_TIMES:
        if seconds >= days * 86_400:
            number = seconds / (days * 86_400)
            text = f"{number:.1f}".removesuffix(".0") if unit == "year" else f"{number:.0f}"
            return f"{text} {unit}" + ("" if text == "1" else "s")
    for size, unit in _SHORT_TIMES:
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return "0 s"


def _comparable(values: pd.Series, name: str) -> pd.Series:
    """Values that compare to nothing where they are not known."""
    values = values.reset_index(drop=True)
    if name == "date":
        days: pd.Series = values.dt.normalize()
        return days
    texts = values.astype("string")
    return texts.where(texts != "")


def _fact(
    name: str,
    query: Mapping[Hashable, Any],
    candidate: Mapping[Hashable, Any],
    column: str,
    *,
    is_circumstance: bool = False,
) -> PairFact:
    one, other = _text(query[column]), _text(candidate[column])
    relation = _relation(one, other, is_same=one == other)
    return PairFact(name, one, other, relation, is_circumstance=is_circumstance)


def _file_fact(query: Mapping[Hashable, Any], candidate: Mapping[Hashable, Any]) -> PairFact:
    """Files are compared by content and shown by name."""
    is_same = query["file_sha256"] == candidate["file_sha256"]
    one, other = query["path"], candidate["path"]
    relation = _relation(one, other, is_same=is_same)
    return PairFact("file", one, other, relation, is_circumstance=True)


def _date_fact(query: _Moment, candidate: _Moment) -> PairFact:
    one, other = _date_text(query), _date_text(candidate)
    if isinstance(query, NaTType) or isinstance(candidate, NaTType):
        return PairFact("date", one, other, Relation.UNKNOWN, is_circumstance=True)
    is_same = query.normalize() == candidate.normalize()
    has_clock = query != query.normalize() or candidate != candidate.normalize()
    note = f"{time_apart(query - candidate)} apart" if has_clock or not is_same else ""
    relation = _relation(one, other, is_same=is_same)
    return PairFact("date", one, other, relation, note, is_circumstance=True)


def _relation(query: str | None, candidate: str | None, *, is_same: bool) -> Relation:
    if query is None or candidate is None:
        return Relation.UNKNOWN
    return Relation.SAME if is_same else Relation.DIFFERENT


def _date_text(value: _Moment) -> str | None:
    if isinstance(value, NaTType):
        return None
    return value.strftime("%Y-%m-%d" if value == value.normalize() else "%Y-%m-%d %H:%M:%S")


def _text(value: str | None) -> str | None:
    return None if pd.isna(value) or value == "" else value
