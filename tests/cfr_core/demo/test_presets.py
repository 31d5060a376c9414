"""Recipes: what ships, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cfr_core.demo.presets import PRESETS, preset, read_presets
from cfr_core.errors import InputError
from cfr_core.types import Region, SilhouetteRole


def test_there_is_a_preset_for_each_region_and_one_for_the_role() -> None:
    by_role = {
        role: [spec.region for spec in PRESETS.values() if spec.silhouette_role is role]
        for role in SilhouetteRole
    }
    assert set(by_role[SilhouetteRole.SHORTCUT]) == set(Region) - {Region.UNDEFINED}
    assert by_role[SilhouetteRole.IDENTITY] == [Region.FOREGROUND_DRIVEN]
    assert all(spec.title and spec.description for spec in PRESETS.values())


def test_a_name_that_is_not_there_is_answered_with_the_nearest() -> None:
    assert preset("honest") is PRESETS["honest"]
    with pytest.raises(InputError, match="did you mean 'honest'"):
        preset("honset")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("coat", 1.5, "coat must be from 0 to 1"),
        ("scene", -0.1, "scene must be from 0 to 1"),
        ("outline", float("nan"), "outline must be from 0 to 1"),
        ("species", "unicorn", "species must be one of"),
        ("n_identities", 1, "2 identities"),
        ("n_photos", 1, "2 photos"),
        ("n_encounters", 7, "n_encounters"),
        ("size_hw", (32, 320), "64 to 2048"),
        ("seed", -1, "seed"),
    ],
)
def test_a_recipe_out_of_range_is_refused(field: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(PRESETS["honest"], **{field: value})


def test_a_malformed_file_names_the_preset(tmp_path: Path) -> None:
    path = tmp_path / "presets.json"
    path.write_text(json.dumps({"odd": {"silhouette_role": "shortcut", "region": "nowhere"}}))
    with pytest.raises(InputError, match="'odd' is malformed"):
        read_presets(path)
