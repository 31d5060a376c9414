"""The engine without weights: what a box, clicks and a mask to start from make of a clear scene."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfr_core.errors import InputError
from cfr_core.masks.files import read_mask_file
from cfr_core.segmenters.clicks import box_of, iou, ious_by_click
from cfr_core.segmenters.grabcut import GrabCut
from cfr_core.segmenters.segmenter import EncodedImage, Prompts


def scene(height: int = 150, width: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """A red ellipse before green ground, both noisy, and its mask."""
    rng = np.random.default_rng(0)
    y, x = np.ogrid[:height, :width]
    mask = ((x - 0.5 * width) / (0.2 * width)) ** 2 + ((y - 0.5 * height) / (0.2 * height)) ** 2 < 1
    image = np.where(mask[..., None], (180, 60, 50), (60, 140, 70))
    noisy = image + rng.integers(-25, 26, image.shape)
    return noisy.clip(0, 255).astype(np.uint8), mask


def points(*places: tuple[float, float, bool]) -> dict[str, np.ndarray]:
    return {
        "points_xy": np.array([place[:2] for place in places], np.float32).reshape(-1, 2),
        "is_animal": np.array([place[2] for place in places], np.bool_),
    }


def found(image: EncodedImage, prompts: Prompts) -> np.ndarray:
    candidates = GrabCut().propose(image, prompts)
    assert candidates.masks.shape == (1, *image.size_hw)
    return candidates.masks[0]


@pytest.fixture(scope="module")
def encoded() -> EncodedImage:
    return GrabCut().encode([scene()[0]])[0]


@pytest.mark.parametrize("size", [(60, 80), (700, 500), (41, 333)])
def test_a_box_around_a_clear_animal_finds_it(size: tuple[int, int]) -> None:
    image, mask = scene(*size)
    prompts = Prompts(box_xyxy=box_of(mask))
    assert iou(found(GrabCut().encode([image])[0], prompts), mask) > 0.9


def test_a_tap_on_a_clear_animal_finds_it(encoded: EncodedImage) -> None:
    assert iou(found(encoded, Prompts(**points((100, 75, True)))), scene()[1]) > 0.9


def test_the_same_prompts_give_the_same_mask(encoded: EncodedImage) -> None:
    prompts = Prompts(**points((100, 75, True), (20, 20, False)), box_xyxy=(50, 30, 160, 130))
    again = GrabCut().encode([scene()[0]])[0]
    assert np.array_equal(found(encoded, prompts), found(again, prompts))


@pytest.mark.parametrize("place", [(0, 0), (200, 150), (199.5, 149.5), (200, 0), (0, 150)])
def test_what_is_clicked_on_is_in_the_mask_even_in_a_corner(
    encoded: EncodedImage, place: tuple[float, float]
) -> None:
    mask = found(encoded, Prompts(**points((*place, True), (100, 75, True))))
    assert mask[min(int(place[1]), 149), min(int(place[0]), 199)]


def test_a_plain_picture_gives_a_mask_too() -> None:
    plain = GrabCut().encode([np.full((20, 20, 3), 128, np.uint8)])[0]
    assert found(plain, Prompts(**points((10, 10, True)))).any()
    assert found(plain, Prompts(box_xyxy=(4, 4, 16, 16))).any()


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1)])
def test_the_smallest_crops_are_no_trouble(size: tuple[int, int]) -> None:
    tiny = GrabCut().encode([np.full((*size, 3), 90, np.uint8)])[0]
    assert found(tiny, Prompts(**points((0.5, 0.5, True)))).shape == size
    assert found(tiny, Prompts(box_xyxy=(0, 0, size[1], size[0]))).shape == size


def test_parts_that_were_not_tapped_are_left_out() -> None:
    image, mask = scene()
    image[10:30, 10:30] = (180, 60, 50)
    again = GrabCut().encode([image])[0]
    without = found(again, Prompts(**points((100, 75, True))))
    assert not without[10:30, 10:30].any()
    assert iou(without, mask) > 0.9


def test_nothing_lies_outside_the_box(encoded: EncodedImage) -> None:
    box = (70.4, 50.5, 110.2, 90.0)
    mask = found(encoded, Prompts(box_xyxy=box))
    outside = mask.copy()
    outside[50:90, 70:111] = False
    assert mask.any()
    assert not outside.any()


def test_a_negative_click_takes_a_stray_part_away_whole(encoded: EncodedImage) -> None:
    prior = scene()[1].copy()
    prior[5:25, 5:45] = True
    mask = found(encoded, Prompts(**points((15, 15, False)), prior=prior))
    assert not mask[5:25, 5:45].any()
    assert iou(mask, scene()[1]) > 0.97


def test_a_positive_click_adds_the_half_that_is_missing(encoded: EncodedImage) -> None:
    truth = scene()[1]
    prior = truth & (np.arange(200) < 100)
    mask = found(encoded, Prompts(**points((120, 75, True)), prior=prior))
    assert iou(prior, truth) < 0.6
    assert iou(mask, truth) > 0.9


def test_a_click_leaves_the_rest_of_a_drawn_mask_as_it_is() -> None:
    image, truth = scene(300, 800)
    prior = truth.copy()
    prior[:, 500:] = False
    # A notch and a speck far from the click, as a person might have drawn them.
    prior[150:152, 250:252] = False
    prior[20:22, 20:22] = True
    mask = found(GrabCut().encode([image])[0], Prompts(**points((530, 150, True)), prior=prior))
    assert np.array_equal(mask[:, :270], prior[:, :270])
    assert iou(mask, truth) > iou(prior, truth) + 0.05


def test_the_arguments_stay_as_they_were(encoded: EncodedImage) -> None:
    prior = scene()[1].copy()
    before = {name: array.copy() for name, array in encoded.arrays.items()}
    found(encoded, Prompts(**points((15, 15, True), (100, 75, False)), prior=prior))
    assert np.array_equal(prior, scene()[1])
    assert all(np.array_equal(before[name], encoded.arrays[name]) for name in before)


@pytest.mark.parametrize(
    ("prompts", "words"),
    [
        (Prompts(), "click on it, or draw a box"),
        (Prompts(text="zebra"), "reads no names"),
        (Prompts(**points((5, 5, False))), "click on the animal first"),
        (Prompts(**points((201, 10, True))), "outside"),
        (Prompts(**points((-1, 5, True))), "outside"),
        (Prompts(prior=np.ones((3, 3), np.bool_)), "mask to start from"),
    ],
)
def test_prompts_that_say_nothing_are_refused(
    encoded: EncodedImage, prompts: Prompts, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        GrabCut().propose(encoded, prompts)


def test_features_of_another_engine_are_refused(encoded: EncodedImage) -> None:
    other = EncodedImage(encoded.pixels, encoded.arrays, "another")
    with pytest.raises(InputError, match="another engine"):
        GrabCut().propose(other, Prompts(box_xyxy=(5, 5, 50, 50)))


def test_clicks_improve_the_mask_of_a_real_animal(shared_data: Path) -> None:
    folder = shared_data / "davis_animals"
    image = np.asarray(Image.open(folder / "images/camel/00074.jpg").convert("RGB"))
    truth = read_mask_file(folder / "masks/camel/00074.png")
    engine = GrabCut()
    ious = ious_by_click(engine, engine.encode([image])[0], truth, 3)
    assert ious[0] > 0.65
    assert ious[3] > max(ious[0] + 0.05, 0.8)
