import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from cfr_core.datasets.records import MaskReference, Severity
from cfr_core.datasets.sources import detect_source, read_source
from cfr_core.errors import InputError

COCO = {
    "images": [{"id": 1, "file_name": "a.jpg"}],
    "annotations": [{"id": 1, "image_id": 1, "identity": "Max"}],
}


def write(root, **texts):
    """Files by name, where "__" stands for a folder and a last "_" for the dot."""
    for name, text in texts.items():
        path = root / name.replace("__", "/")
        path = path.with_name(".".join(path.name.rsplit("_", 1)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_the_usual_table_of_a_folder_comes_first_and_the_others_are_noted(tmp_path):
    write(tmp_path, metadata_csv="path,identity\na.jpg,Max\n", other_csv="x\n1\n", coco_json="{}")
    assert detect_source(tmp_path) == ("csv", tmp_path / "metadata.csv")
    source = read_source(tmp_path)
    assert source.findings[-1].message == "metadata.csv is read; not read are coco.json, other.csv"


def test_the_only_table_is_read_and_several_are_a_question(tmp_path):
    write(tmp_path, labels2020_csv="path,identity\na.jpg,Max\n")
    assert read_source(tmp_path).kind == "csv"
    write(tmp_path, labels2021_tsv="path\tidentity\nb.jpg\tMax\n")
    with pytest.raises(InputError, match=r"several tables.*labels2020\.csv, labels2021\.tsv"):
        read_source(tmp_path)
    chosen = read_source(tmp_path, table="labels2021.tsv")
    assert chosen.table["path"].tolist() == ["b.jpg"]


def test_a_table_can_be_named_directly(tmp_path):
    write(tmp_path, a_csv="path,identity\na.jpg,Max\n", b_csv="path,identity\nb.jpg,Max\n")
    source = read_source(tmp_path / "b.csv")
    assert source.table["path"].tolist() == ["b.jpg"]
    assert source.root == tmp_path.resolve()


def test_parquet_is_read_as_text(tmp_path):
    frame = pd.DataFrame({"path": ["a.jpg", "b.jpg"], "identity": ["007", "NA"]})
    frame.to_parquet(tmp_path / "metadata.parquet")
    source = read_source(tmp_path)
    assert source.table["identity"].tolist() == ["007", "NA"]
    (tmp_path / "metadata.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(InputError, match="is no Parquet table"):
        read_source(tmp_path)


@pytest.mark.parametrize("name", ["coco.json", "annotations/instances.json"])
def test_a_coco_file_is_found_in_a_folder_without_tables(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(json.dumps(COCO), encoding="utf-8")
    (tmp_path / "settings.json").write_text("{}", encoding="utf-8")
    assert detect_source(tmp_path) == ("coco", tmp_path / name)
    assert read_source(tmp_path).table["identity"].tolist() == ["Max"]


def test_folders_are_read_where_there_is_no_table_or_where_asked(tmp_path):
    write(tmp_path, Max__1_jpg="", Moritz__1_jpg="")
    assert read_source(tmp_path).kind == "folders"
    write(tmp_path, results_csv="x\n1\n")
    assert read_source(tmp_path, kind="folders").table["identity"].tolist() == ["Max", "Moritz"]


@pytest.mark.parametrize(
    ("name", "message"), [("gone", "there is no file or folder"), ("t.xlsx", "is a spreadsheet")]
)
def test_what_cannot_be_read_is_an_input_error(tmp_path, name, message):
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match=message):
        read_source(tmp_path / name)
    with pytest.raises(InputError, match=r"there is no table x\.csv"):
        read_source(tmp_path, table="x.csv")


def test_paths_may_start_from_the_folder_of_images(tmp_path):
    write(tmp_path, images__Max__1_jpg="", masks__Max__1_png="")
    write(tmp_path, metadata_csv="path,identity,mask_path\nMax/1.jpg,Max,masks/Max/1.png\n")
    source = read_source(tmp_path)
    assert source.root == tmp_path.resolve() / "images"
    assert source.masks == (
        MaskReference("file", str(tmp_path.resolve() / "masks" / "Max" / "1.png")),
    )
    assert "image folder" in [f.reason for f in source.findings]


@pytest.mark.parametrize("folder", ["masks", "Masks"])
def test_a_mask_folder_beside_the_images_is_used_where_the_table_has_no_masks(tmp_path, folder):
    write(tmp_path, images__1_jpg="", metadata_csv="path,identity\nimages/1.jpg,Max\n")
    write(tmp_path, **{f"{folder}__1_png": ""})
    assert read_source(tmp_path).masks[0].value == str(tmp_path.resolve() / folder / "1.png")
    assert read_source(tmp_path / "images").masks[0].value.endswith("1.png")


def test_masks_can_come_from_a_folder_or_table_elsewhere(tmp_path):
    write(tmp_path, data__metadata_csv="path,identity\n1.jpg,Max\n", elsewhere__1_png="")
    write(tmp_path, rle_csv='path,rle\n1.jpg,"{""size"": [2, 2], ""counts"": ""04""}"\n')
    by_folder = read_source(tmp_path / "data", mask_dir=tmp_path / "elsewhere")
    assert by_folder.masks[0].kind == "file"
    by_table = read_source(tmp_path / "data", mask_table=tmp_path / "rle.csv")
    assert by_table.masks[0].kind == "rle"


def test_a_person_can_change_what_columns_mean(tmp_path):
    write(tmp_path, metadata_csv="path,identity,name\na.jpg,1,Max\n")
    source = read_source(tmp_path, columns={"identity": "name"})
    assert source.table["identity"].tolist() == ["Max"]
    assert source.column_roles["name"] == "identity"


SETS = ["davis_animals", "extras_formats", "pigs_faro_masks", "weizmann_horses"]


@pytest.mark.parametrize("name", [*SETS, "zebra_stripespotter"])
def test_every_real_set_is_read_cell_by_cell(shared_data, name):
    """The standard library's reader, told what to expect, is the oracle."""
    path = shared_data / name / "metadata.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        expected = list(csv.DictReader(stream))
    source = read_source(path.parent)
    assert len(source.table) == len(expected) > 0
    for column in ("path", "identity", "source_path", "licence"):
        cells = source.table[column].fillna("").tolist()
        assert cells == [record[column] for record in expected]
    dates = [record["date"] for record in expected]
    assert source.table["captured_at"].notna().tolist() == [bool(date) for date in dates]
    for at, mask in enumerate(source.masks):
        assert (mask.value if mask else "") == expected[at]["mask_path"]
    assert all(f.severity is Severity.NOTE for f in source.findings)
    assert all((source.root / Path(path)).is_file() for path in source.table["path"])


def test_the_sizes_that_a_table_states_are_those_of_its_files(shared_data):
    source = read_source(shared_data / "extras_formats")
    by_path = dict(zip(source.table["path"], source.sizes_hw, strict=True))
    assert by_path["images/exif-samples__portrait_6.jpg"] == (450, 600)
