"""An export is valid for other tools, and importing it gives everything back."""

import csv
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from PIL import Image
from pycocotools.coco import COCO

from cfr_core.datasets.check import check
from cfr_core.datasets.export import export_dataset
from cfr_core.datasets.records import MaskReference
from cfr_core.datasets.sources import read_source
from cfr_core.errors import InputError
from cfr_core.images import decode as decode_image
from cfr_core.masks.rle import decode, encode
from cfr_core.types import MaskStatus

HW = (24, 32)


def rle(pixels: np.ndarray) -> MaskReference:
    return MaskReference("rle", {"size": list(pixels.shape), "counts": encode(pixels)})


@pytest.fixture
def zoo(tmp_path, photo, source_of):
    """Three rows on two photos, one of which EXIF lays on its side; two masks, dates, a note."""
    names = [photo("in/images/a/1.png", HW), "in/images/b/1.jpg"]
    exif = Image.Exif()
    exif[0x0112] = 6
    path = tmp_path / names[1]
    path.parent.mkdir()
    Image.new("RGB", (32, 24), (90, 60, 30)).save(path, exif=exif)
    disc = np.hypot(*(np.mgrid[:24, :32] - np.array([[[12]], [[14]]]))) < 8
    rows = [
        {"path": "images/a/1.png", "identity": "007", "mask": rle(disc), "box": (4, 2, 20, 18)},
        {
            "path": "images/a/1.png",
            "identity": "NA",
            "box": (24, 0, 8, 24),
            "weather": "rain, hail",
        },
        {"path": "images/b/1.jpg", "mask": rle(disc.T), "captured_at": "2019-07-14T08:30:00"},
    ]
    rows[0] |= {"encounter": "e 1", "camera": "c\rd", "orientation": "left", "split": "a\nb"}
    rows[0] |= {"species": "Ge\u0301nette", "captured_at": "2019-07-15", "weather": 'say "sun"'}
    return check(source_of(tmp_path / "in", rows), name="zoo")


def exported(result, out, **options):
    return export_dataset(result.card, result.annotations, result.masks, out, **options)


def test_importing_an_export_gives_cells_and_pixels_back(tmp_path, zoo):
    summary = exported(zoo, tmp_path / "out", copy_images=True)
    assert (summary.n_rows, summary.n_masks, summary.n_images_copied) == (3, 2, 2)

    again = check(read_source(tmp_path / "out"), name="zoo")

    pd.testing.assert_frame_equal(again.annotations.table, zoo.annotations.table)
    assert again.masks == zoo.masks
    assert not [f for f in again.report.findings if f.severity != "note"]


def test_importing_the_coco_file_alone_gives_the_same(tmp_path, zoo):
    exported(zoo, tmp_path / "out", copy_images=True)

    again = check(read_source(tmp_path / "out" / "annotations.json"), name="zoo")

    ours = zoo.annotations.table
    # COCO wants a category for every annotation, so an unknown species comes back as "animal".
    pd.testing.assert_frame_equal(again.annotations.table[ours.columns], ours)
    assert again.masks == zoo.masks


def test_without_copies_the_paths_are_absolute(tmp_path, zoo):
    summary = exported(zoo, tmp_path / "far" / "out")
    assert summary.n_images_copied == 0

    again = check(read_source(tmp_path / "far" / "out"), name="zoo").annotations.table

    ours = zoo.annotations.table
    pd.testing.assert_frame_equal(again.drop(columns="path"), ours.drop(columns="path"))
    assert again["path"].tolist() == [(tmp_path / "in" / name).as_posix() for name in ours["path"]]


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_pycocotools_reads_the_same_masks(tmp_path, zoo, capsys):
    exported(zoo, tmp_path / "out")
    coco = COCO(tmp_path / "out" / "annotations.json")
    capsys.readouterr()
    annotations = coco.loadAnns(coco.getAnnIds())
    assert [a["bbox"] for a in annotations] == [[4, 2, 20, 18], [24, 0, 8, 24], [0, 0, 24, 32]]
    for mask in zoo.masks:
        pixels = np.asarray(coco.annToMask(annotations[mask.row_id])).astype(bool)
        x, y, w, h = annotations[mask.row_id]["bbox"]
        np.testing.assert_array_equal(pixels[y : y + h, x : x + w], decode(mask))
        assert pixels.sum() == annotations[mask.row_id]["area"]
    assert coco.loadCats(coco.getCatIds())[0]["name"] == "Ge\u0301nette"


def test_mask_files_lie_on_the_upright_image(tmp_path, zoo):
    exported(zoo, tmp_path / "out", copy_images=True)
    with (tmp_path / "out" / "metadata.csv").open(encoding="utf-8", newline="") as stream:
        records = list(csv.DictReader(stream))
    assert [record["mask_path"] for record in records] == [
        "masks/000000.png",
        "",
        "masks/000002.png",
    ]
    with Image.open(tmp_path / "out" / "masks" / "000002.png") as image:
        photo = decode_image(tmp_path / "out" / records[2]["path"]).pixels
        assert (image.height, image.width) == photo.shape[:2] == (32, 24)
        assert image.getextrema() == (0, 255)


def test_only_accepted_masks_are_written(tmp_path, zoo):
    proposed = replace(zoo.masks[0], status=MaskStatus.PROPOSED)
    summary = export_dataset(zoo.card, zoo.annotations, [proposed, zoo.masks[1]], tmp_path / "out")
    assert (summary.n_masks, summary.n_masks_left_out) == (1, 1)
    assert [path.name for path in (tmp_path / "out" / "masks").iterdir()] == ["000002.png"]


def test_a_folder_that_holds_something_is_left_alone(tmp_path, zoo):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").touch()
    with pytest.raises(InputError, match="not an empty folder"):
        exported(zoo, tmp_path / "out")
    (tmp_path / "out" / "mine.txt").unlink()
    exported(zoo, tmp_path / "out")
    assert (tmp_path / "out" / "metadata.csv").exists()


def test_a_photo_that_is_gone_or_changed_stops_before_anything_is_written(tmp_path, zoo):
    photo = tmp_path / "in" / "images" / "a" / "1.png"
    content = photo.read_bytes()
    photo.write_bytes(content + b" ")
    with pytest.raises(InputError, match="has changed"):
        exported(zoo, tmp_path / "out", copy_images=True)
    photo.unlink()
    with pytest.raises(InputError, match=r"2 images of zoo are not in .* such as images/a/1\.png"):
        exported(zoo, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_images_from_elsewhere_are_copied_into_the_folder(tmp_path, photo, source_of):
    photo("elsewhere/1.png", seed=1)
    photo("in/masks/1.png", seed=2)
    names = [str(tmp_path / "elsewhere" / "1.png"), "../elsewhere/1.png", "masks/1.png"]
    result = check(source_of(tmp_path / "in", [{"path": name} for name in names]), name="d")

    assert exported(result, tmp_path / "out", copy_images=True).n_images_copied == 2

    again = check(read_source(tmp_path / "out"), name="d").annotations.table
    pd.testing.assert_series_equal(again["file_sha256"], result.annotations.table["file_sha256"])
    assert all(name.startswith("images/") for name in again["path"])


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
CELL = st.one_of(st.none(), TEXT.filter(str.strip))


# Each example writes and reads two whole datasets, so shrinking a failure would take minutes.
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_cells_and_any_mask_come_back(tmp_path, photo, source_of, data):
    photo("1.png", HW)
    rows = []
    for _ in range(data.draw(st.integers(1, 4))):
        row = {name: data.draw(CELL) for name in ("identity", "camera", "species", "my notes")}
        row["path"] = "1.png"
        row["captured_at"] = data.draw(
            st.none() | st.datetimes(pd.Timestamp(1901, 1, 1), pd.Timestamp(2025, 1, 1))
        )
        x, y = data.draw(st.integers(0, 31)), data.draw(st.integers(0, 23))
        w, h = data.draw(st.integers(1, 32 - x)), data.draw(st.integers(1, 24 - y))
        row["box"] = data.draw(st.none() | st.just((x, y, w, h)))
        seed, share = data.draw(st.integers(0, 99)), data.draw(st.floats(0.01, 1))
        pixels = np.random.default_rng(seed).random(HW) < share
        row["mask"] = data.draw(st.none() | st.just(rle(pixels)))
        rows.append(row)
    result = check(source_of(tmp_path, rows), name="d")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        exported(result, out, copy_images=True)
        again = check(read_source(out), name="d")
        coco = check(read_source(out / "annotations.json"), name="d")
    pd.testing.assert_frame_equal(again.annotations.table, result.annotations.table)
    assert again.masks == coco.masks == result.masks
    shared = ["identity", "camera", "my notes", "captured_at", "bbox_x", "bbox_y", "bbox_w"]
    columns = [name for name in shared if not result.annotations.table[name].isna().all()]
    pd.testing.assert_frame_equal(
        coco.annotations.table[columns], result.annotations.table[columns]
    )


def test_real_pigs_come_back_exactly(tmp_path, shared_data):
    first = check(read_source(shared_data / "pigs_faro_masks"), name="pigs")
    exported(first, tmp_path / "out")
    again = check(read_source(tmp_path / "out"), name="pigs")
    pd.testing.assert_frame_equal(
        again.annotations.table.drop(columns="path"), first.annotations.table.drop(columns="path")
    )
    assert again.masks == first.masks
    assert len(again.masks) == 215


def test_the_document_states_the_role(tmp_path, zoo):
    exported(zoo, tmp_path / "out")
    document = json.loads((tmp_path / "out" / "annotations.json").read_text(encoding="utf-8"))
    assert document["info"]["silhouette_role"] == "ambiguous"
    assert document["info"]["unknown_identities"] == ["unknown", "Unknown", "?"]
