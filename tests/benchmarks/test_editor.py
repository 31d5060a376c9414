"""The benchmark of the mask editor: its rows judge rightly."""

from benchmarks.bench_editor import editor_row


def test_the_median_counts_and_the_spread_is_told() -> None:
    row = editor_row("clicks", [40.0, 900.0, 60.0], 150.0)
    assert row.ours == "60 ms (40 to 900)"
    assert row.holds
    assert not editor_row("clicks", [200.0, 151.0, 149.0], 150.0).holds
