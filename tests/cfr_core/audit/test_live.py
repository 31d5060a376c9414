"""An updated run is the run made anew, in every number and place."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfr_core.audit.job import prepare
from cfr_core.audit.live import LiveAudits, update_run
from cfr_core.audit.next_state import read_before
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.run import register, run_audit
from cfr_core.audit.spec import AuditSpec
from cfr_core.audit.staleness import stale_runs, staleness
from cfr_core.audit.stored import read_profile
from cfr_core.datasets.records import Annotations
from cfr_core.errors import InputError
from cfr_core.masks import rle
from cfr_core.types import Mask, MaskStatus, Progress, View
from cfr_core.workspace.store import Workspace
from tests.grid_encoder import GridEngine, use_grid_encoder
from tests.made_dataset import made_dataset

N_ROWS = 40
NO_MASK, PROPOSED, UNKNOWN = 1, 2, 3
SPEC = AuditSpec("discs", "grid", ks=(1, 5), n_resamples=100)


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> GridEngine:
    return use_grid_encoder(monkeypatch)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Discs with encounters of two and a split."""
    result = made_dataset(tmp_path / "photos", n_photos=N_ROWS)
    table = result.annotations.table.assign(
        encounter=pd.array([f"e{row // 2}" for row in range(N_ROWS)], "string"),
        split=pd.array(["query" if row % 3 else "gallery" for row in range(N_ROWS)], "string"),
    )
    with Workspace(tmp_path / "workspace") as opened:
        opened.add_dataset(replace(result, annotations=Annotations(table)))
        yield opened


def run(workspace: Workspace, spec: AuditSpec = SPEC) -> str:
    profile = run_audit(prepare(workspace, spec).folder)
    register(workspace, profile)
    return profile.run_id


def edit(workspace: Workspace, row_id: int, seed: int = 0) -> None:
    """Another rectangle of the animal, accepted."""
    top, left = np.random.default_rng((row_id, seed)).integers(5, 40, 2)
    pixels = np.zeros((90, 120), np.bool_)
    pixels[top : top + 30, left : left + 45] = True
    version, _ = workspace.mask_history.current(row_id)
    mask = Mask(row_id, (90, 120), rle.encode(pixels), "human", MaskStatus.ACCEPTED)
    workspace.mask_history.add(mask, based_on=version)


def review(workspace: Workspace, row_id: int, status: MaskStatus) -> None:
    version, _ = workspace.mask_history.current(row_id)
    workspace.mask_history.review(row_id, status, author="", based_on=version)


def numbers(profile: EvidenceProfile) -> dict:
    varying = ("run_id", "finished_at", "timing")
    return {name: value for name, value in profile.to_json().items() if name not in varying}


def assert_as_made_anew(workspace: Workspace, run_id: str, spec: AuditSpec = SPEC) -> None:
    """Against the same question asked now, which has a run of its own."""
    anew = prepare(workspace, spec).folder
    assert anew.name != run_id
    run_audit(anew)
    updated = workspace.runs_dir / run_id
    assert numbers(read_profile(updated)) == numbers(read_profile(anew))
    for name in ("rows", "left_out", "queries", "neighbours"):
        pd.testing.assert_frame_equal(
            pd.read_parquet(updated / f"{name}.parquet"),
            pd.read_parquet(anew / f"{name}.parquet"),
            check_exact=True,
            obj=name,
        )


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"exclude": ("encounter",)},
        {"split": ("query", "gallery")},
        {"where": (("split", "query"),)},
    ],
    ids=["leave-one-out", "encounter", "split", "filtered"],
)
def test_edited_accepted_and_rejected_masks(workspace: Workspace, rules: dict):
    spec = replace(SPEC, **rules)
    run_id = run(workspace, spec)
    edit(workspace, 10)
    edit(workspace, 11)
    review(workspace, PROPOSED, MaskStatus.ACCEPTED)
    edit(workspace, NO_MASK)
    review(workspace, 20, MaskStatus.REJECTED)
    update = update_run(workspace, run_id)
    assert update.was_repaired
    assert_as_made_anew(workspace, run_id, spec)


def test_only_the_masked_views_of_edited_rows_are_embedded(
    workspace: Workspace, engine: GridEngine
):
    run_id = run(workspace)
    n_before = engine.n_images
    edit(workspace, 10)
    edit(workspace, 12)
    update = update_run(workspace, run_id)
    assert engine.n_images - n_before == update.after.n_embedded == 2 * 3
    assert update.stale.changed == (10, 12)


def test_edit_after_edit_in_one_session(workspace: Workspace, engine: GridEngine):
    run_id = run(workspace)
    live = LiveAudits(workspace)
    for seed, row_id in enumerate((10, 11, 10, 30, 33)):
        edit(workspace, row_id, seed)
        update = live.update(run_id)
        assert update.was_repaired
        assert update.stale.changed == (row_id,)
    review(workspace, 30, MaskStatus.REJECTED)
    assert live.update(run_id).stale.gone == (30,)
    assert_as_made_anew(workspace, run_id)

    # Back to an older version of the mask: its vectors are stored, and nothing is embedded.
    n_before = engine.n_images
    version, _ = workspace.mask_history.current(10)
    workspace.mask_history.restore(10, 1, author="", based_on=version)
    assert live.update(run_id).after.n_embedded == 0
    assert engine.n_images == n_before
    assert_as_made_anew(workspace, run_id)


def test_another_program_goes_on_where_the_last_one_was(workspace: Workspace):
    run_id = run(workspace)
    edit(workspace, 10)
    update_run(workspace, run_id)
    edit(workspace, 22)
    update = update_run(workspace, run_id)
    assert update.was_repaired
    assert update.stale.changed == (22,)
    assert_as_made_anew(workspace, run_id)


def test_without_kept_rankings_everything_is_ranked_anew(workspace: Workspace):
    run_id = run(workspace)
    shutil.rmtree(workspace.cache_dir)
    edit(workspace, 10)
    update = update_run(workspace, run_id)
    assert not update.was_repaired
    assert update.after.n_embedded == 3
    assert_as_made_anew(workspace, run_id)
    edit(workspace, 11)
    assert update_run(workspace, run_id).was_repaired


def test_many_edits_at_once_are_ranked_anew(workspace: Workspace):
    run_id = run(workspace)
    for row_id in range(10, 30):
        edit(workspace, row_id)
    told: list[Progress] = []
    assert not update_run(workspace, run_id, on_progress=told.append).was_repaired
    assert_as_made_anew(workspace, run_id)
    assert list(dict.fromkeys(progress.stage for progress in told)) == ["Embedding", "Ranking anew"]
    assert told[-1].total == len(View)


def test_what_an_update_tells(workspace: Workspace):
    run_id = run(workspace)
    before = read_profile(workspace.runs_dir / run_id)
    assert read_before(workspace.runs_dir / run_id) is None
    queries_before = pd.read_parquet(workspace.runs_dir / run_id / "queries.parquet")
    edit(workspace, 10)
    review(workspace, PROPOSED, MaskStatus.ACCEPTED)
    review(workspace, 20, MaskStatus.REJECTED)
    update = update_run(workspace, run_id)
    queries = pd.read_parquet(workspace.runs_dir / run_id / "queries.parquet")
    for side, table in (("before", queries_before), ("after", queries)):
        expected = table.set_index("row_id").loc[10]
        for view in View:
            assert getattr(update.ranks[10], side)[view] == expected[f"{view}_rank"]
    assert update.ranks[PROPOSED].before is None
    assert update.ranks[20].after is None
    assert numbers(update.before) == numbers(before)
    assert numbers(update.after) == numbers(read_profile(workspace.runs_dir / run_id))
    kept = read_before(workspace.runs_dir / run_id)
    assert kept is not None
    assert numbers(kept) == numbers(before)
    (record,) = workspace.runs()
    assert record.finished_at == update.after.finished_at


def test_which_runs_are_stale_and_by_which_rows(workspace: Workspace):
    run_id = run(workspace)
    other = run(workspace, replace(SPEC, where=(("split", "query"),)))
    assert stale_runs(workspace, "discs") == ()
    edit(workspace, 12)  # of the gallery, so that the other run does not have it
    (stale,) = stale_runs(workspace, "discs")
    assert (stale.run_id, stale.changed, stale.words) == (run_id, (12,), "1 mask was edited")
    review(workspace, 31, MaskStatus.REJECTED)
    review(workspace, PROPOSED, MaskStatus.ACCEPTED)
    edit(workspace, 10)
    found = {stale.run_id: stale for stale in stale_runs(workspace, "discs")}
    words = "1 mask was edited, 1 photo came in, 1 photo dropped out"
    assert found[other].words == words
    assert found[run_id].words == words.replace("1 mask was", "2 masks were")
    assert found[run_id] == staleness(workspace, run_id)
    assert (found[run_id].come, found[run_id].gone) == ((PROPOSED,), (31,))
    # The same pixels accepted once more change nothing.
    update_run(workspace, run_id)
    review(workspace, 12, MaskStatus.ACCEPTED)
    assert not staleness(workspace, run_id).is_stale
    assert stale_runs(workspace, "another dataset") == ()


def test_an_edited_row_whose_photo_is_gone_is_left_out(workspace: Workspace):
    run_id = run(workspace)
    (Path(workspace.card("discs").root) / "00010.jpg").unlink()
    edit(workspace, 10)
    update = update_run(workspace, run_id)
    assert sum("cannot be read" in reason for reason in update.after.left_out) == 1
    assert_as_made_anew(workspace, run_id)
    assert not staleness(workspace, run_id).is_stale


def test_a_run_of_another_engine_is_not_mixed(workspace: Workspace, engine: GridEngine):
    run_id = run(workspace)
    engine.name = "another"
    edit(workspace, 10)
    with pytest.raises(InputError, match="on grid, this machine would use grid on another"):
        update_run(workspace, run_id)
    engine.name = "grid"
    assert update_run(workspace, run_id).was_repaired


@pytest.mark.parametrize("n_moved", [0, 2, 4])
def test_a_program_that_ends_amid_an_update(
    workspace: Workspace, n_moved: int, monkeypatch: pytest.MonkeyPatch
):
    """Whatever has moved already, the run is whole again when it is next looked at."""
    run_id = run(workspace)
    edit(workspace, 10)
    moves = iter(range(n_moved))
    replace_file = Path.replace

    def failing(path: Path, target: Path) -> Path:
        if path.parent.name == "next" and not path.name.startswith("."):
            next(moves)
        return replace_file(path, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(StopIteration):
        update_run(workspace, run_id)
    monkeypatch.setattr(Path, "replace", replace_file)
    assert not staleness(workspace, run_id).is_stale
    assert_as_made_anew(workspace, run_id)


def test_where_nothing_changed_nothing_is_done(workspace: Workspace):
    run_id = run(workspace)
    edit(workspace, 10)
    update_run(workspace, run_id)
    before = read_before(workspace.runs_dir / run_id)
    update = update_run(workspace, run_id)
    assert not update.stale.is_stale
    assert update.before == update.after
    assert read_before(workspace.runs_dir / run_id) == before


def test_the_audit_of_older_masks_under_the_same_name_begins_unfinished(workspace: Workspace):
    """A folder never holds the rows of one state and the result of another."""
    run_id = run(workspace)
    folder = workspace.runs_dir / run_id
    prepare(workspace, SPEC)
    assert read_profile(folder)
    edit(workspace, 10)
    update_run(workspace, run_id)
    version, _ = workspace.mask_history.current(10)
    workspace.mask_history.restore(10, 1, author="", based_on=version)
    assert prepare(workspace, SPEC).folder == folder
    with pytest.raises(InputError, match="its profile cannot be read"):
        read_profile(folder)


def test_a_half_written_update_is_dropped(workspace: Workspace):
    run_id = run(workspace)
    folder = workspace.runs_dir / run_id
    before = read_profile(folder)
    (folder / "next").mkdir()
    (folder / "next" / "rows.parquet").write_bytes(b"half")
    assert not staleness(workspace, run_id).is_stale
    assert not (folder / "next").exists()
    assert numbers(read_profile(folder)) == numbers(before)
