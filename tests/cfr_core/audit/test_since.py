"""Rows that are not any more what a run has seen."""

from dataclasses import replace
from pathlib import Path

from cfr_core.audit.job import AuditJob
from cfr_core.audit.since import changed_rows


def test_only_rows_of_other_pixels_have_changed(run_folder: Path) -> None:
    crops = AuditJob.read(run_folder).crops[:5]
    assert changed_rows(run_folder, crops) == frozenset()
    other_mask, no_mask, other_file, other_box, same = crops
    now = (
        replace(other_mask, mask=crops[1].mask),
        replace(no_mask, mask=None),  # it is not accepted any more
        replace(other_file, file_sha256="0" * 64),
        replace(other_box, bbox_xywh=(0, 0, 50, 50)),
        # Who drew a mask does not change its pixels.
        replace(same, mask=replace(same.mask, source="human")),
    )
    assert changed_rows(run_folder, now) == {crop.row_id for crop in crops[:4]}
