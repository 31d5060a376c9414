"""Rates of the four views as bars, and numbers with their intervals as figures show them."""

import html
import math
from collections.abc import Sequence
from itertools import cycle

import plotly.graph_objects as go

from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.types import View
from components import palette

VIEW_LABELS: dict[View, str] = {
    View.FULL: "Full image",
    View.FOREGROUND: "Animal alone",
    View.SHORTCUT: "Surroundings alone",
    View.SILHOUETTE: "Outline alone",
}

_BAR_PX = 26
_ROOM_PX = 150


def retrieval_bars(profiles: Sequence[EvidenceProfile], k: int) -> go.Figure:
    """R@k in each view as bars with 95 % intervals, and the rate of chance as a line.

    Args:
        profiles: One run, coloured by view, or several side by side, each of one colour.
        k: Number of nearest photos looked at; all were asked at it.
    """
    figure = go.Figure()
    is_one = len(profiles) == 1
    for profile, colour in zip(profiles, cycle(palette.SERIES), strict=False):
        rates = profile.by_k[k]
        values = [rates.retrieval[view] for view in View]
        figure.add_trace(
            go.Bar(
                name=html.escape(f"{profile.dataset}, {profile.encoder['name']}"),
                orientation="h",
                y=[
                    f"{VIEW_LABELS[view]}  {rates.retrieval[view]:.2f}"
                    if is_one
                    else VIEW_LABELS[view]
                    for view in View
                ],
                x=values,
                error_x={
                    **interval_bars(values, [rates.intervals[view] for view in View]),
                    "color": palette.GREY,
                    "thickness": 2,
                },
                # Beside one run its numbers stand at the axis, since short bars have no room.
                text=None if is_one else [f"{value:.2f}" for value in values],
                textposition="inside",
                insidetextanchor="start",
                insidetextfont={"color": "white"},
                # Pale, so that the intervals are seen on them in any theme.
                marker={
                    "color": [palette.VIEWS[view] for view in View] if is_one else colour,
                    "opacity": 0.65,
                },
                hovertext=[
                    rate_words(VIEW_LABELS[view], rates.retrieval[view], rates, view)
                    for view in View
                ],
                hoverinfo="text",
            )
        )
        figure.add_vline(
            x=rates.random,
            line={"dash": "dash", "width": 2, "color": palette.GREY if is_one else colour},
        )
    chances = sorted({f"{profile.by_k[k].random:.3f}" for profile in profiles})
    figure.add_annotation(
        x=max(profile.by_k[k].random for profile in profiles),
        y=1,
        yref="paper",
        yanchor="bottom",
        xanchor="left",
        text=f"chance {', '.join(chances)}",
        showarrow=False,
    )
    # In two lines, since beside the plane of a small window there is no more room.
    figure.update_xaxes(title=f"R@{k}: photos<br>matched right", range=[0, 1.06], dtick=0.5)
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(
        height=_ROOM_PX + _BAR_PX * len(View) * len(profiles),
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        showlegend=not is_one,
        legend={"orientation": "h", "yref": "container", "y": 0, "x": 0, "traceorder": "normal"},
        barmode="group",
        bargap=0.3,
        dragmode=False,
    )
    return figure


def interval_bars(
    values: Sequence[float], intervals: Sequence[tuple[float, float]]
) -> dict[str, object]:
    """Error bars as traces take them; none where there is no interval.

    Args:
        values: The numbers.
        intervals: Their intervals, (low, high).
    """
    pairs = list(zip(values, intervals, strict=True))
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - value for value, (_, high) in pairs],
        "arrayminus": [value - low for value, (low, _) in pairs],
        "thickness": 1.2,
        "width": 4,
    }


def rate_words(label: str, value: float, rates: RatesAtK, name: str = "") -> str:
    """A number with its interval, "CFR 0.232 (95 % interval 0.180 to 0.291)".

    Args:
        label: What it is called.
        value: The number.
        rates: Where it is from.
        name: Its name among the intervals, if that is not the label.
    """
    low, high = rates.intervals[name or label]
    if math.isnan(low):
        return f"{label} {value:.3f} (no 95 % interval)"
    return f"{label} {value:.3f} (95 % interval {low:.3f} to {high:.3f})"
