import json
from datetime import datetime

import pandas as pd
import pytest

from cfr_core.datasets.coco import read_coco
from cfr_core.datasets.records import MaskReference, Severity
from cfr_core.errors import InputError

SQUARE = [0.0, 0.0, 4.0, 0.0, 4.0, 4.0]


def read(tmp_path, document, columns=None):
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return read_coco(path, columns)


def document_of(*annotations, categories=(), images=None):
    images = images or [
        {"id": 1, "file_name": "a.jpg", "width": 64, "height": 48, "date_captured": "2019-07-14"},
        {"id": 2, "file_name": "b.jpg", "width": 64, "height": 48, "date_captured": None},
    ]
    return {"images": images, "annotations": list(annotations), "categories": list(categories)}


def listed(source, severity):
    return [(f.reason, f.source_row) for f in source.findings if f.severity is severity]


def test_an_annotation_becomes_a_row_with_everything_it_says(tmp_path):
    annotation = {
        **{"id": 5, "image_id": 1, "category_id": 0, "bbox": [1, 2, 30, 40], "iscrowd": 0},
        **{"segmentation": [SQUARE, SQUARE], "attributes": {"individual_id": "007", "sex": "f"}},
        "viewpoint": "left",
    }
    document = document_of(annotation, categories=[{"id": 0, "name": "lynx"}])
    source = read(tmp_path, document)
    row = source.table.iloc[0]
    assert (row["path"], row["identity"], row["species"]) == ("a.jpg", "007", "lynx")
    assert row["captured_at"] == datetime(2019, 7, 14)
    assert row["orientation"] == "left"
    assert (row["sex"], row["annotation_id"], row["image_id"]) == ("f", "5", "1")
    assert source.boxes == ((1, 2, 30, 40),)
    assert source.sizes_hw == ((48, 64),)
    assert source.masks == (MaskReference("polygons", [SQUARE, SQUARE], (48, 64)),)
    assert source.root == tmp_path


@pytest.mark.parametrize(
    ("segmentation", "value"),
    [
        ({"size": [2, 2], "counts": "04"}, {"size": [2, 2], "counts": "04"}),
        ({"size": [2, 2], "counts": [1, 3]}, {"size": [2, 2], "counts": [1, 3]}),
    ],
)
def test_run_lengths_are_read_compressed_and_not(tmp_path, segmentation, value):
    source = read(tmp_path, document_of({"id": 1, "image_id": 1, "segmentation": segmentation}))
    assert source.masks == (MaskReference("rle", value, (2, 2)),)


@pytest.mark.parametrize(
    "annotation",
    [
        {"identity": 7},
        {"name": "7"},
        {"attributes": {"animal_id": 7.0}},
        {"attributes": {"identity": "7", "name": "x"}},
    ],
)
def test_the_identity_is_an_attribute_with_a_usual_name(tmp_path, annotation):
    source = read(tmp_path, document_of({"id": 1, "image_id": 1, **annotation}))
    assert source.table["identity"].tolist() == ["7"]


def test_categories_are_identities_where_there_are_several_and_no_attribute(tmp_path):
    categories = [{"id": 0, "name": "Max"}, {"id": 1, "name": "Moritz"}]
    annotations = [{"id": n, "image_id": 1, "category_id": n} for n in (0, 1)]
    source = read(tmp_path, document_of(*annotations, categories=categories))
    assert source.table["identity"].tolist() == ["Max", "Moritz"]
    assert "identity by category" in [f.reason for f in source.findings]


def test_a_single_category_is_a_species_and_no_animal(tmp_path):
    annotations = [{"id": n, "image_id": n, "category_id": 3} for n in (1, 2)]
    source = read(tmp_path, document_of(*annotations, categories=[{"id": 3, "name": "zebra"}]))
    assert source.table["identity"].isna().all()
    assert source.table["species"].tolist() == ["zebra", "zebra"]
    assert "no identity column" in [f.reason for f in source.findings]


def test_an_annotation_without_the_attribute_is_unknown_not_its_category(tmp_path):
    categories = [{"id": 0, "name": "lynx"}, {"id": 1, "name": "wolf"}]
    source = read(
        tmp_path,
        document_of(
            {"id": 1, "image_id": 1, "category_id": 0, "identity": "Max"},
            {"id": 2, "image_id": 2, "category_id": 1},
            categories=categories,
        ),
    )
    assert source.table["identity"].tolist() == ["Max", pd.NA]
    assert source.table["species"].tolist() == ["lynx", "wolf"]


def test_one_bad_annotation_never_stops_the_rest(tmp_path):
    good = {"id": 1, "image_id": 1, "identity": "Max", "bbox": [0, 0, 9, 9]}
    source = read(
        tmp_path,
        document_of(
            {**good, "id": 2, "image_id": 99},
            "no object",
            {**good, "id": 3, "bbox": [0, 0, 9]},
            {**good, "id": 4, "segmentation": [[1, 2, 3]]},
            {**good, "id": 5, "segmentation": {"size": [2, 2], "counts": [1]}},
            good,
        ),
    )
    assert len(source.table) == 6
    assert listed(source, Severity.SET_ASIDE) == [
        ("unknown image id", 1),
        ("malformed annotation", 2),
        ("unreadable box", 3),
    ]
    assert listed(source, Severity.NO_MASK) == [("unreadable mask", 4), ("unreadable mask", 5)]
    assert source.boxes[5] == (0, 0, 9, 9)


def test_an_image_id_of_two_files_is_not_guessed(tmp_path):
    images = [{"id": 1, "file_name": "a.jpg"}, {"id": 1, "file_name": "b.jpg"}]
    source = read(tmp_path, document_of({"id": 1, "image_id": 1, "identity": "Max"}, images=images))
    assert ("unknown image id", 1) in listed(source, Severity.SET_ASIDE)
    assert source.table["path"].tolist() == [""]


def test_ids_as_text_and_number_are_the_same(tmp_path):
    images = [{"id": "1", "file_name": "a.jpg"}]
    source = read(tmp_path, document_of({"id": 1, "image_id": 1, "identity": "Max"}, images=images))
    assert source.table["path"].tolist() == ["a.jpg"]


def test_images_without_annotation_are_noted(tmp_path):
    source = read(tmp_path, document_of({"id": 1, "image_id": 1, "identity": "Max"}))
    message = next(f.message for f in source.findings if f.reason == "image without annotation")
    assert message == "1 images have no annotation and give no row: b.jpg"


def test_names_that_clash_are_told_apart(tmp_path):
    images = [{"id": 8, "file_name": "a.jpg", "name": "photo", "licence": 3}]
    annotation = {"id": 9, "image_id": 8, "name": "Max", "licence": 4}
    row = read(tmp_path, document_of(annotation, images=images)).table.iloc[0]
    assert (row["identity"], row["image_name"]) == ("Max", "photo")
    assert (row["licence"], row["image_licence"]) == ("4", "3")


def test_an_attribute_keeps_its_name_and_ids_of_the_file_give_way(tmp_path):
    document = document_of(
        {"id": 1, "image_id": 1, "attributes": {"identity": "Max", "image_id": "x7", "area": "2"}},
        {"id": 2, "image_id": 2, "attributes": {"identity": "Max"}, "area": 5, "iscrowd": 1},
    )
    table = read(tmp_path, document).table
    assert table["image_id"].tolist() == ["x7", pd.NA]
    assert table["area"].tolist() == ["2", pd.NA]
    assert table["annotation_id"].tolist() == ["1", "2"]
    assert table["iscrowd"].tolist() == [pd.NA, "1"]


def test_a_file_of_our_own_export_has_no_other_roles_than_it_names(tmp_path):
    categories = [{"id": 1, "name": "animal"}]
    attributes = {"identity": "Max", "site": "north", "name": "x"}
    annotation = {"id": 1, "image_id": 1, "category_id": 1, "attributes": attributes}
    document = document_of(annotation, categories=categories)
    source = read(tmp_path, {**document, "info": {"silhouette_role": "shortcut"}})
    row = source.table.iloc[0]
    assert (row["identity"], row["site"], row["name"]) == ("Max", "north", "x")
    assert pd.isna(row["camera"])
    assert pd.isna(row["species"])
    assert not {"category", "annotation_id", "image_id"} & set(source.table.columns)


def test_images_are_found_in_the_folder_beside_the_annotations(tmp_path):
    (tmp_path / "images" / "train2020").mkdir(parents=True)
    (tmp_path / "images" / "train2020" / "a.jpg").touch()
    (tmp_path / "annotations").mkdir()
    path = tmp_path / "annotations" / "instances_train2020.json"
    path.write_text(json.dumps(document_of({"id": 1, "image_id": 1, "identity": "Max"})))
    assert read_coco(path).root == tmp_path / "images" / "train2020"


def test_a_person_can_say_which_attribute_is_the_identity(tmp_path):
    annotation = {"id": 1, "image_id": 1, "identity": "wrong", "attributes": {"tag": "right"}}
    source = read(tmp_path, document_of(annotation), columns={"identity": "tag"})
    assert source.table["identity"].tolist() == ["right"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no valid JSON"),
        ("[]", 'is no COCO JSON: it has no list of "images"'),
        ('{"images": []}', 'no list of "annotations"'),
        ('{"images": [], "annotations": []}', "has no annotations"),
        ("[" * 100_000, "is no valid JSON"),  # deep nesting must not break the program
    ],
)
def test_a_file_that_is_no_coco_is_refused_with_a_reason(tmp_path, text, message):
    path = tmp_path / "annotations.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_coco(path)
