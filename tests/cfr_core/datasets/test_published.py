import csv
from pathlib import Path

import pytest

from cfr_core.datasets.published import dataset_card, published_card, published_datasets
from cfr_core.shipped import shipped_file
from cfr_core.types import SilhouetteRole


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SeaTurtleID2022", "SeaTurtleID2022"),
        ("seaturtleid2022", "SeaTurtleID2022"),  # case
        ("Sea_Turtle-ID 2022", "SeaTurtleID2022"),  # signs and spaces
        ("BelugaIDv2", "BelugaID"),  # the class names of wildlife-datasets carry a version
        ("CTai", "CTai"),
        ("pigs", None),
        ("", None),
    ],
)
def test_a_published_dataset_is_found_by_name(name, expected):
    found = published_card(name)
    assert (found.name if found else None) == expected


def test_a_published_dataset_brings_what_the_import_needs():
    turtle = published_card("SeaTurtleID2022")
    assert turtle.role is SilhouetteRole.SHORTCUT
    assert turtle.prompts == ("sea turtle head", "sea turtle")
    assert turtle.biometric == "Lateral/dorsal head-scale pattern"
    assert turtle.mask_coverage_percent == 95.5


def test_the_shipped_tables_hold_what_was_published(shared_reference):
    """Guards data/ against edits: the reference tables were checked against the paper."""
    for ours, theirs in (
        ("datasets.csv", "datasets_s1_s3.csv"),
        ("published_results.csv", "table_s4_results.csv"),
    ):
        with shipped_file(ours).open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream))
        with (shared_reference / theirs).open(encoding="utf-8", newline="") as stream:
            assert rows == list(csv.reader(stream))


def test_every_published_result_belongs_to_a_published_dataset():
    with shipped_file("published_results.csv").open(encoding="utf-8", newline="") as stream:
        names = {record["dataset"] for record in csv.DictReader(stream)}
    assert names == {dataset.name for dataset in published_datasets()}
    assert len(names) == 34


@pytest.mark.parametrize(
    ("name", "given", "role", "source"),
    [
        ("HappyWhale", None, SilhouetteRole.IDENTITY, "published table"),
        ("HappyWhale", SilhouetteRole.SHORTCUT, SilhouetteRole.SHORTCUT, "given"),
        # The stricter reading where nothing is known.
        ("my pigs", None, SilhouetteRole.AMBIGUOUS, "default"),
    ],
)
def test_the_role_is_given_published_or_the_stricter_default(name, given, role, source):
    card = dataset_card(name, Path(), role=given, unknown_identities=["?", "nn"])
    assert (card.silhouette_role, card.role_source) == (role, source)
    assert card.unknown_identities == ("?", "nn")
    assert Path(card.root).is_absolute()
