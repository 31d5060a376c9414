"""The benchmark of the app: its made workspace is a real one, and its rows judge rightly."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks.app_server import AppServer, cpu_ticks, resident_bytes
from benchmarks.bench_app import ALLOWANCE_MB, Screen, Visit, memory_row, page_row, screens
from benchmarks.large_workspace import DATASET, make_large_workspace
from cfr_core.audit.comparison import compare_runs
from cfr_core.audit.drilldown import drill_down
from cfr_core.audit.queries import query_table
from cfr_core.audit.stored import read_profile
from cfr_core.types import View
from cfr_core.workspace.store import Workspace

N_ROWS = 203  # the last individual has three photos


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[str, ...]]:
    root = tmp_path_factory.mktemp("large")
    return root, make_large_workspace(root, N_ROWS)


def test_every_row_is_a_query_of_both_runs(made: tuple[Path, tuple[str, ...]]) -> None:
    root, runs = made
    with Workspace(root) as workspace:
        (summary,) = workspace.datasets()
        assert [record.run_id for record in workspace.runs()] == sorted(runs)
    assert (summary.name, summary.n_rows, summary.n_identities) == (DATASET, N_ROWS, 41)
    for run in runs:
        assert read_profile(root / "runs" / run).n_queries == N_ROWS
        queries = query_table(root / "runs" / run, 5)
        assert sorted(queries["row_id"]) == list(range(N_ROWS))
        assert queries["kind"].nunique() == 5
    compared = compare_runs(*(root / "runs" / run for run in runs), 1, n_resamples=10)
    assert compared.n_common == N_ROWS
    assert len(compared.changed)


def test_the_made_neighbours_say_what_the_ranks_say(
    made: tuple[Path, tuple[str, ...]],
) -> None:
    root, (run, _) = made
    for query in (0, 4, N_ROWS - 1):
        down = drill_down(root / "runs" / run, query)
        for view in View:
            rank = down.views[view].first_right_rank
            right = next(m for m in down.views[view].all_known if m.rank == rank)
            assert right.is_right
            assert right.photo.identity == down.query.identity
            assert right.photo.row_id != query


def test_each_page_is_measured(made: tuple[Path, tuple[str, ...]]) -> None:
    pages = {path.stem for path in (Path(__file__).parents[2] / "pages").glob("*.py")}
    measured = {screen.path.partition("?")[0] or "overview" for screen in screens(made[1])}
    assert measured == pages - {"__init__", "main"}


@pytest.mark.parametrize(
    ("later", "holds"),
    [
        ([1.9, 2.0, 2.0], True),
        # One slow visit of three is another program's doing.
        ([1.0, 1.0, 9.0], True),
        ([1.0, 2.1, 2.2], False),
    ],
)
def test_a_page_is_judged_by_its_median_later_visit(later: list[float], holds: bool) -> None:
    screen = Screen("Overview", "", "h1")
    row = page_row(screen, Visit(8.0, 3.0), [Visit(seconds, 0.4) for seconds in later])
    assert row.holds is holds
    assert "first visit 8.00 s" in row.other


@pytest.mark.parametrize(("grown_mb", "holds"), [(-5.0, True), (ALLOWANCE_MB + 1, False)])
def test_memory_must_stay_flat(grown_mb: float, holds: bool) -> None:
    assert memory_row(400.0, 400.0 + grown_mb).holds is holds


def test_what_linux_says_of_a_process_is_read() -> None:
    assert resident_bytes("Name:\tx\nVmHWM:\t  9 kB\nVmRSS:\t  2048 kB\n") == 2048 * 1024
    assert cpu_ticks("7 (a) b) S 1 7 7 0 -1 4194304 100 0 0 0 120 30 0 0 20 0") == 150
    with pytest.raises(ValueError, match="VmRSS"):
        resident_bytes("Name:\tx\n")


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="only Linux has /proc")
def test_this_process_is_measured() -> None:
    server = AppServer("", os.getpid())
    before_s, before_mb = server.cpu_s, server.memory_mb
    kept = np.ones(20_000_000)
    start_s = time.process_time()
    while time.process_time() < start_s + 0.2:
        kept += 1
    assert server.cpu_s - before_s >= 0.15
    assert server.memory_mb - before_mb > 0.9 * kept.nbytes / 1e6
