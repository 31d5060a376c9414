import os

import pandas as pd
import pytest

from cfr_core.datasets.folders import read_folders
from cfr_core.datasets.locate import find_images, image_root
from cfr_core.errors import InputError


def touch(root, *names):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def rows_of(source, *columns):
    return (
        source.table[list(columns)]
        .astype(object)
        .where(source.table[list(columns)].notna(), None)
        .to_numpy()
        .tolist()
    )


def test_the_first_folder_is_the_identity(tmp_path):
    touch(
        tmp_path, "Max/1.jpg", "Max/2019/2.JPG", "007/1.jpg", "NA/1.png", "loose.jpg", "notes.txt"
    )
    source = read_folders(tmp_path)
    assert rows_of(source, "path", "identity", "subfolder") == [
        ["007/1.jpg", "007", None],
        ["Max/1.jpg", "Max", None],
        ["Max/2019/2.JPG", "Max", "2019"],
        ["NA/1.png", "NA", None],
        ["loose.jpg", None, None],
    ]
    assert [f.reason for f in source.findings] == [
        "identity by folder",
        "no identity folder",
        "other files",
    ]
    assert source.findings[2].message == "1 files are not read as images: 1 .txt"


def test_a_folder_of_images_beside_masks_is_looked_through(tmp_path):
    touch(tmp_path, "images/Max/1.jpg", "masks/Max/1.png")
    assert rows_of(read_folders(tmp_path), "path", "identity") == [["images/Max/1.jpg", "Max"]]


def test_folders_named_as_splits_are_no_animals(tmp_path):
    touch(tmp_path, "query/Max/1.jpg", "gallery/Max/2.jpg", "gallery/Moritz/3.jpg")
    assert rows_of(read_folders(tmp_path), "identity", "split") == [
        ["Max", "gallery"],
        ["Moritz", "gallery"],
        ["Max", "query"],
    ]


def test_an_animal_called_test_stays_an_animal_beside_others(tmp_path):
    touch(tmp_path, "test/1.jpg", "Max/1.jpg")
    source = read_folders(tmp_path)
    assert source.table["identity"].tolist() == ["Max", "test"]
    assert source.table["split"].isna().all()


def test_hidden_and_system_files_are_passed_over(tmp_path):
    touch(tmp_path, "Max/1.jpg", "Max/._1.jpg", ".cache/2.jpg", "__MACOSX/Max/1.jpg", "Thumbs.db")
    assert find_images(tmp_path).images == ("Max/1.jpg",)
    assert find_images(tmp_path).others.total() == 0


@pytest.mark.skipif(os.name == "nt", reason="links and such names need rights or another system")
def test_linked_folders_are_followed_once_and_names_that_are_no_text_counted(tmp_path):
    touch(tmp_path, "Max/1.jpg")
    (tmp_path / "Max" / "loop").symlink_to(tmp_path)
    elsewhere = tmp_path.parent / f"{tmp_path.name}_elsewhere"
    touch(elsewhere, "2.jpg")
    (tmp_path / "Moritz").symlink_to(elsewhere)
    (tmp_path / "Max" / os.fsdecode(b"\xff.jpg")).touch()
    found = find_images(tmp_path)
    assert found.images == ("Max/1.jpg", "Moritz/2.jpg")
    assert found.n_unnamable == 1
    assert "unreadable file name" in [f.reason for f in read_folders(tmp_path).findings]


def test_a_folder_without_images_is_refused(tmp_path):
    touch(tmp_path, "notes.txt")
    with pytest.raises(InputError, match="has neither a table nor images"):
        read_folders(tmp_path)


def test_the_folder_under_which_most_paths_exist_is_the_root(tmp_path):
    touch(tmp_path, "images/a/1.jpg", "images/a/2.jpg", "a/1.jpg")
    paths = ["a/1.jpg", "a\\2.jpg", ""]
    assert image_root(paths, [tmp_path, tmp_path / "images"]) == tmp_path / "images"
    assert image_root(["gone.jpg"], [tmp_path, tmp_path / "images"]) == tmp_path


def test_the_pigs_are_read_by_their_folders_as_by_their_table(shared_data):
    source = read_folders(shared_data / "pigs_faro_masks")
    table = pd.read_csv(shared_data / "pigs_faro_masks" / "metadata.csv", dtype=str)
    assert dict(zip(source.table["path"], source.table["identity"], strict=True)) == dict(
        zip(table["path"], table["identity"], strict=True)
    )
