"""Differences between two runs as dots with intervals."""

import math

import plotly.graph_objects as go

from cfr_core.audit.comparison import Comparison, Difference
from cfr_core.types import View
from components import palette
from components.figures_rates import interval_bars

NAMES = {
    View.FULL.value: "R@{k} full image",
    View.FOREGROUND.value: "R@{k} foreground",
    View.SHORTCUT.value: "R@{k} shortcut",
    View.SILHOUETTE.value: "R@{k} silhouette",
    "random": "R@{k} by chance",
    "cfr": "CFR@{k}",
    "ssi": "SSI@{k}",
}
"""What each number of a comparison is called."""


def difference_plot(found: Comparison, k: int) -> go.Figure:
    """Second run less first run; filled where the interval leaves out 0.

    Args:
        found: The comparison.
        k: Number of nearest photos looked at.
    """
    shown = [
        difference
        for difference in found.differences.values()
        if not math.isnan(difference.change) and difference.name != "random"
    ]
    figure = go.Figure()
    for is_clear, label in ((True, "clear difference"), (False, "no clear difference")):
        part = [difference for difference in shown if difference.is_clear is is_clear]
        if part:
            figure.add_trace(_dots(part, k, label, is_filled=is_clear))
    figure.add_vline(x=0, line={"width": 1.5, "dash": "dash", "color": palette.GREY})
    order = [NAMES[difference.name].format(k=k) for difference in shown]
    figure.update_yaxes(categoryorder="array", categoryarray=order[::-1], showgrid=False)
    figure.update_xaxes(title="Second run less first run", tickformat="+.2f", zeroline=False)
    figure.update_layout(
        height=110 + 46 * len(shown),
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "yref": "container", "y": 0, "x": 0},
        dragmode=False,
    )
    return figure


def _dots(differences: list[Difference], k: int, label: str, *, is_filled: bool) -> go.Scatter:
    return go.Scatter(
        x=[difference.change for difference in differences],
        y=[NAMES[difference.name].format(k=k) for difference in differences],
        error_x=interval_bars(
            [difference.change for difference in differences],
            [difference.interval for difference in differences],
        ),
        mode="markers",
        marker={
            "size": 12,
            "symbol": "circle" if is_filled else "circle-open",
            "color": palette.BLUE if is_filled else palette.GREY,
            "line": {"width": 2},
        },
        name=label,
        hovertext=[_words(difference, k) for difference in differences],
        hoverinfo="text",
    )


def _words(difference: Difference, k: int) -> str:
    low, high = difference.interval
    interval = "no 95 % interval" if math.isnan(low) else f"95 % interval {low:+.3f} to {high:+.3f}"
    return (
        f"<b>{NAMES[difference.name].format(k=k)}</b><br>"
        f"{difference.first:.3f} in the first run, {difference.second:.3f} in the second<br>"
        f"difference {difference.change:+.3f} ({interval})"
    )
