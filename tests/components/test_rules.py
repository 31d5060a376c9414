"""Rules of the user interface that no tool checks."""

import re
import tomllib
from pathlib import Path

import pytest

from components import palette

REPOSITORY = Path(__file__).parents[2]
SOURCES = [
    *REPOSITORY.glob("*.py"),
    *(
        path
        for folder in ("pages", "components", "server")
        for path in (REPOSITORY / folder).rglob("*.py")
    ),
]


@pytest.mark.parametrize(
    ("pattern", "only_in"),
    [
        (r"\bst\.(session_state|query_params)", "components/state.py"),
        (r"\.cache_(data|resource)", "components/cached"),
        (r"Workspace\(", "server/workspace.py"),
        (r"#[0-9A-Fa-f]{6}\b", "components/palette.py"),
        (r"st\.image\(|b64encode|unsafe_allow_html", "nowhere"),
    ],
)
def test_one_place_for_each(pattern: str, only_in: str) -> None:
    users = {
        path.relative_to(REPOSITORY)
        for path in SOURCES
        if re.search(pattern, path.read_text(encoding="utf-8"))
    }
    strangers = {user for user in users if not user.is_relative_to(only_in)}
    assert not strangers


@pytest.mark.parametrize("path", sorted((REPOSITORY / "pages").glob("*.py")))
def test_a_page_is_short_and_computes_nothing(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 60
    assert not re.search(r"^(import|from) (numpy|duckdb|pyarrow)", source, re.MULTILINE)
    assert "SELECT " not in source


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2.2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture
def theme() -> dict:
    with (REPOSITORY / ".streamlit" / "config.toml").open("rb") as stream:
        return tomllib.load(stream)["theme"]


def test_the_theme_has_the_colours_of_the_palette(theme: dict) -> None:
    assert theme["chartCategoricalColors"] == list(palette.SERIES)
    named = {
        "primaryColor": palette.BLUE,
        "redColor": palette.VERMILION,
        "orangeColor": palette.ORANGE,
        "greenColor": palette.GREEN,
        "blueColor": palette.BLUE,
        "violetColor": palette.PURPLE,
    }
    assert {name: theme[name] for name in named} == named


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_everything_can_be_read(theme: dict, mode: str) -> None:
    surfaces = theme[mode]
    for background in (surfaces["backgroundColor"], surfaces["secondaryBackgroundColor"]):
        assert contrast(surfaces["textColor"], background) >= 7
        assert contrast(surfaces["linkColor"], background) >= 4.5
        for line in (palette.RIGHT, palette.WRONG, palette.GREEN, theme["primaryColor"]):
            assert contrast(line, background) >= 3
    assert contrast("#FFFFFF", theme["primaryColor"]) >= 4.5  # text on buttons
