"""Two runs of one dataset: paired differences, and queries that changed kind."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfr_core.audit.comparison import compare_runs
from cfr_core.audit.kinds import MatchKind
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.queries import query_table
from cfr_core.audit.spec import AuditSpec
from cfr_core.audit.stored import read_queries
from cfr_core.datasets.records import Annotations
from cfr_core.errors import InputError
from cfr_core.types import View
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset
from tests.made_run import ANIMAL, SCENERY, made_run

K = 1


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, EvidenceProfile]]:
    """Runs by name: matched by scenery, by the animal, and by scenery with stricter galleries.

    In the stricter ones the last half of the photos has no right answer left.
    """
    folder = tmp_path_factory.mktemp("comparison")
    discs = made_dataset(folder / "photos", n_photos=60)
    encounters = pd.array([f"{i if i < 30 else i // 3}" for i in range(60)], "string")
    table = discs.annotations.table.assign(encounter=encounters)
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(replace(discs, annotations=Annotations(table)))
        workspace.add_dataset(made_dataset(folder / "photos", "other", n_photos=30))
        spec = AuditSpec("discs", "made", n_resamples=200)
        profiles = {
            "scenery": made_run(workspace, spec, SCENERY),
            "animal": made_run(workspace, replace(spec, encoder="better"), ANIMAL),
            "strict": made_run(workspace, replace(spec, exclude=("encounter",)), SCENERY),
            "other": made_run(workspace, replace(spec, dataset="other"), SCENERY),
        }
        return {
            name: (workspace.runs_dir / profile.run_id, profile)
            for name, profile in profiles.items()
        }


def test_over_the_same_queries_the_numbers_are_those_of_the_runs(runs) -> None:
    (first, one), (second, other) = runs["scenery"], runs["animal"]
    found = compare_runs(first, second, K)
    assert (found.n_common, found.n_identities) == (one.n_queries, one.n_identities)
    assert (found.n_only_first, found.n_only_second) == (0, 0)
    for name, difference in found.differences.items():
        for profile, value in ((one, difference.first), (other, difference.second)):
            rates = profile.by_k[K]
            expected = rates.retrieval[View(name)] if name in list(View) else getattr(rates, name)
            assert value == pytest.approx(expected, abs=1e-9), name


def test_a_clear_difference_is_called_clear_and_the_order_only_turns_it(runs) -> None:
    first, second = runs["scenery"][0], runs["animal"][0]
    found, turned = compare_runs(first, second, K), compare_runs(second, first, K)
    shortcut = found.differences["shortcut"]
    assert shortcut.change < -0.3
    assert shortcut.is_clear
    assert found.differences["random"].interval == (0, 0)
    assert not found.differences["random"].is_clear
    for name, difference in found.differences.items():
        low, high = turned.differences[name].interval
        assert difference.change == pytest.approx(-turned.differences[name].change, abs=1e-12)
        assert difference.interval == pytest.approx((-high, -low), abs=1e-12, nan_ok=True)


def test_a_run_does_not_differ_from_itself(runs) -> None:
    found = compare_runs(runs["scenery"][0], runs["scenery"][0], K)
    for difference in found.differences.values():
        assert difference.change == 0
        assert difference.interval == (0, 0)
    assert found.changed.empty
    assert found.kinds.to_numpy().trace() == found.n_common


def test_the_interval_is_that_of_the_paired_difference(runs) -> None:
    """Against resampling written out: individuals are drawn, and both runs share the draw."""
    (first, _), (second, _) = runs["scenery"], runs["animal"]
    one, other = read_queries(first), read_queries(second)
    change = (other["full_rank"] <= K).astype(float) - (one["full_rank"] <= K)
    by_identity = [group.to_numpy() for _, group in change.groupby(one["identity"])]
    rng = np.random.default_rng(1)
    means = [
        np.concatenate(
            [by_identity[i] for i in rng.integers(len(by_identity), size=len(by_identity))]
        ).mean()
        for _ in range(4000)
    ]
    low, high = compare_runs(first, second, K, n_resamples=4000).differences["full"].interval
    assert (low, high) == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.02)


def test_queries_that_only_one_run_has_are_counted_and_left_out(runs) -> None:
    (first, one), (second, other) = runs["scenery"], runs["strict"]
    assert other.n_queries < one.n_queries
    found = compare_runs(first, second, K)
    asked = set(read_queries(first)["row_id"]) & set(read_queries(second)["row_id"])
    assert set(found.queries["row_id"]) == asked
    assert found.n_common == len(asked)
    assert found.n_only_first == one.n_queries - len(asked)
    assert found.differences["random"].change != 0


def test_kinds_are_those_of_the_evidence_page(runs) -> None:
    (first, _), (second, _) = runs["scenery"], runs["animal"]
    found = compare_runs(first, second, K)
    for name, folder in (("first_kind", first), ("second_kind", second)):
        expected = query_table(folder, K).set_index("row_id")["kind"]
        own = found.queries.set_index("row_id")[name]
        assert own.to_dict() == expected.loc[own.index].to_dict()
    assert found.kinds.to_numpy().sum() == found.n_common
    assert list(found.kinds.index) == list(MatchKind)


def test_changed_queries_start_with_the_most_suspicious(runs) -> None:
    changed = compare_runs(runs["scenery"][0], runs["animal"][0], K).changed
    place = {kind: i for i, kind in enumerate(MatchKind)}
    worst = [
        min(place[one], place[other])
        for one, other in zip(changed["first_kind"], changed["second_kind"], strict=True)
    ]
    assert worst == sorted(worst)
    assert (changed["first_kind"] != changed["second_kind"]).all()


def test_runs_of_different_datasets_are_refused(runs) -> None:
    with pytest.raises(InputError, match="different datasets, 'discs' and 'other'"):
        compare_runs(runs["scenery"][0], runs["other"][0], K)
