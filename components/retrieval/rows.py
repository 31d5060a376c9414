"""Which rows an audit takes, and which it leaves out of a query's gallery."""

from collections.abc import Collection, Iterable, Mapping
from urllib.parse import quote, unquote

import streamlit as st

from cfr_core.audit.askable import read_condition
from cfr_core.errors import InputError
from components import state
from components.cached.questions import askable, count_asked_for
from components.errors import plain
from components.state import Parameter

_ONLY_SHARED = "Only what all chosen datasets know is offered."


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unquote(part) for part in text.split(",") if part))


def _line(values: tuple[str, ...]) -> str:
    return ",".join(quote(value, safe="= ") for value in values)


_WHERE = Parameter[tuple[str, ...]]("where", (), _listed, _line, stays=False)


def ask_rules(datasets: Collection[str]) -> tuple[str, ...]:
    """Draw the choice of what excludes a row from a query's gallery."""
    offered = [askable(dataset).exclude for dataset in datasets]
    rules = [rule for rule in (offered[0] if offered else ()) if all(rule in o for o in offered)]

    def read(text: str) -> tuple[str, ...]:
        chosen = _listed(text)
        if not set(chosen) <= set(rules):
            raise ValueError(f"some of {', '.join(rules)}, with commas between")
        return chosen

    parameter = Parameter[tuple[str, ...]]("exclude", (), read, _line, stays=False)
    chosen: list[str] = st.multiselect(
        "Leave out of the gallery what shares the query's",
        rules,
        placeholder="Nothing but the query itself",
        help="Photos with the same value as the query are not counted as a match of it: they may "
        f"be alike for another reason than the animal. {_ONLY_SHARED}",
        **state.bound(parameter),
    )
    return tuple(chosen)


def ask_where(datasets: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Draw the choice of rows, and how many rows it leaves; returns (column, value) pairs."""
    values = _shared_values(datasets)
    said: tuple[str, ...] = state.get(_WHERE)
    pairs = _read_all(said, values)
    texts = tuple(f"{column}={value}" for column, value in pairs)
    state.put(_WHERE, texts)
    offered = [f"{column}={value}" for column, known in values.items() for value in known]
    st.multiselect(
        "Only rows with",
        list(dict.fromkeys([*offered, *texts])),
        accept_new_options=True,
        placeholder="All rows",
        help="Choose or type COLUMN=VALUE, such as side=left. The same column again adds a value, "
        f"another column narrows. {_ONLY_SHARED}",
        **state.bound(_WHERE),
    )
    if pairs:
        counts = ((dataset, *count_asked_for(dataset, pairs)) for dataset in datasets)
        words = (f"{n:,} of {n_rows:,} rows of {dataset}" for dataset, n, n_rows in counts)
        st.caption(plain(f"Leaves {'; '.join(words)}."))
    return pairs


def _read_all(
    texts: Iterable[str], values: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, str], ...]:
    """Conditions as they are meant; others are told in plain words and dropped."""
    pairs = []
    for text in texts:
        try:
            pairs.append(read_condition(text, values))
        except InputError as error:
            st.warning(plain(str(error)))
    return tuple(dict.fromkeys(pairs))


def _shared_values(datasets: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Columns and values that every dataset has."""
    first, *others = (askable(dataset).values for dataset in datasets) if datasets else ({},)
    shared = {
        column: tuple(v for v in known if all(v in other.get(column, ()) for other in others))
        for column, known in first.items()
    }
    return {column: known for column, known in shared.items() if known}
