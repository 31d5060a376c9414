"""Plots against the profiles they are made from."""

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from cfr_core.datasets.published_results import published_results
from cfr_core.types import Region, SilhouetteRole, View
from components import palette
from components.figures import PlaneStyle, evidence_plane, is_on_plane
from components.figures_rates import rate_words, retrieval_bars
from tests.made_profile import NAN, made_profile, made_rates

ANIMAL = made_profile("leopards", rates=(0.8, 0.6, 0.2, 0.1))
SCENERY = made_profile("cattle", "other", rates=(0.4, 0.1, 0.4, 0.0), finished_at="2026-01-03")
AGAIN = made_profile("cattle", rates=(0.5, 0.3, 0.2, 0.0), finished_at="2026-01-02")
FLUKES = made_profile("whales", rates=(0.9, 0.9, 0.1, 0.9), role=SilhouetteRole.IDENTITY)
NOTHING = made_profile("deer", rates=(0.0, 0.0, 0.0, 0.0))
RUNS = (ANIMAL, SCENERY, AGAIN, FLUKES, NOTHING)
STYLE = PlaneStyle(encoders=("made", "other"))


def points(figure: go.Figure) -> dict[str, tuple[float, float]]:
    """Place of each point that can be clicked, by run id."""
    return {
        run[0]: (x, y)
        for trace in figure.data
        if trace.customdata is not None
        for run, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }


def named(figure: go.Figure, start: str) -> go.Scatter:
    (trace,) = (trace for trace in figure.data if (trace.name or "").startswith(start))
    return trace


def test_each_run_stands_at_its_numbers() -> None:
    assert points(evidence_plane(RUNS, 1, STYLE)) == {
        "leopards-made": (0.6, 0.25),
        "cattle-other": (0.1, 1.0),
        "cattle-made": (0.3, 0.4),
        "whales-made": (0.9, 1.0),
    }


def test_runs_without_a_place_are_not_drawn() -> None:
    assert not is_on_plane(NOTHING, 1)
    assert not is_on_plane(ANIMAL, 5)
    assert points(evidence_plane(RUNS, 5, STYLE)) == {}


def test_intervals_are_the_error_bars() -> None:
    trace = named(evidence_plane([ANIMAL], 1, STYLE), "made")
    for bars in (trace.error_x, trace.error_y):
        assert bars.array[0] == pytest.approx(0.05)
        assert bars.arrayminus[0] == pytest.approx(0.05)


def test_the_legend_counts_and_colours_stay() -> None:
    figure = evidence_plane(RUNS, 1, STYLE)
    names = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert names == ["made (3)", "other (1)", "no biometric (3)", "biometric (1)"]
    assert named(figure, "made").marker.symbol == ("circle", "circle", "diamond")
    # An encoder keeps its colour when a filter leaves it alone.
    alone = named(evidence_plane([SCENERY], 1, STYLE), "other")
    assert alone.marker.color == named(figure, "other").marker.color == palette.SERIES[1]


def test_hovering_tells_all_rates() -> None:
    (text,) = named(evidence_plane([ANIMAL], 1, STYLE), "made").hovertext
    for part in (
        "<b>leopards</b>",
        "made, leave-one-out",
        "foreground-driven",
        "CFR 0.600 (95 % interval 0.550 to 0.650)",
        "SSI 0.250",
        "Full 0.800",
        "Foreground 0.600",
        "Shortcut 0.200",
        "Silhouette 0.100",
        "Chance 0.000",
        "80 queries of 20 individuals",
    ):
        assert part in text


def test_names_are_no_markup() -> None:
    figure = evidence_plane([made_profile("a<b>", "<i>")], 1, PlaneStyle(encoders=("<i>",)))
    trace = named(figure, "&lt;i&gt;")
    assert trace.text == ("a&lt;b&gt;",)
    assert "<i>" not in trace.hovertext[0]


def test_many_points_have_no_names() -> None:
    many = [made_profile(f"d{i}", rates=(0.9, i / 20, 0.1, 0.1)) for i in range(13)]
    assert named(evidence_plane(many, 1, STYLE), "made").mode == "markers"
    assert named(evidence_plane(many[:12], 1, STYLE), "made").mode == "markers+text"


def test_runs_of_one_dataset_that_lie_close_have_its_name_once() -> None:
    twin = made_profile("leopards", "twin", rates=(0.8, 0.58, 0.2, 0.1))
    figure = evidence_plane([ANIMAL, twin], 1, PlaneStyle(encoders=("made", "twin")))
    assert named(figure, "made").text == ("leopards",)
    assert named(figure, "twin").text == ("",)
    far = evidence_plane([SCENERY, AGAIN], 1, STYLE)
    assert named(far, "made").text == named(far, "other").text == ("cattle",)


def test_the_regions_are_shaded_and_named() -> None:
    figure = evidence_plane([], 1, STYLE)
    names = {annotation.text for annotation in figure.layout.annotations}
    assert names == {f"<b>{r.value.capitalize()}</b>" for r in Region if r != Region.UNDEFINED}
    for shape, annotation in zip(figure.layout.shapes, figure.layout.annotations, strict=True):
        assert shape.x0 < annotation.x < shape.x1
        assert shape.y0 < annotation.y < shape.y1
        cfr, ssi = annotation.x, annotation.y
        # The shape's name is that of the region its middle lies in.
        made = made_rates(1.0, cfr, ssi, 0.0)
        assert annotation.text == f"<b>{made.region.value.capitalize()}</b>"


def test_published_results_are_a_layer_that_cannot_be_clicked() -> None:
    style = replace(STYLE, published=published_results())
    trace = named(evidence_plane([ANIMAL], 1, style), "published (68)")
    assert len(trace.x) == 68
    assert trace.customdata is None
    assert trace.marker.color == palette.GREY


def test_runs_of_one_dataset_are_joined_in_their_order() -> None:
    figure = evidence_plane(RUNS, 1, replace(STYLE, is_joined=True))
    (line,) = (trace for trace in figure.data if trace.mode == "lines")
    places = list(zip(line.x, line.y, strict=True))
    gap = (None, None)
    assert places == [(0.3, 0.4), (0.1, 1.0), gap, (0.6, 0.25), gap, (0.9, 1.0)]


def test_chosen_runs_are_ringed() -> None:
    style = replace(STYLE, chosen=frozenset({"cattle-other", "deer-made"}))
    figure = evidence_plane(RUNS, 1, style)
    (ring,) = (trace for trace in figure.data if trace.marker.symbol == "circle-open")
    assert (ring.x, ring.y) == ((0.1,), (1.0,))


def test_bars_of_one_run() -> None:
    (bars,) = retrieval_bars([SCENERY], 1).data
    assert bars.x == (0.4, 0.1, 0.4, 0.0)
    assert bars.y[2] == "Surroundings alone  0.40"
    assert bars.marker.color == tuple(palette.VIEWS[view] for view in View)
    assert bars.error_x.array[0] == pytest.approx(0.05)


def test_chance_is_a_line_with_its_number() -> None:
    rates = replace(SCENERY, by_k={1: made_rates(0.4, 0.1, 0.4, 0.0, random=0.035)})
    figure = retrieval_bars([rates], 1)
    assert figure.layout.shapes[0].x0 == figure.layout.shapes[0].x1 == 0.035
    assert figure.layout.annotations[0].text == "chance 0.035"


def test_several_runs_stand_side_by_side() -> None:
    figure = retrieval_bars([SCENERY, AGAIN], 1)
    assert [trace.name for trace in figure.data] == ["cattle, other", "cattle, made"]
    assert figure.data[0].marker.color != figure.data[1].marker.color
    assert figure.data[0].y == figure.data[1].y
    assert len(figure.layout.shapes) == 2


def test_a_missing_interval_is_told() -> None:
    rates = made_rates(0.4, 0.1, 0.4, 0.0)
    rates = replace(rates, intervals={**rates.intervals, "cfr": (NAN, NAN)})
    assert rate_words("CFR", 0.1, rates, "cfr") == "CFR 0.100 (no 95 % interval)"
