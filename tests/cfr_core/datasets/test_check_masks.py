"""Masks that come with a dataset: brought to their crop exactly, or refused with a reason."""

import numpy as np
import pytest
from PIL import Image

from cfr_core.datasets.check import check
from cfr_core.datasets.records import MaskReference, Severity
from cfr_core.masks.files import write_mask_file
from cfr_core.masks.rle import decode, encode
from cfr_core.types import MaskStatus

HW = (40, 60)
BOX = (20, 5, 30, 25)


def ring() -> np.ndarray:
    yy, xx = np.mgrid[: HW[0], : HW[1]]
    radius = np.hypot(yy - 18, xx - 35)
    return (radius < 12) & (radius > 5)


def cut(pixels: np.ndarray, box=BOX) -> np.ndarray:
    x, y, w, h = box
    return pixels[y : y + h, x : x + w]


def rle(pixels: np.ndarray) -> MaskReference:
    size = [int(side) for side in pixels.shape]
    return MaskReference("rle", {"size": size, "counts": encode(pixels)})


def plain_rle(pixels: np.ndarray) -> MaskReference:
    flat = np.concatenate([[False], pixels.T.ravel(), [not pixels.T.ravel()[-1]]])
    edges = np.flatnonzero(np.diff(flat.astype(int)))
    counts = np.diff(np.concatenate([[0], edges])).tolist()
    return MaskReference("rle", {"size": list(pixels.shape), "counts": [int(c) for c in counts]})


@pytest.fixture
def checked(tmp_path, photo, source_of):
    """Checks one row of a 40 x 60 photo with a mask and a box."""

    def run(mask, box=BOX, **more):
        row = {"path": photo("photo.png", HW), "mask": mask, "box": box, **more}
        return check(source_of(tmp_path, [row]), name="d")

    return run


def refused(result) -> dict[str, int]:
    assert result.report.n_used == 1
    assert not result.masks
    return result.report.counts(Severity.NO_MASK)


@pytest.mark.parametrize("size", ["image", "crop"])
@pytest.mark.parametrize("kind", ["file", "rle", "plain rle"])
def test_a_ring_keeps_its_hole_in_every_form(tmp_path, checked, kind, size):
    pixels = ring() if size == "image" else cut(ring())
    if kind == "file":
        write_mask_file(pixels, tmp_path / "ring.png")
        reference = MaskReference("file", "ring.png")
    else:
        reference = rle(pixels) if kind == "rle" else plain_rle(pixels)

    result = checked(reference)

    (mask,) = result.masks
    np.testing.assert_array_equal(decode(mask), cut(ring()))
    assert not decode(mask)[18 - 5, 35 - 20]
    assert (mask.row_id, mask.size_hw, mask.source) == (0, (25, 30), "dataset")
    assert mask.status is MaskStatus.ACCEPTED
    assert not result.report.counts(Severity.CHANGED)
    assert result.report.counts(Severity.NOTE)["masks accepted"] == 1


def test_an_animal_in_two_parts_is_one_row_with_one_mask(checked):
    left, right = [22, 8, 30, 8, 30, 20, 22, 20], [38, 8, 48, 8, 48, 20, 38, 20]
    result = checked(MaskReference("polygons", [left, right], HW))
    (mask,) = result.masks
    expected = np.zeros(HW, bool)
    expected[8:20, 22:30] = expected[8:20, 38:48] = True
    np.testing.assert_array_equal(decode(mask), cut(expected))


def test_without_a_box_the_mask_is_of_the_image(checked):
    (mask,) = checked(rle(ring()), None).masks
    np.testing.assert_array_equal(decode(mask), ring())


@pytest.mark.parametrize("factor", [2, 3])
def test_a_mask_of_the_image_at_another_scale_is_rescaled_and_said(checked, factor):
    large = np.kron(ring(), np.ones((factor, factor), bool))
    result = checked(rle(large))
    np.testing.assert_array_equal(decode(result.masks[0]), cut(ring()))
    assert result.report.counts(Severity.CHANGED) == {"mask rescaled": 1}


def test_a_mask_of_the_crop_at_another_scale_is_rescaled_and_said(checked):
    result = checked(rle(np.kron(cut(ring()), np.ones((2, 2), bool))))
    np.testing.assert_array_equal(decode(result.masks[0]), cut(ring()))
    (changed,) = [f for f in result.report.findings if f.severity is Severity.CHANGED]
    assert "60 x 50 px" in changed.message
    assert "30 x 25 px" in changed.message


def test_polygons_on_a_picture_of_another_scale_are_rescaled(checked):
    square = [50, 20, 80, 20, 80, 50, 50, 50]  # on 120 x 80
    result = checked(MaskReference("polygons", [square], (80, 120)), None)
    expected = np.zeros(HW, bool)
    expected[10:25, 25:40] = True
    np.testing.assert_array_equal(decode(result.masks[0]), expected)
    assert result.report.counts(Severity.CHANGED) == {"mask rescaled": 1}


def test_a_mask_of_another_shape_is_refused(checked):
    assert refused(checked(rle(np.ones((60, 40), bool)))) == {"mask of another size": 1}


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros(HW, bool),  # nothing at all
        np.pad(np.ones((4, 4), bool), ((0, 36), (0, 56))),  # something, but outside the box
        np.zeros((25, 30), bool),  # nothing, of the crop's size
    ],
)
def test_an_empty_mask_is_no_mask(tmp_path, checked, pixels):
    write_mask_file(pixels, tmp_path / "empty.png")
    for reference in (rle(pixels), MaskReference("file", "empty.png")):
        assert refused(checked(reference)) == {"empty mask": 1}


def test_a_mask_of_everything_is_kept_and_noted(checked):
    result = checked(rle(np.ones(HW, bool)))
    assert decode(result.masks[0]).all()
    assert result.report.counts(Severity.NOTE)["mask covers everything"] == 1


def test_files_that_are_no_mask_cost_the_mask_not_the_row(tmp_path, photo, checked):
    photo("noise.png", HW)
    write_mask_file(np.random.default_rng(0).random(HW) > 0.5, tmp_path / "cut.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "cut.png").read_bytes()[:-100])
    (tmp_path / "empty.png").write_bytes(b"")
    labels = np.zeros(HW, np.uint8)
    labels[5:20, 5:20], labels[25:35, 5:20] = 1, 2
    Image.fromarray(labels).save(tmp_path / "labels.png")
    for name, reason in (
        ("noise.png", "unusable mask"),
        ("labels.png", "unusable mask"),
        ("cut.png", "unreadable mask file"),
        ("empty.png", "unreadable mask file"),
        ("gone.png", "missing mask file"),
    ):
        assert refused(checked(MaskReference("file", name))) == {reason: 1}


@pytest.mark.parametrize(
    "reference",
    [
        MaskReference("rle", {"size": [40, 60], "counts": [5]}),
        MaskReference("rle", {"counts": "abc"}),
        MaskReference("rle", {"size": [2**20, 2**20], "counts": [2**40]}),
        MaskReference("polygons", [[1, 2, 3]]),
        MaskReference("polygons", [[1, 2, 3, 4, 5, 6]], (2**20, 2**20)),
    ],
)
def test_malformed_masks_cost_the_mask_not_the_row(checked, reference):
    assert refused(checked(reference)) == {"unusable mask": 1}


def test_a_missing_mask_file_offers_the_nearest(tmp_path, checked):
    write_mask_file(ring(), tmp_path / "ring.png")
    result = checked(MaskReference("file", "ring.jpg"))
    (finding,) = [f for f in result.report.findings if f.severity is Severity.NO_MASK]
    assert finding.action == "Did you mean ring.png?"
    assert finding.file == "photo.png"
    assert finding.source_row == 1


def test_real_masks_load_exactly(shared_data, source_of):
    folder = shared_data / "pigs_faro_masks"
    names = sorted(path.relative_to(folder / "images") for path in folder.glob("images/*/*.png"))
    rows = [
        {"path": f"images/{name}", "mask": MaskReference("file", f"masks/{name}")}
        for name in names[::10]
    ]
    result = check(source_of(folder, rows), name="pigs")
    assert len(result.masks) == len(rows) > 20
    for mask, row in zip(result.masks, rows, strict=True):
        with Image.open(folder / row["mask"].value) as stored:
            np.testing.assert_array_equal(decode(mask), np.asarray(stored) > 127)
