"""The click harness: where the next click goes, and what it measures of an engine."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage

from cfr_core.errors import MaskError
from cfr_core.segmenters.clicks import Click, box_of, iou, ious_by_click, next_click
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts

MASKS = arrays(np.bool_, st.tuples(st.integers(1, 12), st.integers(1, 12)))


def painted(
    *rectangles: tuple[int, int, int, int], shape: tuple[int, int] = (20, 30)
) -> np.ndarray:
    """Rectangles of (top, bottom, left, right)."""
    mask = np.zeros(shape, np.bool_)
    for top, bottom, left, right in rectangles:
        mask[top:bottom, left:right] = True
    return mask


class Oracle:
    """Knows the true parts; each click sets the part or the patch of ground that it hits."""

    name, fingerprint, reads_text = "oracle", "1", False

    def __init__(self, truth: np.ndarray) -> None:
        self.truth = truth
        self.asked: list[Prompts] = []

    def encode(self, images: Sequence[np.ndarray]) -> list[EncodedImage]:
        return [EncodedImage(image, {}, self.fingerprint) for image in images]

    def propose(self, _: EncodedImage, prompts: Prompts) -> Candidates:
        self.asked.append(prompts)
        found = np.zeros_like(self.truth) if prompts.prior is None else prompts.prior.copy()
        for (x, y), is_animal in zip(prompts.points_xy, prompts.is_animal, strict=True):
            assert self.truth[int(y), int(x)] == is_animal
            areas = self.truth if is_animal else ~self.truth
            parts, _ = ndimage.label(areas)
            found[parts == parts[int(y), int(x)]] = is_animal
        wrong = ~self.truth
        return Candidates(np.stack([wrong, found]), np.array([0.1, 0.9], np.float32))


def picture(truth: np.ndarray) -> EncodedImage:
    return EncodedImage(np.zeros((*truth.shape, 3), np.uint8), {}, "1")


def test_an_engine_that_finds_a_part_a_click_gets_all_parts_the_largest_first() -> None:
    truth = painted((0, 10, 0, 10), (12, 20, 12, 20), (0, 5, 25, 30))
    ious = ious_by_click(Oracle(truth), picture(truth), truth, 4)
    assert ious == pytest.approx([0, 100 / 189, 164 / 189, 1, 1])


def test_a_perfect_mask_gets_no_more_clicks() -> None:
    truth = painted((3, 9, 4, 20))
    oracle = Oracle(truth)
    assert ious_by_click(oracle, picture(truth), truth, 5)[-1] == 1
    assert [len(asked.points_xy) for asked in oracle.asked] == [0, 1]
    assert oracle.asked[0].box_xyxy == (4, 3, 20, 9)
    assert oracle.asked[1].prior is None  # nothing was found yet to start from


def test_an_engine_that_finds_nothing_measures_zero() -> None:
    class Blind(Oracle):
        def propose(self, *_: object) -> Candidates:
            return Candidates(np.zeros((0, 20, 30), np.bool_), np.zeros(0, np.float32))

    truth = painted((3, 9, 4, 20))
    assert ious_by_click(Blind(truth), picture(truth), truth, 2).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("truth", "found", "expected"),
    [
        # The middle of a missed square of 5 px.
        (painted((4, 9, 10, 15)), painted(), Click(12.5, 6.5, is_animal=True)),
        # The same square, found where nothing is.
        (painted(), painted((4, 9, 10, 15)), Click(12.5, 6.5, is_animal=False)),
        # Of a missed and a false part the larger counts.
        (painted((0, 3, 0, 3)), painted((10, 15, 10, 15)), Click(12.5, 12.5, is_animal=False)),
        # Parts that touch at a corner only are two.
        (painted((0, 3, 0, 3), (3, 6, 3, 7)), painted(), Click(4.5, 4.5, is_animal=True)),
        # The picture's edge is the end of an error, so its click is not at the edge.
        (painted((0, 20, 0, 30)), painted(), Click(9.5, 9.5, is_animal=True)),
        # Nothing is wrong.
        (painted((4, 9, 10, 15)), painted((4, 9, 10, 15)), None),
    ],
)
def test_the_next_click_is_in_the_middle_of_the_largest_error(
    truth: np.ndarray, found: np.ndarray, expected: Click | None
) -> None:
    assert next_click(truth, found) == expected


@given(MASKS, st.integers(0, 2**32 - 1))
def test_a_click_is_as_deep_in_its_error_as_any_place(truth: np.ndarray, seed: int) -> None:
    found = np.random.default_rng(seed).random(truth.shape) < 0.5
    click = next_click(truth, found)
    if click is None:
        assert np.array_equal(truth, found)
        return
    error = truth & ~found if click.is_animal else found & ~truth
    parts, _ = ndimage.label(error)
    part = parts == parts[int(click.y), int(click.x)]
    assert error[int(click.y), int(click.x)]
    sizes = [np.bincount(ndimage.label(e)[0].ravel())[1:] for e in (truth & ~found, found & ~truth)]
    assert part.sum() == max(size for both in sizes for size in both)
    depth = ndimage.distance_transform_edt(np.pad(part, 1))[1:-1, 1:-1]
    assert depth[int(click.y), int(click.x)] == pytest.approx(depth.max(), abs=1e-4)


@given(MASKS)
def test_a_box_is_the_smallest_around_a_mask(mask: np.ndarray) -> None:
    if not mask.any():
        with pytest.raises(MaskError, match="no box"):
            box_of(mask)
        return
    rows, columns = np.nonzero(mask)
    assert box_of(mask) == (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)


@given(MASKS)
def test_iou_is_one_with_itself_and_counts_pixels(mask: np.ndarray) -> None:
    other = np.roll(mask, 1)
    pairs = list(zip(mask.ravel().tolist(), other.ravel().tolist(), strict=True))
    union = sum(a or b for a, b in pairs)
    expected = sum(a and b for a, b in pairs) / union if union else float("nan")
    assert iou(mask, other) == pytest.approx(expected, nan_ok=True)
