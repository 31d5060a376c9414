"""The two colours that views are drawn in, as choices that the address carries."""

import re

import streamlit as st

from cfr_core.types import BLACK_RGB, IMAGENET_MEAN_RGB, RGB
from components import state
from components.state import Parameter

_DIGITS = re.compile(r"[0-9a-fA-F]{6}")


def colour_text(rgb: RGB) -> str:
    """A colour as colour pickers write it: "#", then two hexadecimal digits a channel."""
    return "#" + bytes(rgb).hex()


def colour_rgb(text: str) -> RGB:
    """The colour of a text that `colour_text` or a colour picker has written."""
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


def _read(text: str) -> str:
    if not _DIGITS.fullmatch(text):
        raise ValueError("a colour as six hexadecimal digits")
    return "#" + text.lower()


def _write(colour: str) -> str:
    return colour.removeprefix("#")


FILL = Parameter[str]("fill", colour_text(IMAGENET_MEAN_RGB), _read, _write)
SILHOUETTE = Parameter[str]("silhouette", colour_text(BLACK_RGB), _read, _write)


def colour_choices() -> tuple[RGB, RGB]:
    """Draw both choices behind a button; returns fill and silhouette colour."""
    with st.popover("Colours", icon=":material/palette:"):
        fill = st.color_picker("Fill, in place of what a view removes", **state.bound(FILL))
        silhouette = st.color_picker("The animal in the silhouette view", **state.bound(SILHOUETTE))
        st.caption(
            "Audits take the mean colour of ImageNet, a grey, and black, unless they are told "
            "otherwise. The colours chosen here change what is shown, not what was computed."
        )
    return colour_rgb(fill), colour_rgb(silhouette)
