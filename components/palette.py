"""The colours of every screen, safe for colour-blind readers (Okabe and Ito 2008).

Each has a contrast of at least 3 to 1 on the light and on the dark background, except where it says
otherwise. No meaning rests on colour alone: it comes with a sign, a line style or a word.
"""

from typing import Final

from cfr_core.types import Region, View

BLUE: Final = "#0072B2"
ORANGE: Final = "#E69F00"
"""2.2 to 1 on white: for areas and markers, not for lines or text."""
GREEN: Final = "#009E73"
PURPLE: Final = "#CC79A7"
"""2.9 to 1 on white."""
SKY: Final = "#56B4E9"
"""2.3 to 1 on white."""
VERMILION: Final = "#D55E00"
GREY: Final = "#7F7F7F"

SERIES: Final = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, GREY)
"""Colours of encoders, in order of their first appearance."""

RIGHT: Final = BLUE
WRONG: Final = VERMILION

VIEWS: Final[dict[View, str]] = {
    View.FULL: GREY,
    View.FOREGROUND: GREEN,
    View.SHORTCUT: VERMILION,
    View.SILHOUETTE: PURPLE,
}

REGIONS: Final[dict[Region, str]] = {
    Region.WEAK: GREY,
    Region.FOREGROUND_DRIVEN: GREEN,
    Region.SHORTCUT_DRIVEN: VERMILION,
    Region.LEAKAGE: PURPLE,
    Region.UNDEFINED: GREY,
}
