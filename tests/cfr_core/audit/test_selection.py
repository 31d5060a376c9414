"""Benchmark rows: known identity and an accepted mask; everything else is counted, with why."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from cfr_core.audit.selection import LeftOut, retrieval_task, rows_asked_for, select_rows
from cfr_core.audit.spec import AuditSpec
from cfr_core.datasets.records import COLUMNS, Annotations
from cfr_core.errors import InputError, UndefinedAuditError
from cfr_core.types import Mask, MaskStatus

SPEC = AuditSpec("zebras", "effnet-lite0")


def annotations(identities: list[str | None], **columns: list[object]) -> Annotations:
    """Rows with these identities; "unknown" and None are not known; other columns as given."""
    n = len(identities)
    table = pd.DataFrame(dict.fromkeys(COLUMNS, 0), index=range(n)).assign(
        row_id=range(100, 100 + n),
        path=[f"{i}.jpg" for i in range(n)],
        identity=pd.array(identities, "string"),
        is_known=[name not in (None, "unknown") for name in identities],
        captured_at=pd.NaT,
        file_sha256=[f"{i:064d}" for i in range(n)],
        **{name: pd.array([None] * n, "string") for name in ("encounter", "camera", "split")},
    )
    return Annotations(table.assign(**columns))


def masks(rows: Annotations, *, but: tuple[int, ...] = ()) -> dict[int, Mask]:
    """An accepted mask for every row except those named."""
    return {
        row_id: Mask(row_id, (1, 1), "01", "dataset", MaskStatus.ACCEPTED)
        for row_id in rows.table["row_id"]
        if row_id not in but
    }


def test_rows_are_left_out_with_their_reason() -> None:
    rows = annotations(["a", "a", None, "unknown", "b", "b"])
    current = masks(rows, but=(101,))
    current[104] = replace(current[104], status=MaskStatus.PROPOSED)

    selection = select_rows(rows, current, SPEC)

    assert selection.table["row_id"].tolist() == [100, 105]
    assert [mask.row_id for mask in selection.masks] == [100, 105]
    assert dict(zip(selection.left_out["row_id"], selection.left_out["reason"], strict=True)) == {
        101: LeftOut.NO_MASK,
        102: LeftOut.UNKNOWN_IDENTITY,
        103: LeftOut.UNKNOWN_IDENTITY,
        104: LeftOut.NO_MASK,
    }


def test_no_row_left_is_an_error_that_says_why() -> None:
    rows = annotations(["a", "a", None])
    with pytest.raises(UndefinedAuditError, match="2 no accepted mask, 1 unknown identity"):
        select_rows(rows, {}, SPEC)


def test_a_split_takes_its_two_labels_and_counts_the_rest() -> None:
    rows = annotations(["a", "a", "a"], split=pd.array(["query", "database", "other"], "string"))
    spec = replace(SPEC, split=("query", "database"))

    selection = select_rows(rows, masks(rows), spec)
    task = retrieval_task(selection.table, spec)

    assert selection.left_out["reason"].tolist() == [LeftOut.OUTSIDE_SPLIT]
    assert task.query_rows.tolist() == [0]
    assert task.gallery_rows.tolist() == [1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"exclude": ("camra",)}, "perhaps camera"),  # misspelt
        ({"exclude": ("camera",)}, "empty"),  # nothing to exclude by
        ({"split": ("query", "gallery")}, "no row has the label 'query'"),
        ({"where": (("sid", "left"),)}, "no such column; perhaps"),
        ({"where": (("identity", "c"),)}, "no row has that value; there are a"),
    ],
)
def test_rules_that_cannot_apply_are_refused(changes: dict[str, object], words: str) -> None:
    rows = annotations(["a", "a"])
    with pytest.raises(InputError, match=words):
        select_rows(rows, masks(rows), replace(SPEC, **changes))


def test_a_filter_joins_values_of_a_column_and_narrows_by_another() -> None:
    rows = annotations(
        ["a"] * 4,
        side=pd.array(["left", "right", None, "left"], "string"),
        camera=pd.array(["c1", "c1", "c1", "c2"], "string"),
    )
    spec = replace(SPEC, where=(("side", "left"), ("side", "right"), ("camera", "c1")))

    selection = select_rows(rows, masks(rows), spec)

    assert selection.table["row_id"].tolist() == [100, 101]
    assert selection.left_out["reason"].tolist() == [LeftOut.FILTERED] * 2


def test_a_column_that_is_not_there_holds_no_value() -> None:
    table = annotations(["a", "b"]).table
    assert rows_asked_for(table, ()).tolist() == [True, True]
    assert rows_asked_for(table, (("identity", "a"), ("sid", "left"))).tolist() == [False, False]


def test_exclusion_codes_follow_days_and_files_and_unknown_excludes_nothing() -> None:
    rows = annotations(
        ["a"] * 4,
        captured_at=pd.to_datetime(
            ["2019-07-14 08:30", "2019-07-14 23:59", "2019-07-15 00:00", None]
        ),
        camera=pd.array(["c1", "", None, "c1"], "string"),
    )
    task = retrieval_task(rows.table, replace(SPEC, exclude=("date", "file", "camera")))
    np.testing.assert_array_equal(
        task.exclusion_codes, [[0, 0, 0], [0, 1, -1], [1, 2, -1], [-1, 3, 0]]
    )


@pytest.mark.parametrize("changes", [{"ks": ()}, {"ks": (0,)}, {"n_resamples": 5}])
def test_a_spec_that_makes_no_sense_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InputError):
        replace(SPEC, **changes)


def test_a_spec_survives_its_json() -> None:
    spec = replace(
        SPEC, ks=(10, 1, 1), exclude=("date", "date"), split=("q", "g"), where=(("side", "left"),)
    )
    assert spec.ks == (1, 10)
    assert AuditSpec.from_json(spec.to_json()) == spec
