"""SAM 3 against transformers' own processors and models, by name and by clicks."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import Sam3Processor, Sam3TrackerProcessor, Sam3VideoModel
from transformers.models.sam3.image_processing_sam3 import Sam3ImageProcessor

from cfr_core.errors import InputError, WeightsError
from cfr_core.segmenters import sam3
from cfr_core.segmenters.load import load_segmenter
from cfr_core.segmenters.on_torch import prior_logits
from cfr_core.segmenters.segmenter import Prompts, Segmenter
from cfr_core.types import ImageArray
from tests.cfr_core.segmenters.test_sam import prompts_of
from tests.cfr_core.segmenters.test_sam2 import asked_of_transformers
from tests.cfr_core.segmenters.tiny_sams import SIZES_HW, photo
from tests.cfr_core.segmenters.tiny_transformers import (
    SAM3_PX,
    save_model,
    tiny_sam3,
    tiny_tokenizer,
)

BOX = (10.0, 8.0, 40.0, 30.0)


@pytest.fixture(scope="module")
def model() -> Sam3VideoModel:
    return tiny_sam3()


@pytest.fixture(scope="module")
def checkpoints(model: Sam3VideoModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    save_model(model, folder / "sam3")
    tiny_tokenizer().save_pretrained(folder / "sam3")
    return folder


@pytest.fixture(scope="module")
def segmenter(checkpoints: Path) -> Segmenter:
    return load_segmenter("sam3", checkpoints, "cpu")


@pytest.fixture
def _all_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A random model is sure of nothing: keep more than half of its queries."""
    monkeypatch.setattr(sam3, "_MIN_SCORE", 0.05)


def by_processor(model: Sam3VideoModel, image: ImageArray, prompts: Prompts) -> dict:
    size = {"height": SAM3_PX, "width": SAM3_PX}
    processor = Sam3Processor(Sam3ImageProcessor(size=size), tiny_tokenizer())
    boxes = {} if prompts.box_xyxy is None else {"input_boxes": [[list(prompts.box_xyxy)]]}
    inputs = processor(images=image, text=prompts.text, return_tensors="pt", **boxes)
    sizes = inputs.pop("original_sizes").tolist()
    with torch.inference_mode():
        outputs = model.detector_model(**inputs)
    return processor.post_process_instance_segmentation(
        outputs, threshold=0.05, target_sizes=sizes
    )[0]


@pytest.mark.usefixtures("_all_found")
@pytest.mark.parametrize("size_hw", SIZES_HW)
@pytest.mark.parametrize("box", [None, BOX])
def test_a_name_finds_what_the_package_finds(
    model: Sam3VideoModel, segmenter: Segmenter, size_hw: tuple[int, int], box: tuple | None
) -> None:
    image, prompts = photo(*size_hw), Prompts(text="zebra", box_xyxy=box)
    expected = by_processor(model, image, prompts)
    found = segmenter.propose(segmenter.encode([image])[0], prompts)
    assert 1 <= len(found.masks) == len(expected["masks"])
    assert (found.masks != expected["masks"].numpy().astype(bool)).mean() < 1e-3
    np.testing.assert_allclose(found.scores, expected["scores"], rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("_all_found")
def test_another_name_and_another_picture_change_what_is_found(segmenter: Segmenter) -> None:
    """Else the comparison above would hold for any prompts."""
    one, other = segmenter.encode([photo(48, 100, seed) for seed in (0, 1)])
    zebra, horse = Prompts(text="zebra"), Prompts(text="horse")
    scores = [
        segmenter.propose(encoded, prompts).scores.max()
        for encoded, prompts in ((one, zebra), (one, horse), (other, zebra))
    ]
    assert len({round(float(score), 4) for score in scores}) == 3


def test_a_name_that_fits_nothing_finds_nothing(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sam3, "_MIN_SCORE", 1.0)
    found = segmenter.propose(segmenter.encode([photo(37, 53)])[0], Prompts(text="zebra"))
    assert (found.masks.shape, found.scores.shape) == ((0, 37, 53), (0,))


@pytest.mark.parametrize("size_hw", SIZES_HW)
@pytest.mark.parametrize(
    ("kind", "n"), [("click", 3), ("clicks", 1), ("box", 1), ("prior", 1), ("all", 1)]
)
def test_clicks_find_what_the_package_finds(
    model: Sam3VideoModel, segmenter: Segmenter, size_hw: tuple[int, int], kind: str, n: int
) -> None:
    image, prompts = photo(*size_hw), prompts_of(kind, *size_hw)
    size = {"height": SAM3_PX, "width": SAM3_PX}
    processor = Sam3TrackerProcessor(Sam3ImageProcessor(size=size))
    asked = asked_of_transformers(prompts, size_hw, SAM3_PX)
    inputs = processor(images=image, return_tensors="pt", **asked)
    if prompts.prior is not None:
        inputs["input_masks"] = prior_logits(prompts.prior, (SAM3_PX, SAM3_PX), SAM3_PX, 16)
    sizes, pixels = inputs.pop("original_sizes"), inputs.pop("pixel_values")
    with torch.inference_mode():
        seen = model.detector_model.get_vision_features(pixels)
        maps, _ = model.get_vision_features_for_tracker(seen)
        # A picture alone has no earlier frames, which a film's model says on its coarsest map.
        maps[-1] = maps[-1] + model.tracker_model.no_memory_embedding
        sides = (16, 8, 4)
        levels = [m.permute(1, 2, 0).view(1, -1, s, s) for m, s in zip(maps, sides, strict=True)]
        tracker = segmenter._tracker
        outputs = tracker(image_embeddings=levels, multimask_output=n == 3, **inputs)
    masks = processor.post_process_masks(outputs.pred_masks, sizes)[0][0].numpy()

    found = segmenter.propose(segmenter.encode([image])[0], prompts)
    assert (found.masks != masks).mean() < 1e-3
    np.testing.assert_allclose(
        found.scores, outputs.iou_scores[0, 0].clamp(0, 1), rtol=1e-4, atol=1e-5
    )


def test_the_tracker_is_the_films(model: Sam3VideoModel, segmenter: Segmenter) -> None:
    """Its weights come from two places in the file."""
    film, tracker = model.state_dict(), segmenter._tracker.state_dict()
    neck, decoder = "fpn_layers.0.proj1.weight", "mask_decoder.iou_token.weight"
    assert torch.equal(tracker[f"vision_encoder.neck.{neck}"], film[f"tracker_neck.{neck}"])
    assert torch.equal(tracker[decoder], film[f"tracker_model.{decoder}"])


def test_the_next_click_on_a_picture_does_not_look_at_it_again(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    neck = segmenter._tracker.vision_encoder.neck
    forward = neck.forward
    monkeypatch.setattr(neck, "forward", lambda x: (looks.append(1), forward(x))[1])
    one, other = segmenter.encode([photo(37, 53, 0), photo(37, 53, 1)])
    click, box = prompts_of("click", 37, 53), prompts_of("box", 37, 53)
    first = segmenter.propose(one, click)
    segmenter.propose(one, box)
    assert len(looks) == 1
    assert (segmenter.propose(other, click).masks != first.masks).any()
    np.testing.assert_array_equal(segmenter.propose(one, click).masks, first.masks)
    assert len(looks) == 3


def test_clicks_count_before_the_name(segmenter: Segmenter) -> None:
    encoded = segmenter.encode([photo(37, 53)])[0]
    clicks = prompts_of("clicks", 37, 53)
    both = Prompts(clicks.points_xy, clicks.is_animal, text="zebra")
    np.testing.assert_array_equal(
        segmenter.propose(encoded, both).masks, segmenter.propose(encoded, clicks).masks
    )


def test_a_long_name_is_cut_to_what_the_model_reads(segmenter: Segmenter) -> None:
    encoded = segmenter.encode([photo(37, 53)])[0]
    segmenter.propose(encoded, Prompts(text="a zebra " * 30))


def test_nothing_asked_is_refused(segmenter: Segmenter) -> None:
    with pytest.raises(InputError, match="click on it, or draw a box"):
        segmenter.propose(segmenter.encode([photo(37, 53)])[0], Prompts())


def test_a_damaged_tokenizer_is_named(checkpoints: Path, tmp_path: Path) -> None:
    shutil.copytree(checkpoints, tmp_path, dirs_exist_ok=True)
    (tmp_path / "sam3" / "tokenizer.json").write_text("{")
    with pytest.raises(WeightsError, match="damaged list of words"):
        load_segmenter("sam3", tmp_path, "cpu")
