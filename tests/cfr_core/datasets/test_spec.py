"""Imports as plain values: the same result as by hand, also after a trip through JSON."""

import json
from pathlib import Path

import pytest

from cfr_core.datasets.spec import ImportSpec, SourceSpec
from cfr_core.errors import InputError
from cfr_core.types import SilhouetteRole
from tests.made_dataset import write_photos


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_photos(tmp_path / "photos", 4)
    (tmp_path / "photos" / "list.csv").write_text(
        "file,who,other\n00000.jpg,a,x\n00001.jpg,a,y\n00002.jpg,nobody,x\n00003.jpg,b,y\n"
    )
    return tmp_path / "photos"


def test_a_spec_survives_json(folder: Path) -> None:
    spec = ImportSpec(
        SourceSpec(str(folder), table="list.csv", columns={"identity": "other"}, masks="m"),
        name="four",
        role=SilhouetteRole.IDENTITY,
        unknown_identities=("nobody",),
        replace=True,
    )
    assert ImportSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    bare = ImportSpec(SourceSpec(str(folder)), name="four")
    assert ImportSpec.from_json(json.loads(json.dumps(bare.to_json()))) == bare


def test_a_spec_is_run_as_it_says(folder: Path) -> None:
    source = SourceSpec(str(folder), columns={"identity": "who"})
    result = ImportSpec(source, "four", SilhouetteRole.SHORTCUT, ("nobody",)).run()
    assert result.annotations.table["is_known"].tolist() == [True, True, False, True]
    assert (result.card.name, result.card.silhouette_role) == ("four", SilhouetteRole.SHORTCUT)


def test_masks_may_be_a_folder_or_a_table(folder: Path, tmp_path: Path) -> None:
    masks = tmp_path / "elsewhere"
    masks.mkdir()
    (masks / "00001.png").touch()
    assert [m is not None for m in SourceSpec(str(folder), masks=str(masks)).read().masks] == [
        *(False, True, False, False)
    ]
    with pytest.raises(InputError, match="no table"):
        SourceSpec(str(folder), masks=str(tmp_path / "absent.csv")).read()


def test_a_class_of_another_package_reads_when_named(folder: Path) -> None:
    with pytest.raises(InputError, match=r"wildlife.datasets"):
        SourceSpec(str(folder), wildlife="NoSuchClass").read()
