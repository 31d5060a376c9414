"""What a person may choose among before an import."""

import json
from pathlib import Path

import pytest

from cfr_core.datasets.choices import readable_files, source_columns, suggested_name
from cfr_core.errors import InputError
from tests.made_dataset import write_photos

COCO = {
    "images": [{"id": 1, "file_name": "00000.jpg", "width": 120, "height": 90}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "attributes": {"who": "a"}}
    ],
    "categories": [{"id": 1, "name": "zebra"}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_photos(tmp_path, 1)
    (tmp_path / "a.csv").write_text("one,two\n00000.txt,b\n")
    return tmp_path


def test_tables_and_coco_files_are_offered_and_nothing_else(folder: Path) -> None:
    (folder / "annotations").mkdir()
    (folder / "annotations" / "instances.json").write_text(json.dumps(COCO))
    (folder / "other.json").write_text("{}")
    (folder / "notes.txt").touch()
    assert readable_files(folder) == ["a.csv", "annotations/instances.json"]
    assert readable_files(folder / "a.csv") == readable_files(folder / "absent") == []


def test_columns_are_known_where_no_column_names_the_images(folder: Path) -> None:
    assert source_columns(folder) == ["one", "two"]
    assert source_columns(folder, table="a.csv") == ["one", "two"]
    assert source_columns(folder / "a.csv") == ["one", "two"]


def test_folders_have_no_columns_and_coco_has_those_that_are_read(folder: Path) -> None:
    assert source_columns(folder, kind="folders") == []
    (folder / "a.csv").unlink()
    (folder / "instances.json").write_text(json.dumps(COCO))
    assert "bbox" in source_columns(folder)


def test_several_tables_are_told(folder: Path) -> None:
    (folder / "b.csv").write_text("one\n1\n")
    with pytest.raises(InputError, match="several tables"):
        source_columns(folder)
    assert source_columns(folder, table="b.csv") == ["one"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/data/Zebras 2024 (final)", "Zebras-2024-final"),
        ("/data/zebras/metadata.csv", "zebras"),
        ("/data/.hidden", "hidden"),
        ("/", "dataset"),
        ("/data/" + "x" * 99, "x" * 80),
        ("/data/Ñandú", "Nandu"),
    ],
)
def test_a_name_is_suggested(path: str, name: str) -> None:
    assert suggested_name(Path(path)) == name
