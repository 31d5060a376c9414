"""What an audit of a dataset can be asked by: columns to exclude by, values to choose rows by."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from cfr_core.audit.selection import COLUMN_OF_RULE
from cfr_core.datasets.records import Annotations
from cfr_core.errors import InputError

_CIRCUMSTANCES = ("file", "encounter", "date", "camera")
_DESCRIPTIONS = ("orientation", "species", "split")
_MAX_VALUES = 300
"""A column of more values, such as a frame number, is not listed; it can be typed."""


@dataclass(frozen=True)
class Askable:
    """What a dataset knows that an audit can be asked by.

    Attributes:
        exclude: Rules of `AuditSpec.exclude` that compare something, the usual reasons of a match
            by scenery first.
        values: Columns with their values as text, for `AuditSpec.where`.
    """

    exclude: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]


def askable(annotations: Annotations) -> Askable:
    """What is worth offering: what would exclude nothing, or leave every row, is left out."""
    table = annotations.table
    further = [*_DESCRIPTIONS, *annotations.extra_columns]
    rules = [rule for rule in _CIRCUMSTANCES if table[COLUMN_OF_RULE.get(rule, rule)].notna().any()]
    rules += [name for name in further if _groups(table[name])]
    columns = ["identity", "encounter", "camera", *further]
    values = {name: _values(table[name]) for name in columns}
    return Askable(tuple(rules), {name: found for name, found in values.items() if found})


def read_condition(text: str, values: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    """The (column, value) that a person means by "side=left", "Side = Left" or just "left".

    Args:
        text: What was typed.
        values: As of `Askable`; what is not among it is taken as typed.

    Raises:
        InputError: if there is no "=" and not exactly one column has such a value.
    """
    before, equals, after = text.partition("=")
    if not equals:
        return _owner(text.strip(), values)
    column, value = before.strip(), after.strip()
    if not column or not value:
        raise InputError(_expected(text))
    column = _alike(column, values) or column
    return column, _alike(value, values.get(column, ())) or value


def _owner(value: str, values: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    """The one column that has a value, with the value as it is written there."""
    found = [(name, _alike(value, known)) for name, known in values.items()]
    owners = [(name, alike) for name, alike in found if alike is not None]
    if len(owners) != 1:
        columns = " and ".join(name for name, _ in owners)
        raise InputError(_expected(value) + (f"; it is a value of {columns}" if owners else ""))
    return owners[0]


def _expected(text: str) -> str:
    return f"“{text.strip()}”: write it as COLUMN=VALUE, such as side=left"


def _alike(text: str, names: Iterable[str]) -> str | None:
    """The name that is this text, or else the only one that differs from it by case alone."""
    names = list(names)
    if text in names:
        return text
    alike = [name for name in names if name.casefold() == text.casefold()]
    return alike[0] if len(alike) == 1 else None


def _groups(column: pd.Series) -> bool:
    """Whether some rows share a value that others do not have."""
    counts = column[column != ""].value_counts()
    return len(counts) > 1 and bool(counts.iloc[0] > 1)


def _values(column: pd.Series) -> tuple[str, ...]:
    """Values as text, sorted; none where all rows have the same, or there are very many."""
    texts = column.dropna().astype("string").unique()
    is_the_same = len(texts) == 1 and column.notna().all()
    return () if is_the_same or len(texts) > _MAX_VALUES else tuple(sorted(texts))
