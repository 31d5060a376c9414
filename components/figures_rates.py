"""Rates of the four views as bars, and numbers with their intervals as figures show them."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.types import View
from components import palette

VIEW_LABELS: dict[View, str] = {
    View.FULL: "Full image",
    View.FOREGROUND: "Foreground<br>(animal alone)",
    View.SHORTCUT: "Shortcut<br>(surroundings alone)",
    View.SILHOUETTE: "Silhouette<br>(outline alone)",
}


def retrieval_bars(profiles: Sequence[EvidenceProfile], k: int) -> go.Figure:
    """R@k in each view as bars with 95 % intervals, and the rate of chance as a line.

    Args:
        profiles: One run, coloured by view, or several side by side, each of one colour.
        k: Number of nearest photos looked at; all were asked at it.
    """
    figure = go.Figure()
    is_one = len(profiles) == 1
    for profile, colour in zip(profiles, palette.SERIES, strict=False):
        rates = profile.by_k[k]
        name = f"{profile.dataset}, {profile.encoder['name']}"
        figure.add_trace(
            go.Bar(
                name=name,
                x=[VIEW_LABELS[view] for view in View],
                y=[rates.retrieval[view] for view in View],
                error_y=_errors([rates.retrieval[view] for view in View], rates, list(View)),
                text=[f"{rates.retrieval[view]:.2f}" for view in View],
                textposition="inside",
                insidetextanchor="start",
                textangle=0,
                marker={"color": [palette.VIEWS[view] for view in View] if is_one else colour},
                hovertext=[rate_words(view.value, rates.retrieval[view], rates) for view in View],
                hoverinfo="text",
            )
        )
        figure.add_hline(
            y=rates.random,
            line={"dash": "dash", "width": 2, "color": palette.GREY if is_one else colour},
            annotation={
                "text": f"chance {rates.random:.3f}",
                "yanchor": "bottom",
                "xanchor": "right",
                "showarrow": False,
            },
        )
    figure.update_yaxes(
        title=f"R@{k}: share of photos matched to the right individual", range=[0, 1.05], dtick=0.25
    )
    figure.update_layout(
        height=380,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        showlegend=not is_one,
        legend={"orientation": "h", "yref": "container", "y": 0, "x": 0},
        barmode="group",
        bargap=0.35,
        dragmode=False,
    )
    return figure


def interval_bars(values: Sequence[tuple[float, tuple[float, float]]]) -> dict[str, object]:
    """Error bars from numbers and their intervals; none where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - value for value, (_, high) in values],
        "arrayminus": [value - low for value, (low, _) in values],
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


def _errors(values: Sequence[float], rates: RatesAtK, names: Sequence[str]) -> dict[str, object]:
    return interval_bars(
        [(value, rates.intervals[name]) for value, name in zip(values, names, strict=True)]
    )
