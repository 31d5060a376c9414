"""Runs on the CFR-SSI plane; colours of text, axes and background are left to the page's theme."""

import html
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.datasets.published_results import PublishedResult
from cfr_core.types import Region, SilhouetteRole, View
from components import palette
from components.figures_rates import interval_bars, rate_words

_CORNERS: dict[Region, tuple[float, float]] = {
    Region.WEAK: (0.0, 0.0),
    Region.FOREGROUND_DRIVEN: (0.5, 0.0),
    Region.SHORTCUT_DRIVEN: (0.0, 0.5),
    Region.LEAKAGE: (0.5, 0.5),
}
"""Left and lower edge of each region, (CFR, SSI)."""

_SYMBOLS: dict[SilhouetteRole, str] = {
    SilhouetteRole.SHORTCUT: "circle",
    SilhouetteRole.IDENTITY: "diamond",
    SilhouetteRole.AMBIGUOUS: "square",
}
_ROLE_LABELS: dict[SilhouetteRole, str] = {
    SilhouetteRole.SHORTCUT: "no biometric",
    SilhouetteRole.IDENTITY: "biometric",
    SilhouetteRole.AMBIGUOUS: "not decided",
}
_ROOM = 0.04
"""Beyond 0 and 1, so that points on the edge are whole."""

_NEAR = (0.15, 0.04)
"""CFR and SSI within which the names of two points would cover each other."""

_MAX_NAMED = 12
"""So many points have their dataset written beside them; more would cover one another."""


@dataclass(frozen=True)
class PlaneStyle:
    """What the plane shows beside the runs.

    Attributes:
        encoders: All encoders of the workspace in a fixed order, so that each keeps its colour.
        chosen: Run ids that are ringed.
        published: Published results as a layer behind the runs.
        is_joined: Whether a line joins the runs of one dataset.
    """

    encoders: Sequence[str]
    chosen: frozenset[str] = frozenset()
    published: Sequence[PublishedResult] = ()
    is_joined: bool = False


def is_on_plane(profile: EvidenceProfile, k: int) -> bool:
    """Whether a run has a place: it was asked at k, and both CFR and SSI are defined."""
    return k in profile.by_k and profile.by_k[k].region is not Region.UNDEFINED


def evidence_plane(profiles: Sequence[EvidenceProfile], k: int, style: PlaneStyle) -> go.Figure:
    """The CFR-SSI plane, a point a run with 95 % intervals; `customdata` of a point is its run id.

    Args:
        profiles: The runs; those without a place are not drawn.
        k: Number of nearest photos looked at.
        style: What else is shown.
    """
    runs = [profile for profile in profiles if is_on_plane(profile, k)]
    figure = go.Figure()
    _shade_regions(figure)
    if style.published:
        figure.add_trace(_published_trace(style.published))
    if style.is_joined:
        figure.add_trace(_joining_trace(runs, k))
    # The legend shows the shape of an encoder's first point: the usual one, if it has it.
    in_order = sorted(runs, key=lambda profile: list(_SYMBOLS).index(profile.silhouette_role))
    named = _named(runs, k) if len(runs) <= _MAX_NAMED else frozenset()
    for encoder in style.encoders:
        own = [profile for profile in in_order if profile.encoder["name"] == encoder]
        if own:
            colour = palette.SERIES[style.encoders.index(encoder) % len(palette.SERIES)]
            figure.add_trace(_runs_trace(own, k, colour, named))
    chosen = [profile for profile in runs if profile.run_id in style.chosen]
    if chosen:
        figure.add_trace(_rings_trace(chosen, k))
    _add_role_legend(figure, runs)
    axis = {"range": [-_ROOM, 1 + _ROOM], "dtick": 0.25, "showgrid": False, "zeroline": False}
    figure.update_xaxes(title=f"CFR@{k}: found by the animal alone", **axis)
    figure.update_yaxes(title=f"SSI@{k}: found without the animal", **axis)
    figure.update_layout(
        height=640,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        hoverlabel={"align": "left"},
        legend={"orientation": "h", "yref": "container", "y": 0, "x": 0, "itemsizing": "constant"},
        dragmode="pan",
    )
    return figure


def _shade_regions(figure: go.Figure) -> None:
    for region, (left, low) in _CORNERS.items():
        x_room, y_room = (_ROOM if edge == 0 else 0 for edge in (left, low))
        figure.add_shape(
            type="rect",
            x0=left - x_room,
            x1=left + 0.5 + (_ROOM if left else 0),
            y0=low - y_room,
            y1=low + 0.5 + (_ROOM if low else 0),
            line={"width": 0},
            fillcolor=palette.REGIONS[region],
            opacity=0.14,
            layer="below",
        )
        figure.add_annotation(
            x=left + 0.25,
            # Beside the line between upper and lower regions, where few datasets lie.
            y=low + (0.03 if low else 0.47),
            text=f"<b>{region.value.capitalize()}</b>",
            font={"size": 15},
            showarrow=False,
            opacity=0.55,
        )


def _published_trace(published: Sequence[PublishedResult]) -> go.Scatter:
    return go.Scatter(
        name=f"published ({len(published)})",
        x=[result.cfr for result in published],
        y=[result.ssi for result in published],
        mode="markers",
        marker={"color": palette.GREY, "size": 7, "opacity": 0.55},
        hovertext=[
            f"<b>{result.dataset}</b>, published<br>{result.encoder}<br>"
            f"CFR {result.cfr:.3f}, SSI {result.ssi:.3f}<br>"
            f"Full {result.full:.3f}, foreground {result.foreground:.3f}<br>"
            f"Shortcut {result.shortcut:.3f}, silhouette {result.silhouette:.3f}<br>"
            f"Chance {result.random:.3f}"
            for result in published
        ],
        hoverinfo="text",
        legendgroup="published",
        legendgrouptitle={"text": "Paper"},
        legendrank=2000,  # after the runs
    )


def _joining_trace(runs: Sequence[EvidenceProfile], k: int) -> go.Scatter:
    """Lines between the runs of one dataset, in the order in which they finished."""
    x: list[float | None] = []
    y: list[float | None] = []
    in_order = sorted(runs, key=lambda profile: (profile.dataset, profile.finished_at))
    for before, profile in zip([None, *in_order], in_order, strict=False):
        if before is not None and before.dataset != profile.dataset:
            x.append(None)
            y.append(None)
        x.append(profile.by_k[k].cfr)
        y.append(profile.by_k[k].ssi)
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": palette.GREY, "width": 1.5, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
    )


def _runs_trace(
    runs: Sequence[EvidenceProfile], k: int, colour: str, named: Collection[str]
) -> go.Scatter:
    rates = [profile.by_k[k] for profile in runs]
    return go.Scatter(
        name=f"{html.escape(runs[0].encoder['name'])} ({len(runs)})",
        x=[at_k.cfr for at_k in rates],
        y=[at_k.ssi for at_k in rates],
        error_x=interval_bars(
            [at_k.cfr for at_k in rates], [at_k.intervals["cfr"] for at_k in rates]
        ),
        error_y=interval_bars(
            [at_k.ssi for at_k in rates], [at_k.intervals["ssi"] for at_k in rates]
        ),
        mode="markers+text" if named else "markers",
        text=[html.escape(profile.dataset) if profile.run_id in named else "" for profile in runs],
        textposition=[_text_position(at_k) for at_k in rates],
        textfont={"size": 13},
        marker={
            "color": colour,
            "size": 13,
            "symbol": [_SYMBOLS[profile.silhouette_role] for profile in runs],
            "line": {"width": 1.5, "color": "white"},
        },
        customdata=[[profile.run_id] for profile in runs],
        hovertext=[_hover(profile, k) for profile in runs],
        hoverinfo="text",
        legendgroup="encoders",
        legendgrouptitle={"text": "Encoder (runs)"},
    )


def _named(runs: Sequence[EvidenceProfile], k: int) -> frozenset[str]:
    """Runs with their dataset written beside them: not again where another of it lies as near."""
    named: list[EvidenceProfile] = []
    for run in runs:
        if not any(run.dataset == other.dataset and _is_near(run, other, k) for other in named):
            named.append(run)
    return frozenset(run.run_id for run in named)


def _is_near(run: EvidenceProfile, other: EvidenceProfile, k: int) -> bool:
    here, there = run.by_k[k], other.by_k[k]
    return abs(here.cfr - there.cfr) < _NEAR[0] and abs(here.ssi - there.ssi) < _NEAR[1]


def _text_position(rates: RatesAtK) -> str:
    """Names stand inside the plane."""
    side = "left" if rates.cfr > 0.5 else "right"
    return f"{'bottom' if rates.ssi > 0.5 else 'top'} {side}"


def _rings_trace(chosen: Sequence[EvidenceProfile], k: int) -> go.Scatter:
    return go.Scatter(
        x=[profile.by_k[k].cfr for profile in chosen],
        y=[profile.by_k[k].ssi for profile in chosen],
        mode="markers",
        marker={
            "symbol": "circle-open",
            "size": 24,
            "color": palette.VERMILION,
            "line": {"width": 2.5},
        },
        hoverinfo="skip",
        showlegend=False,
    )


def _add_role_legend(figure: go.Figure, runs: Sequence[EvidenceProfile]) -> None:
    """Shapes in the legend, with the runs of each role counted."""
    for role, symbol in _SYMBOLS.items():
        count = sum(profile.silhouette_role is role for profile in runs)
        if count:
            figure.add_trace(
                go.Scatter(
                    name=f"{_ROLE_LABELS[role]} ({count})",
                    x=[None],
                    y=[None],
                    mode="markers",
                    marker={"symbol": symbol, "size": 11, "color": palette.GREY},
                    legendgroup="roles",
                    legendgrouptitle={"text": "Outline is"},
                    hoverinfo="skip",
                )
            )


def _hover(profile: EvidenceProfile, k: int) -> str:
    rates = profile.by_k[k]
    lines = [
        f"<b>{html.escape(profile.dataset)}</b>",
        html.escape(f"{profile.encoder['name']}, {profile.protocol['words']}"),
        f"{rates.region.value}",
        rate_words("CFR", rates.cfr, rates, "cfr"),
        rate_words("SSI", rates.ssi, rates, "ssi"),
        *(rate_words(view.value.capitalize(), rates.retrieval[view], rates, view) for view in View),
        rate_words("Chance", rates.random, rates, "random"),
        f"{profile.n_queries:,} queries of {profile.n_identities:,} individuals",
    ]
    return "<br>".join(lines)
