"""Numbers of a dataset, against counts by hand."""

import pandas as pd
import pytest

from cfr_core.datasets.facts import NO_MASK, cover_rows, dataset_facts, duplicates, findings_table
from cfr_core.datasets.filters import RowFilter
from cfr_core.datasets.records import Finding, ImportReport, Severity


def text(*values: str | None) -> pd.Series:
    return pd.Series(values, dtype="string")


@pytest.fixture
def rows() -> pd.DataFrame:
    identity = text("ana", "ana", "ana", "bea", "cleo", None, "?")
    return pd.DataFrame(
        {
            "row_id": range(10, 17),
            "path": text("1.jpg", "1.jpg", "b/2.jpg", "3.jpg", "4.jpg", "5.jpg", "6.jpg"),
            "identity": identity,
            "is_known": identity.notna() & (identity != "?"),
            "captured_at": pd.to_datetime(
                ["2020-01-02", None, "2019-05-01", None, "2021-03-04", None, None]
            ),
            "encounter": text("e1", "e1", "e2", None, None, None, None),
            "camera": text(*[None] * 7),
            "orientation": text("left", *[None] * 6),
            "split": text(*[None] * 7),
            "species": text(*["Zebra"] * 7),
            "mask_status": text("accepted", "accepted", "proposed", "rejected", "", "accepted", ""),
        }
    )


def test_counts(rows: pd.DataFrame) -> None:
    facts = dataset_facts(rows)
    assert (facts.n_rows, facts.n_images, facts.n_identities) == (7, 6, 3)
    assert (facts.n_unknown, facts.n_single, facts.n_encounters) == (2, 2, 2)
    assert facts.n_cameras == 0
    assert facts.rows_per_identity.tolist() == [3, 1, 1]
    assert facts.n_dated == 3
    assert (facts.first_date.year, facts.last_date.year) == (2019, 2021)
    assert facts.masks == {"proposed": 1, "accepted": 3, "rejected": 1, NO_MASK: 2}
    assert facts.n_audited == 2, "one of the accepted masks is of a row of unknown identity"


def test_an_empty_dataset_has_facts(rows: pd.DataFrame) -> None:
    facts = dataset_facts(rows.iloc[:0])
    assert facts.n_identities == facts.n_rows == 0
    assert pd.isna(facts.first_date)


@pytest.mark.parametrize(
    ("chosen", "row_ids"),
    [
        (RowFilter(), [10, 11, 12, 13, 14, 15, 16]),
        (RowFilter("ana"), [10, 11, 12]),
        (RowFilter("ANA e1"), [10, 11]),  # every word, in any case
        (RowFilter("b/2"), [12]),
        (RowFilter("zebra left"), [10]),
        (RowFilter("."), [10, 11, 12, 13, 14, 15, 16]),  # no pattern: "." is a point
        (RowFilter("?"), [16]),
        (RowFilter("jpg\nana"), [10, 11, 12]),
        (RowFilter("an a"), [10, 11, 12]),
        (RowFilter('"an a"'), []),  # in quotes words stand together
        (RowFilter('"b/2.jpg" ana'), [12]),
        (RowFilter('"'), []),
        (RowFilter(mask="accepted"), [10, 11, 15]),
        (RowFilter(mask=NO_MASK), [14, 16]),
        (RowFilter(identity="unknown"), [15, 16]),
        (RowFilter("jpg", mask="accepted", identity="known"), [10, 11]),
        (RowFilter("nowhere"), []),
        (RowFilter("ana", mask="rejected"), []),
    ],
)
def test_rows_are_chosen(rows: pd.DataFrame, chosen: RowFilter, row_ids: list[int]) -> None:
    assert chosen.apply(rows)["row_id"].tolist() == row_ids


def test_a_card_shows_different_individuals(rows: pd.DataFrame) -> None:
    assert cover_rows(rows, 4) == (10,), "only ana is known and has an accepted mask"
    assert cover_rows(rows.assign(mask_status=""), 3) == (10, 14, 16)
    everyone = rows.assign(mask_status="accepted")
    assert cover_rows(everyone, 2) == (10, 14)
    assert cover_rows(everyone, 9) == (10, 13, 14)
    assert cover_rows(rows.iloc[:0], 4) == ()


def test_findings_come_with_the_gravest_first() -> None:
    findings = (
        Finding(Severity.NOTE, "duplicate files, same identity", "a.jpg", 3, "two", "one"),
        Finding(Severity.NOTE, "dates", "t.csv", None, "m", "a"),
        Finding(Severity.SET_ASIDE, "missing file", "b.jpg", 1, "gone", "look"),
    )
    report = ImportReport(3, 2, 0, findings)
    table = findings_table(report)
    assert table["What happened"].tolist() == ["set aside", "note", "note"]
    assert table["Row"].tolist() == [1, 3, pd.NA]
    assert [f.file for f in duplicates(report)] == ["a.jpg"]
    assert findings_table(ImportReport(0, 0, 0, ())).empty
