"""Plots about the rows of a dataset."""

from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from cfr_core.types import IntArray
from components import palette

_MAX_BARS = 40


def photos_per_identity(rows_per_identity: IntArray) -> go.Figure:
    """How many individuals have how many rows.

    Individuals with one row only are drawn in another colour: they can never be found again.

    Args:
        rows_per_identity: (n_identities,) rows of each known individual.
    """
    edges = _edges(int(rows_per_identity.max(initial=1)))
    counts, _ = np.histogram(rows_per_identity, edges)
    labels = [_label(int(low), int(end) - 1) for low, end in pairwise(edges)]
    bar_colours = [palette.ORANGE, *[palette.BLUE] * (len(counts) - 1)]
    figure = go.Figure(
        go.Bar(
            x=labels,
            y=counts,
            marker={"color": bar_colours, "line": {"width": 0}},
            hovertemplate="%{y:,} individuals with %{x} photos<extra></extra>",
        )
    )
    if counts[0]:
        figure.add_annotation(
            x=labels[0],
            y=int(counts[0]),
            text="one photo only:<br>never a query",
            showarrow=False,
            yanchor="bottom",
        )
    figure.update_xaxes(title="Photos of one individual", type="category")
    figure.update_yaxes(title="Individuals", rangemode="tozero", range=[0, 1.25 * counts.max()])
    figure.update_layout(height=300, margin={"l": 10, "r": 10, "t": 20, "b": 10}, bargap=0.15)
    return figure


def _edges(most: int) -> IntArray:
    """Edges of the bars: 1 alone, then as many photos a bar as are needed for `_MAX_BARS`."""
    step = -(-most // _MAX_BARS)
    return np.unique(np.append(1, np.arange(2, most + step + 1, step)))


def _label(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
