"""Blind audits: random rows, a person's masks apart from the dataset's, and how far they agree."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfr_core.errors import InputError, MaskError
from cfr_core.masks.agreement import iou
from cfr_core.masks.rle import decode, encode
from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace.blind_audit import agreement_table
from cfr_core.workspace.store import Workspace
from tests.made_dataset import made_dataset

SIZE_HW = (90, 120)


def drawn(row_id: int, pixels: np.ndarray) -> Mask:
    return Mask(row_id, SIZE_HW, encode(pixels), "human", MaskStatus.PROPOSED, author="Ben")


def nothing(row_id: int) -> Mask:
    return drawn(row_id, np.zeros(SIZE_HW, bool))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Rows 0 to 11, all with a mask but row 1."""
    with Workspace(tmp_path / "w") as workspace:
        workspace.add_dataset(made_dataset(tmp_path / "photos"))
        yield workspace


def test_the_seed_says_which_rows_and_a_rejected_mask_is_not_among_them(
    workspace: Workspace,
) -> None:
    workspace.mask_history.review(0, MaskStatus.REJECTED, author="Ana", based_on=1)
    audits = workspace.blind_audits
    first, second, other = (audits.draw("discs", 5, seed=s, author="Ana") for s in (7, 7, 8))
    assert first.n_eligible == 10
    assert audits.row_ids(first.audit_id) == audits.row_ids(second.audit_id)
    assert audits.row_ids(first.audit_id) != audits.row_ids(other.audit_id)
    everyone = audits.draw("discs", 10, seed=1, author="Ana")
    assert sorted(audits.row_ids(everyone.audit_id)) == list(range(2, 12))
    assert {audit.audit_id for audit in audits.of_dataset("discs")} == {
        audit.audit_id for audit in (first, second, other, everyone)
    }


@pytest.mark.parametrize(("n_rows", "source"), [(0, ""), (12, ""), (1, "sam3")])
def test_more_rows_than_there_are_are_refused(
    workspace: Workspace, n_rows: int, source: str
) -> None:
    with pytest.raises(InputError, match=r"rows were asked for, but \d+ of discs have a mask"):
        workspace.blind_audits.draw("discs", n_rows, seed=0, author="Ana", source=source)
    assert workspace.blind_audits.of_dataset("discs") == []


def test_only_the_masks_of_an_engine_are_drawn_when_asked(workspace: Workspace) -> None:
    workspace.mask_history.add_proposals([replace(nothing(1), source="sam3")])
    audit = workspace.blind_audits.draw("discs", 1, seed=0, author="Ana", source="sam3")
    assert (workspace.blind_audits.row_ids(audit.audit_id), audit.n_eligible) == ([1], 1)


def test_a_blind_mask_changes_nothing_but_the_audit(workspace: Workspace) -> None:
    audits = workspace.blind_audits
    audit = audits.draw("discs", 3, seed=3, author="Ana")
    before = workspace.masks("discs")
    row_id = audits.row_ids(audit.audit_id)[1]
    audits.add(audit.audit_id, nothing(row_id))
    assert workspace.masks("discs") == before
    rows = audits.row_ids(audit.audit_id)
    assert audits.to_do(audit.audit_id) == [rows[0], rows[2]]
    assert audits.audit(audit.audit_id).n_done == 1


def test_agreement_is_that_of_the_pixels_with_the_worst_first(workspace: Workspace) -> None:
    audits = workspace.blind_audits
    audit = audits.draw("discs", 4, seed=3, author="Ana")
    expected = {}
    for shift, row_id in enumerate(audits.row_ids(audit.audit_id)):
        machine = decode(workspace.masks("discs")[row_id])
        person = np.roll(machine, 3 * shift, axis=1)
        audits.add(audit.audit_id, nothing(row_id))
        audits.add(audit.audit_id, drawn(row_id, person))  # drawn again, this one counts
        expected[row_id] = iou(machine, person)
        # A later edit is not what was audited.
        workspace.mask_history.add(nothing(row_id), based_on=1)
    result = audits.result(audit.audit_id)
    assert list(result.pairs) == sorted(expected, key=lambda row_id: expected[row_id])
    for row_id, pair in result.pairs.items():
        assert pair.iou == pytest.approx(expected[row_id])
        assert (pair.version, pair.audited.source, pair.blind.author) == (1, "dataset", "Ben")
    numbers = result.agreement
    assert numbers.median_iou == pytest.approx(np.median(list(expected.values())))
    assert numbers.share_good == np.mean(np.array(list(expected.values())) > 0.9)
    assert audits.result(audit.audit_id).agreement == numbers  # the same draws of the bootstrap


def test_two_empty_masks_are_counted_apart(workspace: Workspace) -> None:
    workspace.mask_history.add_proposals([replace(nothing(1), source="sam3")])
    audit = workspace.blind_audits.draw("discs", 1, seed=0, author="Ana", source="sam3")
    workspace.blind_audits.add(audit.audit_id, nothing(1))
    result = workspace.blind_audits.result(audit.audit_id)
    assert (result.n_undefined, result.agreement.n) == (1, 0)
    assert np.isnan(result.ious).tolist() == [True]


def test_what_does_not_belong_to_the_audit_is_refused(workspace: Workspace) -> None:
    audits = workspace.blind_audits
    audit = audits.draw("discs", 2, seed=3, author="Ana")
    outside = next(i for i in range(12) if i not in audits.row_ids(audit.audit_id))
    with pytest.raises(InputError, match=f"row {outside} is not in the blind audit"):
        audits.add(audit.audit_id, nothing(outside))
    row_id = audits.row_ids(audit.audit_id)[0]
    with pytest.raises(MaskError, match="120 x 90 px"):
        audits.add(audit.audit_id, replace(nothing(row_id), size_hw=(120, 90)))
    with pytest.raises(InputError, match="no blind audit 'x'"):
        audits.result("x")


def test_a_dataset_with_blind_masks_is_not_replaced(workspace: Workspace, tmp_path: Path) -> None:
    audits = workspace.blind_audits
    audit = audits.draw("discs", 2, seed=3, author="Ana")
    again = made_dataset(tmp_path / "photos")
    audits.add(audit.audit_id, nothing(audits.row_ids(audit.audit_id)[0]))
    with pytest.raises(InputError, match="1 masks made in this workspace"):
        workspace.add_dataset(again, replace=True)


def test_audits_without_a_mask_go_with_their_dataset(workspace: Workspace, tmp_path: Path) -> None:
    workspace.blind_audits.draw("discs", 2, seed=3, author="Ana")
    workspace.add_dataset(made_dataset(tmp_path / "photos"), replace=True)
    assert workspace.blind_audits.of_dataset("discs") == []


def test_the_table_has_the_columns_of_the_published_one(
    workspace: Workspace, shared_reference: Path
) -> None:
    published = pd.read_csv(shared_reference / "table_s2_mask_audit.csv")
    audits = workspace.blind_audits
    results = []
    for seed, shift in ((1, 0), (2, 6)):
        audit = audits.draw("discs", 3, seed=seed, author="Ana")
        for row_id in audits.row_ids(audit.audit_id):
            machine = decode(workspace.masks("discs")[row_id])
            audits.add(audit.audit_id, drawn(row_id, np.roll(machine, shift, axis=1)))
        results.append(audits.result(audit.audit_id))
    table = agreement_table(results)
    assert list(table.columns[: len(published.columns)]) == list(published.columns)
    assert table["dataset"].tolist() == ["discs", "discs", "Overall"]
    assert table["n_rows"].tolist() == [3, 3, 6]
    assert table["median_iou"][0] == 100
    assert table["share_iou_over_90"].tolist() == [100, 0, 50]
    assert table["mean_iou"][2] == pytest.approx(table["mean_iou"][:2].mean())
    assert (table["mean_iou_low"] <= table["mean_iou"]).all()
    assert len(agreement_table(results[:1])) == 1
