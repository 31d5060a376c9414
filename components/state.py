"""What is chosen, kept in the address, so that any screen can be bookmarked and sent.

The address is the only truth: a widget shows what it says and writes to it. A value that the
address cannot mean is told in plain words, and the default is shown. No other module uses
`st.session_state` or `st.query_params`.
"""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

import streamlit as st

from cfr_core.types import View
from components.errors import plain

T = TypeVar("T")

MAX_K = 100

_ON_ITS_WAY_S = 1.0
"""So long after a choice the browser may not know yet what the address says since."""


@dataclass(frozen=True)
class Parameter(Generic[T]):
    """A choice that the address carries.

    Attributes:
        name: Name in the address.
        default: What holds where the address says nothing.
        read: The value of a text; raises ValueError that says what was expected.
        write: The text of a value.
        stays: Whether it still holds when another page is opened.
    """

    name: str
    default: T
    read: Callable[[str], T]
    write: Callable[[T], str] = str
    stays: bool = True


def _number_between(minimum: int, maximum: int, what: str = "") -> Callable[[str], int]:
    what = what or f"a whole number from {minimum:,} to {maximum:,}"

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not minimum <= int(text) <= maximum:
            raise ValueError(what)
        return int(text)

    return read


def _view(text: str) -> View:
    try:
        return View(text)
    except ValueError:
        raise ValueError(f"one of {', '.join(View)}") from None


DATASET = Parameter[str | None]("dataset", None, str)
RUN = Parameter[str | None]("run", None, str)
ROW = Parameter[int | None]("row", None, _number_between(0, 10**15, "the number of a row"))
VIEW = Parameter[View]("view", View.FULL, _view)
K = Parameter[int]("k", 1, _number_between(1, MAX_K))
SEARCH = Parameter[str]("search", "", str, stays=False)


def enter(page: str) -> None:
    """Take along what stays, when this page is opened from another; called before a page runs."""
    came_from = st.session_state.get("page")
    st.session_state["page"] = page
    if came_from in (None, page):
        return
    for name, text in _kept().items():
        if name not in st.query_params:
            st.query_params[name] = text


def get(parameter: Parameter[T], *, among: Collection[T] | None = None) -> T:
    """What the address says, or else the default.

    Args:
        parameter: The choice.
        among: The values that exist now. If the default is not among them, it is the first one.
    """
    value = _default(parameter, among)
    said = st.query_params.get(parameter.name)
    if said is not None:
        try:
            value = _checked(parameter, said, among)
        except ValueError as error:
            # Taken out, so that it is said once and not at every use.
            del st.query_params[parameter.name]
            shown = f" Showing {parameter.write(value)} instead." if value is not None else ""
            words = f"The address says {parameter.name}={said!r}, but that must be {error}."
            st.warning(plain(words + shown))
    put(parameter, value)
    return value


def put(parameter: Parameter[T], value: T) -> None:
    """Choose a value; the address says it from now on, unless it is the default."""
    if value == parameter.default:
        st.query_params.pop(parameter.name, None)
        _kept().pop(parameter.name, None)
        return
    text = parameter.write(value)
    if st.query_params.get(parameter.name) != text:
        st.query_params[parameter.name] = text
    if parameter.stays:
        _kept()[parameter.name] = text


def bound(parameter: Parameter[T], *, among: Collection[T] | None = None) -> dict[str, Any]:
    """Arguments that tie a widget to a choice: `st.selectbox("k", ks, **bound(K, among=ks))`.

    The widget must be given no default of its own.
    """
    key = f"choice of {parameter.name}"
    value = get(parameter, among=among)
    _show(key, value)
    return {"key": key, "on_change": _take_from_widget, "args": (parameter, key, among)}


def showing(key: str, value: T, changed: Callable[[T], None]) -> dict[str, Any]:
    """Arguments that make a widget show a value kept elsewhere: `st.number_input("n", **…)`.

    Its key stays the same, so it stays one element, with its focus, whatever it shows.

    Args:
        key: Of the widget, one for the page. It must be given no default of its own.
        value: What it shows.
        changed: Is called with what a person changes it to.
    """
    _show(key, value)
    return {"key": key, "on_change": lambda: changed(st.session_state[key])}


def open_page(page: str, choices: Mapping[Parameter[Any], Any]) -> NoReturn:
    """Go to a page, such as "views.py", with these choices beside those that stay."""
    st.switch_page(page, query_params=_kept() | _texts(choices))


def page_link(page: str, label: str, choices: Mapping[Parameter[Any], Any]) -> None:
    """Draw a link to a page with these choices beside those that stay."""
    st.page_link(page, label=label, query_params=_kept() | _texts(choices))


def component_state(key: str) -> Mapping[str, Any]:
    """What a component of this page has last sent, by the names of its state values."""
    state = st.session_state.get(key)
    return state if isinstance(state, Mapping) else {}


def tell_component(key: str, value: Mapping[str, Any]) -> None:
    """Change what a component of this page shows as chosen; before it is drawn in this run."""
    st.session_state[key] = value


def notes(key: str) -> dict[str, Any]:
    """What a component wants to know again in the next run of this session."""
    kept: dict[str, dict[str, Any]] = st.session_state.setdefault("notes of components", {})
    return kept.setdefault(key, {})


def _texts(choices: Mapping[Parameter[Any], Any]) -> dict[str, str]:
    return {parameter.name: parameter.write(value) for parameter, value in choices.items()}


def _kept() -> dict[str, str]:
    """Choices that stay, as texts by name."""
    kept: dict[str, str] = st.session_state.setdefault("choices that stay", {})
    return kept


def _default(parameter: Parameter[T], among: Collection[T] | None) -> T:
    if not among or parameter.default in among:
        return parameter.default
    return next(iter(among))


def _checked(parameter: Parameter[T], text: str, among: Collection[T] | None) -> T:
    value = parameter.read(text)
    if among is not None and value not in among:
        raise ValueError(_words([parameter.write(choice) for choice in among]))
    return value


def _words(choices: list[str]) -> str:
    if not choices:
        return "left out: there is nothing to choose from yet"
    more = f" or {len(choices) - 8} more" if len(choices) > 8 else ""
    return f"one of {', '.join(choices[:8])}{more}"


def _take_from_widget(parameter: Parameter[T], key: str, among: Collection[T] | None) -> None:
    value = _frozen(st.session_state[key])
    # A list knows its choice by the words that it showed; once these have changed, a number in
    # them perhaps, the old words come back as if they had been chosen.
    if among is not None and value is not None and value not in among:
        return
    # A widget that is drawn anew may send that nothing is chosen: then the address still holds.
    if value is not None or parameter.default is None:
        _put_again_what_was_just_chosen()
        put(parameter, value)
        _just_chosen()[parameter.name] = (parameter, value, time.monotonic())


def _put_again_what_was_just_chosen() -> None:
    """Keep choices that the browser's address, which comes with every event, is too old to have.

    Where a person makes the next choice before the answer to the last one is there, the last one
    would be lost. Going back in the browser is no choice, and still undoes one.
    """
    for parameter, value, chosen_at in _just_chosen().values():
        if time.monotonic() - chosen_at <= _ON_ITS_WAY_S:
            put(parameter, value)


def _just_chosen() -> dict[str, tuple[Parameter[Any], Any, float]]:
    """The last choice of each name on this page, with its value and time."""
    return notes(f"just chosen on {st.session_state.get('page')}")


def _show(key: str, value: object) -> None:
    """Let a widget show a value; said again at every run, it would undo what is being typed."""
    if key not in st.session_state or _frozen(st.session_state[key]) != value:
        st.session_state[key] = list(value) if isinstance(value, tuple) else value


def _frozen(value: Any) -> Any:  # noqa: ANN401 - whatever a widget holds
    """Widgets hold several choices in a list."""
    return tuple(value) if isinstance(value, list) else value
