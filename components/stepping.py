"""Going from photo to photo of a dataset: previous, next, by number, or by name."""

from collections.abc import Callable

import streamlit as st

from components import state
from components.errors import plain
from components.gallery import GalleryRows
from components.state import Parameter

_FIND = Parameter[str]("find", "", str, stays=False)


def current_place(rows: GalleryRows, dataset: str, moved_to: int | None) -> int:
    """Place of the photo to show, from 0; the address says its row from now on.

    Args:
        rows: Photos of the dataset, at least one.
        dataset: Its name.
        moved_to: A place that was just stepped to in a component, or None.
    """
    notes = state.notes("stepping")
    is_other_dataset = notes.get("dataset") not in (None, dataset)
    notes["dataset"] = dataset
    if moved_to is not None:
        place = min(max(0, moved_to), len(rows) - 1)
        _go(rows, place)
        return place
    row_id = state.get(state.ROW)
    if row_id in rows.positions:
        return rows.positions[row_id]
    if row_id is not None and not is_other_dataset:
        st.warning(
            plain(f"There is no row {row_id} in {dataset}. Showing its first photo instead.")
        )
    _go(rows, 0)
    return 0


def stepper(rows: GalleryRows, place: int, find: Callable[[str, int], int | None]) -> None:
    """Draw the controls.

    Args:
        rows: Photos of a dataset, at least one.
        place: The one that is shown.
        find: Place of the next photo after a place that fits some words; None if there is none.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _step_button("Previous", ":material/chevron_left:", rows, place - 1)
        _step_button("Next", ":material/chevron_right:", rows, place + 1)
        st.number_input(
            f"Photo, of {len(rows):,}",
            min_value=1,
            max_value=len(rows),
            step=1,
            width=130,
            **state.showing("number of photo", place + 1, lambda number: _go(rows, number - 1)),
        )
        words = st.text_input(
            "Find",
            placeholder="identity, file …",
            help="Goes to the next photo with these words in its identity, file, encounter, "
            "camera, side, split or species.",
            width=200,
            **state.bound(_FIND),
        )
    if words.strip():
        _go_to_found(rows, words, find(words, place))


def _step_button(label: str, icon: str, rows: GalleryRows, to: int) -> None:
    is_there = 0 <= to < len(rows)
    st.button(
        label,
        icon=icon,
        disabled=not is_there,
        on_click=_go,
        args=(rows, min(max(to, 0), len(rows) - 1)),
        key=f"{label} photo",
    )


def _go(rows: GalleryRows, place: int) -> None:
    state.put(state.ROW, int(rows.row_ids[place]))


def _go_to_found(rows: GalleryRows, words: str, place: int | None) -> None:
    if place is None:
        st.info(plain(f"No photo fits “{words}”."))
        return
    state.put(_FIND, "")
    _go(rows, place)
    st.rerun()
