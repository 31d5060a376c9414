"""What an import would start from, and what its columns mean, before anything is stored."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from cfr_core.datasets.preview import NOTICED, Mark, Preview
from cfr_core.datasets.records import UNKNOWN_IDENTITIES
from cfr_core.errors import InputError
from cfr_core.jobs.imports import ImportSpec
from components import cached, palette, state
from components.downloads import csv_button
from components.errors import plain
from components.state import Parameter

_MAX_SHOWN = 500
_FOUND = ""
_NO_COLUMN = "(none)"
_TITLES = {
    "path": "Image file",
    "identity": "Identity",
    "captured_at": "Date",
    "encounter": "Encounter",
    "camera": "Camera or place",
    "orientation": "Side or view",
    "split": "Split",
    "species": "Species",
    "mask": "Mask",
    "bbox": "Box (left, top, width, height)",
    "bbox_xyxy": "Box (left, top, right, bottom)",
}
_SIGNS = {Mark.NONE: "", Mark.BAD: "✗ ", Mark.LOOK: "! "}
_TINTS = {Mark.NONE: "", Mark.BAD: palette.VERMILION, Mark.LOOK: palette.ORANGE}
_TINT_ALPHA = "59"
"""Hexadecimal, of 255."""


def _read_names(text: str) -> list[str]:
    try:
        names = json.loads(text)
    except json.JSONDecodeError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError('a list such as ["unknown", "?"]')
    return names


UNKNOWN = Parameter[list[str]](
    "unknown",
    list(UNKNOWN_IDENTITIES),
    _read_names,
    lambda names: json.dumps(names, ensure_ascii=False),
    stays=False,
)
ONLY_NOTICED = Parameter[str]("rows", "all", str, stays=False)

_MEANINGS: dict[str, Parameter[str]] = {
    role: Parameter(f"column-{role}", _FOUND, str, stays=False) for role in _TITLES
}
"""Role -> the column that a person has chosen, `_FOUND` or `_NO_COLUMN`."""


def with_meanings(spec: ImportSpec) -> ImportSpec:
    """The source with what a person says about its columns and unknown names."""
    chosen = {role: state.get(parameter) for role, parameter in _MEANINGS.items()}
    columns = {
        role: "" if column == _NO_COLUMN else column
        for role, column in chosen.items()
        if column != _FOUND
    }
    unknown = state.get(UNKNOWN)
    return dataclasses.replace(spec, columns=columns, unknown_identities=tuple(unknown))


def show_preview(spec: ImportSpec) -> Preview | None:
    """Draw the table of a source as it is read, and the choices that change its reading.

    Returns:
        The preview, or None if the source cannot be read so; that is said then.
    """
    try:
        shown = cached.preview(spec)
    except InputError as error:
        st.error(plain(str(error)))
        _choose_meanings(spec, {}, expanded=True)
        return None
    _counts(shown)
    for finding in shown.general:
        st.caption(plain(f"{finding.message[:1].upper()}{finding.message[1:]}. {finding.action}"))
    _choose_meanings(spec, shown.columns, expanded=not shown.n_identities)
    names = state.get(UNKNOWN)
    st.multiselect(
        "Names that stand for “nobody knows”",
        list(dict.fromkeys([*UNKNOWN_IDENTITIES, *names])),
        accept_new_options=True,
        help="Compared as typed. An empty cell is unknown too. Such rows are in no audit: they are "
        "neither queries nor candidates.",
        **state.bound(UNKNOWN),
    )
    _table(shown)
    return shown


def _counts(shown: Preview) -> None:
    numbers = {
        "Rows": (len(shown.table), "One row is one animal in one photo."),
        "Usable": (shown.n_used, "As far as is known without opening the photos."),
        "Individuals": (shown.n_identities, "Known ones."),
        "Unknown": (shown.n_unknown, "Rows whose individual nobody knows."),
        "With mask": (shown.n_masks, "Rows that come with a mask."),
    }
    columns = st.columns(len(numbers))
    for column, (label, (number, words)) in zip(columns, numbers.items(), strict=True):
        column.metric(label, f"{number:,}", help=words)


def _choose_meanings(spec: ImportSpec, found: Mapping[str, str], *, expanded: bool) -> None:
    columns = cached.source_columns(spec)
    if not columns:
        return
    with st.expander("What the columns mean", expanded=expanded):
        st.caption("Choose another column where the wrong one was found. Nothing is stored yet.")
        places = st.columns(4)
        for place, (role, title) in enumerate(_TITLES.items()):
            options = [_FOUND, _NO_COLUMN, *columns]
            places[place % 4].selectbox(
                title,
                options,
                format_func=_option_words(found.get(role)),
                **state.bound(_MEANINGS[role], among=options),
            )


def _option_words(found: str | None) -> Callable[[str], str]:
    def words(option: str) -> str:
        if option == _FOUND:
            return f"Found: {found}" if found else "Found: none"
        return "No column" if option == _NO_COLUMN else option

    return words


def _table(shown: Preview) -> None:
    options = ["all", "noticed"]
    names = {"all": f"All rows ({len(shown.table):,})", "noticed": f"Marked ({shown.n_noticed:,})"}
    which = st.segmented_control(
        "Rows to show",
        options,
        format_func=lambda option: names[option],
        required=True,
        label_visibility="collapsed",
        **state.bound(ONLY_NOTICED, among=options),
    )
    table, marks = shown.part(only_noticed=which == "noticed", max_rows=_MAX_SHOWN)
    if table.empty:
        st.info("No row is marked.")
        return
    st.dataframe(
        _styled(table, marks),
        hide_index=True,
        height="auto" if len(table) < 12 else 420,
        column_order=_order(table.columns),
        column_config={
            "Row": st.column_config.NumberColumn(width="small"),
            NOTICED: st.column_config.TextColumn(width="large"),
        },
    )
    n_hidden = (shown.n_noticed if which == "noticed" else len(shown.table)) - len(table)
    more = f" The first {len(table):,} rows; {n_hidden:,} more are read." if n_hidden else ""
    st.caption(f"✗ cannot be used as it is · ! used, but have a look.{more}")
    with st.container(horizontal=True):
        csv_button(shown.table, "preview", key="preview CSV")
        st.button(
            "Read again",
            on_click=cached.read_again,
            icon=":material/refresh:",
            type="tertiary",
            help="After files were changed or copied.",
        )


def _styled(table: pd.DataFrame, marks: pd.DataFrame) -> Styler:
    signs = marks.map(lambda mark: _SIGNS[Mark(mark)])
    signed = table.copy()
    for name in table.columns.drop("Row"):
        text = table[name].where((signs[name] == "") | (table[name] != ""), "(empty)")
        signed[name] = signs[name] + text
    tints = marks.map(lambda mark: _TINTS[Mark(mark)])
    styles = tints.map(lambda colour: f"background-color: {colour}{_TINT_ALPHA}" if colour else "")
    return signed.style.apply(lambda _: styles, axis=None)


def _order(columns: Iterable[str]) -> list[str]:
    first = ["Row", "Image file", "Identity", NOTICED]
    return [*first, *(name for name in columns if name not in first)]
