import numpy as np
import pytest

from cfr_core.datasets.columns import ROLES, extra_names, recognise
from cfr_core.datasets.raw import raw_table
from cfr_core.datasets.records import COLUMNS
from cfr_core.errors import InputError


def table_of(columns):
    """A table from {name: cells}."""
    rows = list(zip(*columns.values(), strict=True))
    return raw_table("metadata.csv", list(columns), rows, np.arange(1, len(rows) + 1))


def named(*names):
    return table_of({name: [f"{name} 1", f"{name} 1"] for name in names})


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        # The names of our own sets.
        ("path identity date mask_path", "path identity captured_at mask"),
        # Case, spaces and signs do not count.
        ("File Name|Individual-ID|DateTimeOriginal|Camera ID", "path identity captured_at camera"),
        ("image name viewpoint session", "path identity orientation encounter"),
        ("filename individual sighting site flank subset species", None),
        # A box in one cell, in four, as corners.
        ("path id bbox", "path identity bbox"),
        ("path identity bbox_x bbox_y bbox_w bbox_h", None),
        ("path identity x y w h", "path identity bbox_x bbox_y bbox_w bbox_h"),
        ("path identity xmin ymin xmax ymax", "path identity bbox_x bbox_y bbox_x2 bbox_y2"),
        # Width and height are those of the image, unless x and y make them a box.
        ("path identity width height", "path identity image_width image_height"),
        ("path identity x y width height", "path identity bbox_x bbox_y bbox_w bbox_h"),
        ("path identity category segmentation", "path identity species mask"),
    ],
)
def test_usual_names_have_their_meaning(names, roles):
    columns = names.split("|") if "|" in names else names.split()
    found = recognise(named(*columns)).columns
    expected = {
        "filename individual sighting site flank subset species": "path identity encounter camera"
        " orientation split species",
        "path identity bbox_x bbox_y bbox_w bbox_h": "path identity bbox_x bbox_y bbox_w bbox_h",
    }.get(names, roles)
    assert found == dict(zip(expected.split(), columns, strict=True))


def test_of_several_candidates_the_surest_is_taken_and_the_choice_noted():
    found = recognise(named("file", "path", "name", "identity"))
    assert found.columns == {"path": "path", "identity": "identity"}
    assert [f.message for f in found.findings] == [
        'path is read from "path"; "file" could hold it too and stays as text',
        'identity is read from "identity"; "name" could hold it too and stays as text',
    ]


def test_what_a_person_says_wins():
    table = named("path", "identity", "Name", "bbox", "x", "y", "w", "h")
    found = recognise(table, {"identity": "name", "bbox": "", "encounter": "identity"}).columns
    assert found == {"path": "path", "identity": "Name", "encounter": "identity"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"individual": "name"}, '"individual" is no column meaning; there are .*identity'),
        ({"identity": "Nmae"}, 'has no column "Nmae"; it has path, name'),
        ({"identity": "name", "species": "name"}, "name is given two"),
    ],
)
def test_what_a_person_says_must_fit_the_table(given, message):
    with pytest.raises(InputError, match=message):
        recognise(named("path", "name"), given)


def test_an_id_that_never_repeats_numbers_the_rows_and_names_no_animal():
    rows = table_of({"path": ["a.jpg", "b.jpg"], "id": ["1", "2"]})
    assert "identity" not in recognise(rows).columns
    animals = table_of({"path": ["a.jpg", "b.jpg"], "id": ["1", "1"]})
    assert recognise(animals).columns["identity"] == "id"


def test_a_table_without_identities_says_that_all_are_unknown():
    findings = recognise(named("path", "frame")).findings
    assert [f.reason for f in findings] == ["no identity column"]


def test_image_names_are_found_by_content_where_no_name_is_usual():
    table = table_of({"Tier": ["Max", "Max"], "Datei": ["a.JPG", "b.jpg"]})
    found = recognise(table, {"identity": "Tier"})
    assert found.columns == {"path": "Datei", "identity": "Tier"}
    assert '"Datei" holds such names' in found.findings[0].message


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"Tier": ["Max"], "Datei": ["a"]}, "no column names the image files. It has Tier, Datei"),
        ({"a.jpg": ["b.jpg"], "Max": ["Max"]}, "has no header line: its first line reads a.jpg"),
    ],
)
def test_a_table_without_image_names_is_refused(columns, message):
    with pytest.raises(InputError, match=message):
        recognise(table_of(columns))


def test_kept_columns_never_take_a_name_of_the_annotations():
    names = extra_names(["frame", "Width", "exif_orientation", "source_width", "row_id"])
    assert names == {
        "frame": "frame",
        "Width": "source_Width",
        "exif_orientation": "source_exif_orientation",
        "source_width": "source_width_2",
        "row_id": "source_row_id",
    }
    taken = [name.casefold() for name in (*names.values(), *COLUMNS)]
    assert len(taken) == len(set(taken))


def test_roles_cover_the_columns_that_a_source_can_give():
    assert {"path", "identity", "captured_at", "encounter", "camera", "mask", "bbox_x2"} <= ROLES
