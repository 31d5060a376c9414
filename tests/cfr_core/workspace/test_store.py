"""The workspace database: what is imported is what is read, and nothing is lost by accident."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from cfr_core.datasets.records import (
    COLUMNS,
    Annotations,
    DatasetCard,
    Finding,
    ImportReport,
    ImportResult,
    Severity,
)
from cfr_core.errors import InputError, UnknownRowError, WorkspaceError
from cfr_core.masks.rle import encode
from cfr_core.types import Mask, MaskStatus, SilhouetteRole
from cfr_core.workspace.store import RunRecord, Workspace


def tiny_import(name: str = "zebras") -> ImportResult:
    """Three rows with awkward names, a box, a date, a further column; two with masks."""
    n = 3
    table = pd.DataFrame(
        {
            "row_id": range(n),
            "source_row": [1, 2, 4],
            "path": ["a/1.jpg", "b/1.jpg", "ü'; DROP TABLE rows;.jpg"],
            "identity": pd.array(["007", "NA", None], "string"),
            "is_known": [True, True, False],
            **{f"bbox_{c}": pd.array([1, None, None], "Int64") for c in "xywh"},
            "width": 4,
            "height": 3,
            "captured_at": pd.to_datetime(["2019-07-14 08:30:00", None, None]).astype(
                "datetime64[s]"
            ),
            **{
                column: pd.array(["x", None, None], "string")
                for column in ("encounter", "camera", "orientation", "split", "species")
            },
            "file_sha256": ["0" * 64, "1" * 64, "2" * 64],
            "file_bytes": 10,
            "exif_orientation": 1,
            "weather": pd.array(["rain", "", None], "string"),
        }
    )
    masks = tuple(
        Mask(row, (3, 4), encode(np.eye(3, 4, k=row, dtype=bool)), "dataset", MaskStatus.ACCEPTED)
        for row in (0, 2)
    )
    finding = Finding(Severity.SET_ASIDE, "missing file", "c.jpg", 3, "not there", "copy it")
    card = DatasetCard(name, "/photos", SilhouetteRole.SHORTCUT, "given", prompts=("zebra",))
    return ImportResult(card, Annotations(table), masks, ImportReport(4, 3, 2, (finding,)))


def test_a_dataset_comes_back_as_it_went_in(tmp_path: Path) -> None:
    result = tiny_import()
    with Workspace(tmp_path) as workspace:
        workspace.add_dataset(result)
    with Workspace(tmp_path) as workspace:
        assert workspace.card("zebras") == result.card
        assert workspace.report("zebras") == result.report
        assert tuple(workspace.masks("zebras").values()) == result.masks
        table = workspace.annotations("zebras").table
    pd.testing.assert_frame_equal(table, result.annotations.table, check_dtype=False)
    assert list(table.columns) == [*COLUMNS, "weather"]


def test_row_ids_are_unique_across_datasets(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.add_dataset(tiny_import("first"))
        workspace.add_dataset(tiny_import("second"))
        assert workspace.annotations("second").table["row_id"].tolist() == [3, 4, 5]
        assert list(workspace.masks("second")) == [3, 5]
        summaries = workspace.datasets()
    assert [(s.name, s.n_rows, s.n_identities, s.n_unknown) for s in summaries] == [
        ("first", 3, 2, 1),
        ("second", 3, 2, 1),
    ]
    assert [s.n_accepted_masks for s in summaries] == [2, 2]


def test_a_taken_name_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.add_dataset(tiny_import())
        with pytest.raises(InputError, match="exists"):
            workspace.add_dataset(tiny_import())
        with pytest.raises(InputError, match="exists"):
            workspace.check_room("zebras")
        workspace.check_room("zebras", replace=True)
        assert len(workspace.annotations("zebras")) == 3
        workspace.add_dataset(tiny_import(), replace=True)
        assert len(workspace.annotations("zebras")) == 3


def test_a_row_id_never_comes_to_mean_another_picture(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.add_dataset(tiny_import())
        workspace.add_dataset(tiny_import(), replace=True)
        assert workspace.annotations("zebras").table["row_id"].tolist() == [3, 4, 5]
        with pytest.raises(UnknownRowError, match="no row 2 "):
            workspace.crop(2)


def test_a_crop_is_where_its_row_says_with_its_accepted_mask(tmp_path: Path) -> None:
    result = tiny_import()
    unreviewed = replace(result.masks[1], status=MaskStatus.PROPOSED)
    with Workspace(tmp_path) as workspace:
        workspace.add_dataset(replace(result, masks=(result.masks[0], unreviewed)))
        boxed, plain, proposed = map(workspace.crop, range(3))
    assert Path(boxed.path) == Path("/photos/a/1.jpg")
    assert (boxed.bbox_xywh, plain.bbox_xywh) == ((1, 1, 1, 1), None)
    assert [crop.file_sha256 for crop in (boxed, plain)] == ["0" * 64, "1" * 64]
    assert boxed.mask == result.masks[0]
    assert (plain.mask, proposed.mask) == (None, None)


def test_the_last_version_of_a_mask_counts(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.add_dataset(tiny_import())
        assert workspace.crop(0).mask is not None
        with workspace._database.transaction() as cursor:
            cursor.execute(
                "INSERT INTO masks SELECT * REPLACE (2 AS version, 'rejected' AS status) "
                "FROM masks WHERE row_id = 0"
            )
        assert workspace.crop(0).mask is None
        assert workspace.browse("zebras")["mask_status"].tolist()[0] == "rejected"
        assert workspace.browse("zebras")["mask_version"].tolist() == [2, 0, 1]
        assert workspace.masks("zebras")[0].status is MaskStatus.REJECTED


def test_rows_are_browsed_with_the_state_of_their_masks(tmp_path: Path) -> None:
    result = tiny_import()
    unreviewed = replace(result.masks[1], status=MaskStatus.PROPOSED)
    with Workspace(tmp_path) as workspace:
        workspace.add_dataset(tiny_import("other"))
        workspace.add_dataset(replace(result, masks=(result.masks[0], unreviewed)))
        rows = workspace.browse("zebras")
        with pytest.raises(InputError, match="no dataset"):
            workspace.browse("zebra")
    assert rows["row_id"].tolist() == [3, 4, 5]
    assert rows["mask_status"].tolist() == ["accepted", "", "proposed"]
    assert rows["mask_version"].tolist() == [1, 0, 1]
    assert rows["identity"].isna().tolist() == [False, False, True]


def test_replacing_never_loses_masks_made_here(tmp_path: Path) -> None:
    result = tiny_import()
    by_hand = replace(result, masks=(replace(result.masks[0], source="human"),))
    with Workspace(tmp_path) as workspace:
        workspace.add_dataset(by_hand)
        with pytest.raises(InputError, match="1 masks made in this workspace"):
            workspace.add_dataset(result, replace=True)
        assert workspace.masks("zebras")[0].source == "human"


@pytest.mark.parametrize("name", ["", "../x", "a b", "x" * 81, ".hidden"])
def test_names_that_are_no_plain_names_are_refused(tmp_path: Path, name: str) -> None:
    with Workspace(tmp_path) as workspace, pytest.raises(InputError, match="dataset name"):
        workspace.add_dataset(tiny_import(name))


def test_an_unknown_dataset_is_answered_with_those_there(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.add_dataset(tiny_import())
        with pytest.raises(InputError, match=r"no dataset 'zebra' .*there: zebras"):
            workspace.annotations("zebra")


def test_the_holder_of_the_lock_is_named(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from cfr_core.workspace.store import Workspace\n"
        "w = Workspace(pathlib.Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(WorkspaceError, match=f"open in process {holder.pid}"):
            Workspace(tmp_path)
        holder.communicate("")


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "audit.duckdb").write_bytes(b"no database" * 1000)
    with pytest.raises(WorkspaceError, match=r"audit\.duckdb"):
        Workspace(tmp_path)


def test_a_newer_workspace_is_not_touched(tmp_path: Path) -> None:
    with Workspace(tmp_path):
        pass
    with duckdb.connect(str(tmp_path / "audit.duckdb")) as connection:
        connection.execute("INSERT INTO schema_version VALUES (99)")
    with pytest.raises(WorkspaceError, match="version 99"):
        Workspace(tmp_path)


def test_a_run_with_the_same_id_replaces_its_record(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.register_run(RunRecord("r1", "zebras", "tiny", "2026-01-01T00:00:00"))
        workspace.register_run(RunRecord("r1", "zebras", "tiny", "2026-01-02T00:00:00"))
        assert [run.finished_at for run in workspace.runs()] == ["2026-01-02T00:00:00"]
