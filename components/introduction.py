"""What the product is for, beside the CFR-SSI plane drawn as an explanation."""

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

_SENTENCES = (
    "Does a re-identification model recognise the animal, or the place where it was photographed?",
    "The same retrieval is run on the whole photo, on the animal alone, on its surroundings and on "
    "its outline.",
    "<b>CFR</b> says how much is found by the animal alone, <b>SSI</b> how much would be found "
    "without it; every point of the plane leads down to the photos behind it.",
)
_WARNING = (
    "Read the two together: a high SSI does not prove that a model fails, and neither number says "
    "anything alone."
)

_TINT_ALPHA = "2E"
"""Hexadecimal, of 255."""

# Side by side where there is room, else one below the other.
_BOTH = "display:flex;flex-wrap:wrap;gap:1.5rem 3rem;align-items:center;padding-bottom:0.5rem"
_WORDS = "flex:1 1 20rem;line-height:1.6"
_GRID = (
    "flex:2 1 26rem;min-width:0;display:grid;grid-template-columns:1.6rem 1fr 1fr;"
    "grid-template-rows:1fr 1fr auto;gap:3px;font-size:0.875rem;line-height:1.4"
)
_UP = (
    "grid-row:1 / span 2;grid-column:1;writing-mode:vertical-rl;transform:rotate(180deg);"
    "text-align:center"
)
_ALONG = "grid-row:3;grid-column:2 / span 2;text-align:center;padding-top:0.3rem"


def introduction() -> None:
    """Draw three sentences, and the four quarters of the plane with what they mean."""
    words = f"<p>{' '.join(_SENTENCES)}</p><small style='opacity:0.75'>{_WARNING}</small>"
    st.html(f'<div style="{_BOTH}"><div style="{_WORDS}">{words}</div>{_plane()}</div>')


def _plane() -> str:
    cells = "".join(
        _cell(region, words, line=1 + place // 2, column=2 + place % 2)
        for place, (region, words) in enumerate(_QUARTERS)
    )
    up = f'<div style="{_UP}"><b>SSI</b>: found without the animal, 0 to 1 →</div>'
    along = f'<div style="{_ALONG}"><b>CFR</b>: found by the animal alone, 0 to 1 →</div>'
    return f'<div style="{_GRID}">{up}{cells}{along}</div>'


def _cell(region: Region, words: str, *, line: int, column: int) -> str:
    colour = palette.REGIONS[region]
    style = (
        f"grid-row:{line};grid-column:{column};min-height:7.5rem;padding:0.9rem 1rem;"
        f"background:{colour}{_TINT_ALPHA};border-radius:4px;display:flex;flex-direction:column;"
        "justify-content:center"
    )
    name = html.escape(region.value.capitalize())
    return f'<div style="{style}"><b>{name}</b><span>{html.escape(words)}</span></div>'
