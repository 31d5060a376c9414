"""The CFR-SSI plane drawn as an explanation: what a dataset's place on it means."""

import html

import streamlit as st

from cfr_core.types import Region
from components import palette

_QUARTERS: tuple[tuple[Region, str], ...] = (
    (
        Region.SHORTCUT_DRIVEN,
        "Matches rest on the place, the light or the day. The animal is hardly needed.",
    ),
    (Region.LEAKAGE, "The animal is enough, and so is what is around it."),
    (Region.WEAK, "Little is found, with or without the animal."),
    (Region.FOREGROUND_DRIVEN, "Matches rest on the animal: its coat, face or scars."),
)
"""From the upper left to the lower right."""

_TINT_ALPHA = "2E"
"""Hexadecimal, of 255."""

_GRID = (
    "display:grid;grid-template-columns:1.6rem 1fr 1fr;grid-template-rows:1fr 1fr auto;gap:3px;"
    "font-size:0.875rem;line-height:1.4"
)
_UP = (
    "grid-row:1 / span 2;grid-column:1;writing-mode:vertical-rl;transform:rotate(180deg);"
    "text-align:center"
)
_ALONG = "grid-row:3;grid-column:2 / span 2;text-align:center;padding-top:0.3rem"


def explained_plane() -> None:
    """Draw the four quarters with their names and what they mean."""
    cells = "".join(
        _cell(region, words, line=1 + place // 2, column=2 + place % 2)
        for place, (region, words) in enumerate(_QUARTERS)
    )
    up = f'<div style="{_UP}"><b>SSI</b>: found without the animal, 0 to 1 →</div>'
    along = f'<div style="{_ALONG}"><b>CFR</b>: found by the animal alone, 0 to 1 →</div>'
    st.html(f'<div style="{_GRID}">{up}{cells}{along}</div>')


def _cell(region: Region, words: str, *, line: int, column: int) -> str:
    colour = palette.REGIONS[region]
    style = (
        f"grid-row:{line};grid-column:{column};min-height:7.5rem;padding:0.9rem 1rem;"
        f"background:{colour}{_TINT_ALPHA};border-radius:4px;display:flex;flex-direction:column;"
        "justify-content:center"
    )
    name = html.escape(region.value.capitalize())
    return f'<div style="{style}"><b>{name}</b><span>{html.escape(words)}</span></div>'
