"""Runs read back from their folders, and what is said of those that cannot be."""

import json
import shutil
from pathlib import Path

import pytest

from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.stored import ROW_COLUMNS, read_profile, read_rows
from cfr_core.errors import InputError


def test_a_profile_comes_back(run_folder: Path, profile: EvidenceProfile) -> None:
    assert read_profile(run_folder).to_json() == profile.to_json()


def test_rows_come_back_without_masks(run_folder: Path, profile: EvidenceProfile) -> None:
    rows = read_rows(run_folder)
    assert tuple(rows.columns) == ROW_COLUMNS
    assert len(rows) == profile.n_benchmark_rows
    assert read_rows(run_folder, [5, 4])["row_id"].tolist() == [4, 5]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, r"cannot be read \(No such file"),
        ("", "profile.json is damaged"),
        ("[]", "profile.json is damaged"),
        ("{}", "profile.json is damaged"),
        ('{"schema": 1}', "profile.json is damaged"),
        ('{"schema": 2}', "its profile is of version 2, this program reads 1"),
    ],
)
def test_an_unreadable_profile_is_told(tmp_path: Path, content: str | None, words: str) -> None:
    if content is not None:
        (tmp_path / "profile.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=f"run {tmp_path.name}: .*{words}"):
        read_profile(tmp_path)


def test_one_field_less_is_damage(run_folder: Path, tmp_path: Path) -> None:
    shutil.copy(run_folder / "profile.json", tmp_path)
    value = json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))
    del value["by_k"]["1"]["intervals"]
    (tmp_path / "profile.json").write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError, match="damaged"):
        read_profile(tmp_path)
