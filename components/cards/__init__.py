"""Datasets and runs as cards: pictures, a title, a few lines, and one thing a click does."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st

from cfr_core.types import Region
from components import palette

_QUARTERS = {
    "weak": Region.WEAK,
    "foreground": Region.FOREGROUND_DRIVEN,
    "shortcut": Region.SHORTCUT_DRIVEN,
    "leakage": Region.LEAKAGE,
}


@dataclass(frozen=True)
class PlanePoint:
    """A run's place on the CFR-SSI plane, drawn small as the picture of its card.

    Attributes:
        cfr: From 0 to 1; NaN where undefined.
        ssi: From 0 to 1; NaN where undefined.
    """

    cfr: float
    ssi: float


@dataclass(frozen=True)
class Card:
    """One card.

    Attributes:
        key: What a click returns; different for each card of a list.
        title: First line.
        lines: Further lines.
        pictures: Addresses of its pictures on this server, drawn side by side.
        point: Drawn beside the pictures.
        mark: A short word in the corner, such as the region of a run.
        colour: Colour of the mark's dot, from the palette.
    """

    key: str
    title: str
    lines: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    point: PlanePoint | None = None
    mark: str = ""
    colour: str = palette.GREY


def _source(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


_COMPONENT = st.components.v2.component(
    "cfr_cards", html=_source("cards.html"), css=_source("cards.css"), js=_source("cards.js")
)


def cards(items: Sequence[Card], *, key: str) -> str | None:
    """Draw cards in as many columns as there is room for.

    Args:
        items: The cards, in this order.
        key: Name of this list on the page, the same on every run.

    Returns:
        Key of the card that was just clicked, or chosen with Enter; None otherwise.
    """
    plane = {name: palette.REGIONS[region] for name, region in _QUARTERS.items()}
    data = {"cards": [_plain(card) for card in items], "plane": plane}
    event = _COMPONENT(key=key, data=data, on_opened_change=_nothing).opened
    return event if event in {card.key for card in items} else None


def _plain(card: Card) -> dict[str, object]:
    point = card.point
    is_defined = point is not None and point.cfr == point.cfr and point.ssi == point.ssi
    return asdict(card) | {"point": [point.cfr, point.ssi] if point and is_defined else None}


def _nothing() -> None:
    """Streamlit keeps only those of a component's values that have a callback."""
