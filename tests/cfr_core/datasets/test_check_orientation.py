"""One orientation for pixels, box and mask: all eight of EXIF, drawn upright or as stored."""

import numpy as np
import pytest
from PIL import Image

from cfr_core.datasets.check import check
from cfr_core.datasets.records import MaskReference, Severity
from cfr_core.images import apply_exif, crop, decode
from cfr_core.masks.rle import decode as decode_mask
from cfr_core.masks.rle import encode

INVERSE = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6}
UPRIGHT_HW = (30, 46)
BOX = (5, 4, 20, 14)
POLYGON = [7, 6, 23, 6, 23, 9, 12, 9, 12, 16, 7, 16]  # an L, in whole pixels


def animal() -> np.ndarray:
    """(30, 46) bool: the L that POLYGON outlines."""
    pixels = np.zeros(UPRIGHT_HW, bool)
    pixels[6:9, 7:23] = True
    pixels[9:16, 7:12] = True
    return pixels


def scene() -> np.ndarray:
    """Noise, with the animal in a red that nothing else has."""
    pixels = np.random.default_rng(0).integers(0, 200, (*UPRIGHT_HW, 3), dtype=np.uint8)
    pixels[animal()] = (255, 0, 0)
    return pixels


def turned(pixels: np.ndarray, orientation: int) -> np.ndarray:
    """Pixels as a camera stores them that says `orientation`."""
    values = pixels.astype(np.uint8)
    return np.asarray(apply_exif(Image.fromarray(values), INVERSE[orientation])).astype(
        pixels.dtype
    )


def box_around(pixels: np.ndarray) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(pixels)
    return (
        int(columns.min()),
        int(rows.min()),
        int(np.ptp(columns)) + 1,
        int(np.ptp(rows)) + 1,
    )


def stored_box(orientation: int) -> tuple[int, int, int, int]:
    x, y, w, h = BOX
    pixels = np.zeros(UPRIGHT_HW, bool)
    pixels[y : y + h, x : x + w] = True
    return box_around(turned(pixels, orientation))


def stored_polygon(orientation: int) -> list[float]:
    """Corners are between pixels, so a turn maps x to W - x."""
    height, width = UPRIGHT_HW
    to_stored = {
        1: lambda x, y: (x, y),
        2: lambda x, y: (width - x, y),
        3: lambda x, y: (width - x, height - y),
        4: lambda x, y: (x, height - y),
        5: lambda x, y: (y, x),
        6: lambda x, y: (y, width - x),
        7: lambda x, y: (height - y, width - x),
        8: lambda x, y: (height - y, x),
    }[orientation]
    corners = zip(POLYGON[::2], POLYGON[1::2], strict=True)
    return [float(side) for corner in corners for side in to_stored(*corner)]


def write_photo(path, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(turned(scene(), orientation)).save(path, exif=exif)


def write_mask(path, pixels):
    Image.fromarray(np.uint8(255) * pixels.astype(np.uint8)).save(path)
    return MaskReference("file", path.name)


def mask_in(kind, path, orientation, *, as_stored):
    pixels = turned(animal(), orientation) if as_stored else animal()
    if kind == "file":
        return write_mask(path, pixels)
    size = list(pixels.shape)
    if kind == "rle":
        return MaskReference("rle", {"size": size, "counts": encode(pixels)}, tuple(size))
    corners = stored_polygon(orientation) if as_stored else [float(side) for side in POLYGON]
    return MaskReference("polygons", [corners], None)


@pytest.mark.parametrize("kind", ["polygons", "rle", "file"])
@pytest.mark.parametrize("as_stored", [False, True])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_box_and_mask_cut_out_the_same_pixels(tmp_path, source_of, orientation, as_stored, kind):
    rows = []
    for name, turn in (("1", orientation), ("witness", 6)):
        write_photo(tmp_path / f"{name}.png", turn)
        stored_hw = turned(animal(), turn).shape
        rows.append(
            {
                "path": f"{name}.png",
                "box": stored_box(turn) if as_stored else BOX,
                "size_hw": stored_hw if as_stored else UPRIGHT_HW,
                "mask": mask_in(kind, tmp_path / f"{name}-mask.png", turn, as_stored=as_stored),
            }
        )

    result = check(source_of(tmp_path, rows), name="d")

    assert not result.report.counts(Severity.CHANGED)
    table = result.annotations.table
    assert table["exif_orientation"].tolist() == [orientation, 6]
    x, y, w, h = BOX
    for row in range(2):
        assert table.loc[row, ["bbox_x", "bbox_y", "bbox_w", "bbox_h"]].tolist() == list(BOX)
        cut = crop(decode(tmp_path / table["path"][row]).pixels, BOX)
        np.testing.assert_array_equal(cut, scene()[y : y + h, x : x + w])
        np.testing.assert_array_equal(
            decode_mask(result.masks[row]), animal()[y : y + h, x : x + w]
        )
    notes = [f.message for f in result.report.findings if f.reason == "EXIF orientation"]
    assert len(notes) == (2 if kind == "file" else 1)
    assert all(("as stored" in note) == as_stored for note in notes)


def stored_row(tmp_path, name, orientation, **more):
    write_photo(tmp_path / name, orientation)
    return {"path": name, **more}


def boxes_of(result):
    return [
        tuple(box)
        for box in result.annotations.table[["bbox_x", "bbox_y", "bbox_w", "bbox_h"]].to_numpy()
    ]


def test_without_evidence_all_is_upright(tmp_path, source_of):
    rows = [stored_row(tmp_path, f"{o}.png", o, box=BOX) for o in range(1, 9)]
    result = check(source_of(tmp_path, rows), name="d")
    assert boxes_of(result) == [BOX] * 8
    (note,) = [f for f in result.report.findings if f.reason == "EXIF orientation"]
    assert "upright (nothing tells" in note.message


def test_mask_files_as_stored_are_evidence_for_the_boxes(tmp_path, source_of):
    rows = []
    for orientation in (2, 6):
        pixels = turned(animal(), orientation)
        mask = write_mask(tmp_path / f"m{orientation}.png", pixels)
        box = stored_box(orientation)
        rows.append(stored_row(tmp_path, f"{orientation}.png", orientation, box=box, mask=mask))
    result = check(source_of(tmp_path, rows), name="d")
    assert boxes_of(result) == [BOX] * 2
    assert len(result.masks) == 2


def test_upright_boxes_may_come_with_mask_files_as_stored(tmp_path, source_of):
    rows = []
    for orientation in (3, 6, 8):
        mask = write_mask(tmp_path / f"m{orientation}.png", turned(animal(), orientation))
        name = f"{orientation}.png"
        rows.append(stored_row(tmp_path, name, orientation, box=BOX, mask=mask, size_hw=UPRIGHT_HW))
    result = check(source_of(tmp_path, rows), name="d")
    assert boxes_of(result) == [BOX] * 3
    x, y, w, h = BOX
    for mask in result.masks:
        np.testing.assert_array_equal(decode_mask(mask), animal()[y : y + h, x : x + w])
    assert len(result.masks) == 3


def test_a_box_that_fits_the_stored_picture_alone_is_evidence(tmp_path, source_of):
    # Stored 46 x 30 lies on its side, upright is 30 wide: a box out to x = 44 is not upright.
    write_photo(tmp_path / "6.png", 6)
    stored = np.asarray(Image.open(tmp_path / "6.png")).shape[:2]
    assert stored == (46, 30)
    rows = [{"path": "6.png", "box": (2, 30, 20, 15)}, {"path": "6.png", "box": (2, 3, 20, 10)}]
    result = check(source_of(tmp_path, rows), name="d")
    assert not result.report.counts(Severity.CHANGED)
    assert boxes_of(result) == [(46 - 45, 2, 15, 20), (46 - 13, 2, 10, 20)]


def test_each_row_goes_by_its_own_size_where_sizes_disagree(tmp_path, source_of):
    rows = [
        stored_row(tmp_path, "a.png", 6, box=stored_box(6), size_hw=(46, 30)),
        stored_row(tmp_path, "b.png", 8, box=stored_box(8), size_hw=(46, 30)),
        stored_row(tmp_path, "c.png", 6, box=BOX, size_hw=UPRIGHT_HW),
        stored_row(tmp_path, "d.png", 3, box=stored_box(3), size_hw=UPRIGHT_HW),  # as most
    ]
    result = check(source_of(tmp_path, rows), name="d")
    assert boxes_of(result) == [BOX] * 4
    (note,) = [f for f in result.report.findings if f.reason == "EXIF orientation"]
    assert "2 fit it only as stored, 1 only upright" in note.message


def test_sizes_exchanged_without_exif_are_not_guessed(tmp_path, source_of):
    rows = [stored_row(tmp_path, "1.png", 1, box=BOX, size_hw=UPRIGHT_HW[::-1])]
    result = check(source_of(tmp_path, rows), name="d")
    assert result.report.counts(Severity.SET_ASIDE) == {"image of another shape": 1}


def test_real_photos_turned_by_exif(shared_data, source_of):
    """The same landscape stored in two ways: upright boxes show the same part of it."""
    folder = shared_data / "extras_formats"
    names = [f"images/exif-samples__landscape_{o}.jpg" for o in (5, 8)]
    box = (100, 50, 300, 200)
    result = check(source_of(folder, [{"path": n, "box": box} for n in names]), name="d")
    assert boxes_of(result) == [box, box]
    first, second = (crop(decode(folder / name).pixels, box).astype(float) for name in names)
    assert np.abs(first - second).mean() < 12
