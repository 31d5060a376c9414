"""What is to be retrieved, and how: the choices of the retrieval page, all in the address."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import product
from typing import Any, get_args
from urllib.parse import quote, unquote

import streamlit as st

from cfr_core.audit.spec import DEFAULT_KS, AuditSpec
from cfr_core.encoders.cards import FILE_PREFIX, TIMM_PREFIX
from cfr_core.encoders.status import EncoderStatus
from cfr_core.types import DeviceChoice
from components import cached, state
from components.retrieval.rows import ask_rules, ask_where
from components.state import Parameter

_KS = (1, 5, 10, 20, 50, 100)
_DEFAULT_ENCODER = "effnet-lite0"
_LEAVE_ONE_OUT = "leave-one-out"
_SPLIT = "split"
_PROTOCOLS = {
    _LEAVE_ONE_OUT: "Every photo queries all others",
    _SPLIT: "One part of the dataset queries another",
}
_DEVICES: tuple[DeviceChoice, ...] = get_args(DeviceChoice)


def _device(text: str) -> DeviceChoice:
    for choice in _DEVICES:
        if choice == text:
            return choice
    raise ValueError(f"one of {', '.join(_DEVICES)}")


_DEVICE = Parameter[DeviceChoice]("device", "auto", _device, stays=False)


@dataclass(frozen=True)
class Asked:
    """What a person asks for.

    Attributes:
        datasets: Names, in the order chosen.
        encoders: Names, in the order chosen.
        ks: Ranks.
        exclude: Rules that take rows from a query's gallery.
        split: (query label, gallery label), or None for leave-one-out.
        where: (column, value) pairs that rows are chosen by.
    """

    datasets: tuple[str, ...]
    encoders: tuple[str, ...]
    ks: tuple[int, ...]
    exclude: tuple[str, ...]
    split: tuple[str, str] | None
    where: tuple[tuple[str, str], ...]

    @property
    def specs(self) -> list[AuditSpec]:
        """An audit for each dataset and encoder; none if something is not chosen yet."""
        if not self.ks:
            return []
        return [
            AuditSpec(dataset, encoder, self.ks, self.exclude, self.split, self.where)
            for dataset, encoder in product(self.datasets, self.encoders)
        ]


def ask(names: Collection[str], encoders: Collection[EncoderStatus]) -> Asked:
    """Draw the choices.

    Args:
        names: Datasets of the workspace.
        encoders: Encoders of the registry.
    """
    left, right = st.columns(2, gap="large")
    with left:
        datasets = _ask_datasets(names)
        models = _ask_encoders([encoder.name for encoder in encoders])
        ks = st.multiselect(
            "Nearest photos (k)",
            _KS,
            help="A query is right if one of the k most similar photos shows the same individual.",
            **state.bound(_list("ks", [*DEFAULT_KS], _KS, int)),
        )
    with right:
        split = _ask_split(datasets)
        exclude = ask_rules(datasets)
        where = ask_where(datasets)
    return Asked(tuple(datasets), tuple(models), tuple(sorted(ks)), exclude, split, where)


def ask_device(usable: Collection[str], label: Callable[[str], str]) -> DeviceChoice:
    """Draw the choice of device.

    Args:
        usable: What may be chosen beside "auto".
        label: A device in words.
    """
    choices = [choice for choice in _DEVICES if choice == "auto" or choice in usable]
    chosen: DeviceChoice = st.selectbox(
        "Compute on", choices, format_func=label, **state.bound(_DEVICE, among=choices)
    )
    return chosen


def _ask_datasets(names: Collection[str]) -> list[str]:
    current = state.get(state.DATASET, among=(None, *names))
    default = [current] if current else list(names)[:1]
    chosen: list[str] = st.multiselect(
        "Datasets",
        names,
        placeholder="Choose datasets",
        **state.bound(_list("datasets", default, names)),
    )
    return chosen


def _ask_encoders(names: Collection[str]) -> list[str]:
    chosen: list[str] = st.multiselect(
        "Encoders",
        names,
        accept_new_options=True,
        placeholder="Choose encoders",
        help=(
            "Any model of timm as timm:NAME, and weights of your own as file:ARCHITECTURE:PATH "
            "with the path on the server: type it and press Enter."
        ),
        **state.bound(_list("encoders", [_DEFAULT_ENCODER], names, own=(TIMM_PREFIX, FILE_PREFIX))),
    )
    return chosen


def _ask_split(datasets: Collection[str]) -> tuple[str, str] | None:
    labels = _split_labels(datasets)
    protocols = [_LEAVE_ONE_OUT, *([_SPLIT] if len(labels) > 1 else [])]
    parameter = Parameter[str]("protocol", _LEAVE_ONE_OUT, str, stays=False)
    protocol = st.radio(
        "Protocol",
        protocols,
        format_func=lambda name: _PROTOCOLS[name],
        **state.bound(parameter, among=protocols),
    )
    if protocol != _SPLIT:
        return None
    one, other = st.columns(2)
    query = one.selectbox("Queries", labels, **state.bound(_label("queries"), among=labels))
    rest = [label for label in labels if label != query]
    gallery = other.selectbox("Gallery", rest, **state.bound(_label("gallery"), among=rest))
    return str(query), str(gallery)


def _split_labels(datasets: Collection[str]) -> list[str]:
    """Labels that every dataset has."""
    labels = [set(cached.rows(dataset)["split"].dropna()) for dataset in datasets]
    return sorted(set.intersection(*labels)) if labels else []


def _label(name: str) -> Parameter[str | None]:
    return Parameter[str | None](name, None, str, stays=False)


def _list(
    name: str,
    default: list[Any],
    choices: Collection[Any],
    read: Callable[[str], object] = str,
    *,
    own: tuple[str, ...] = (),
) -> Parameter[list[Any]]:
    """Several values in the address, with commas between.

    Args:
        name: Name in the address.
        default: What holds where the address says nothing.
        choices: What may be chosen.
        read: A value from its text; raises ValueError.
        own: What values of one's own start with.
    """

    def read_all(text: str) -> list[Any]:
        expected = ValueError(f"some of {', '.join(map(str, choices))}, with commas between")
        try:
            values = [read(unquote(part)) for part in text.split(",") if part]
        except ValueError:
            raise expected from None
        for value in values:
            if value not in choices and not str(value).startswith(own or ("\0",)):
                raise expected
        return list(dict.fromkeys(values))

    def write_all(values: list[Any]) -> str:
        return ",".join(quote(str(value), safe=":/") for value in values)

    return Parameter(name, default, read_all, write_all, stays=False)
