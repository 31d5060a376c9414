"""Imports as jobs: what the worker leaves is what the workspace stores."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from cfr_core.datasets.check import check
from cfr_core.datasets.sources import read_source
from cfr_core.errors import InputError
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.import_files import load_import, save_import
from cfr_core.jobs.imports import IMPORT, ImportSpec, import_job
from cfr_core.jobs.records import JobOrder
from cfr_core.types import SilhouetteRole, no_progress
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset, write_photos


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Four photos of two animals, a fifth that is missing, columns in words of their own."""
    photos = write_photos(tmp_path / "photos" / "images", 4)
    lines = ["Picture,Name,When,Weather"]
    lines += [f"{photo.name},anna{i % 2},2024-05-0{i + 1},wet" for i, photo in enumerate(photos)]
    lines.append("lost.jpg,anna1,,")
    (tmp_path / "photos" / "metadata.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "photos"


@pytest.fixture
def spec(source: Path) -> ImportSpec:
    columns = {"path": "Picture", "identity": "Name", "captured_at": "When"}
    return ImportSpec(str(source), "annas", SilhouetteRole.IDENTITY, columns=columns)


def worked(workspace: Workspace, spec: ImportSpec) -> tuple[JobFolder, JobOrder]:
    """Folder and order after the worker's part."""
    new = import_job(workspace, spec)
    order = JobOrder(**vars(new), created_at="", queued_at=0.0)
    folder = JobFolder(workspace.root / "jobs" / "one")
    folder.write_order(order)
    IMPORT.work(folder, folder.order(), no_progress)
    return folder, folder.order()


def test_the_workspace_gets_what_the_check_found(tmp_path: Path, spec: ImportSpec) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        stored = IMPORT.store(workspace, *worked(workspace, spec))
        assert stored.words == "4 rows of 2 individuals, 0 masks; 1 rows set aside"
        assert stored.detail == {"dataset": "annas"}
        table = workspace.annotations("annas").table
        assert table["identity"].tolist() == ["anna0", "anna1", "anna0", "anna1"]
        assert table["Weather"].tolist() == ["wet"] * 4
        assert workspace.card("annas").silhouette_role is SilhouetteRole.IDENTITY
        assert workspace.report("annas").n_read == 5


def test_storing_twice_comes_to_the_same(tmp_path: Path, spec: ImportSpec) -> None:
    """The app may end between storing and noting it."""
    with Workspace(tmp_path / "workspace") as workspace:
        work = worked(workspace, spec)
        assert IMPORT.store(workspace, *work) == IMPORT.store(workspace, *work)
        assert [summary.n_rows for summary in workspace.datasets()] == [4]
        # Another import of that name is another matter.
        other = load_import(work[0].result_dir)
        save_import(work[0].result_dir, replace(other, card=replace(other.card, species="a zebra")))
        with pytest.raises(InputError, match="exists"):
            IMPORT.store(workspace, *work)


def test_a_taken_name_is_refused_before_the_work(tmp_path: Path, spec: ImportSpec) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.add_dataset(made_dataset(tmp_path / "discs", "annas"))
        with pytest.raises(InputError, match="exists"):
            import_job(workspace, spec)
        import_job(workspace, replace(spec, replace=True))


def test_a_source_without_a_row_fails_and_its_report_is_there(
    tmp_path: Path, spec: ImportSpec
) -> None:
    for photo in (Path(spec.source) / "images").iterdir():
        photo.unlink()
    with (
        Workspace(tmp_path / "workspace") as workspace,
        pytest.raises(InputError, match=r"nothing is stored \(5 missing file\)"),
    ):
        worked(workspace, spec)
    report = load_import(tmp_path / "workspace" / "jobs" / "one" / "result").report
    assert (report.n_read, report.n_used) == (5, 0)


def test_a_spec_comes_back_from_its_json(spec: ImportSpec) -> None:
    full = replace(
        spec,
        unknown_identities=("nobody", "?"),
        table="t.csv",
        kind="csv",
        masks="masks",
        wildlife="Zebras",
        replace=True,
    )
    for one in (spec, full, ImportSpec("a", "b")):
        assert ImportSpec.from_json(one.to_json()) == one


def test_a_dataset_comes_back_from_its_files(tmp_path: Path, source: Path) -> None:
    made = made_dataset(tmp_path / "discs")
    checked = check(read_source(source, columns={"path": "Picture"}), name="annas")
    for number, result in enumerate((made, checked)):
        save_import(tmp_path / str(number), result)
        back = load_import(tmp_path / str(number))
        assert (back.card, back.report, back.masks) == (result.card, result.report, result.masks)
        pd.testing.assert_frame_equal(back.annotations.table, result.annotations.table)
