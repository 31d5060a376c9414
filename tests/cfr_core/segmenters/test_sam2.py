"""SAM 2 against transformers' own processor and model."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from transformers import Sam2Model, Sam2Processor
from transformers.models.sam2.image_processing_sam2 import Sam2ImageProcessor

from cfr_core.errors import DeviceError, InputError, WeightsError
from cfr_core.segmenters.load import load_segmenter
from cfr_core.segmenters.on_torch import prior_logits
from cfr_core.segmenters.segmenter import Prompts, Segmenter
from tests.cfr_core.segmenters.test_sam import prompts_of
from tests.cfr_core.segmenters.tiny_sams import SIZES_HW, photo
from tests.cfr_core.segmenters.tiny_transformers import (
    SAM2_PX,
    save_model,
    tiny_sam2,
    tiny_sam2_video,
)


@pytest.fixture(scope="module")
def model() -> Sam2Model:
    return tiny_sam2()


@pytest.fixture(scope="module")
def segmenter(model: Sam2Model, tmp_path_factory: pytest.TempPathFactory) -> Segmenter:
    checkpoints = tmp_path_factory.mktemp("checkpoints")
    save_model(model, checkpoints / "sam2-tiny")
    return load_segmenter("sam2-tiny", checkpoints, "cpu")


def asked_of_transformers(prompts: Prompts, size_hw: tuple[int, int], side: int) -> dict:
    """Prompts in the way of its processors: pixels by number, centres at whole numbers."""
    height, width = size_hw
    half = np.array([width, height]) / side / 2
    asked: dict = {}
    if len(prompts.points_xy):
        asked["input_points"] = [[(prompts.points_xy - half).tolist()]]
        asked["input_labels"] = [[prompts.is_animal.astype(int).tolist()]]
    if prompts.box_xyxy is not None:
        box = np.reshape(prompts.box_xyxy, (2, 2)) - half
        asked["input_boxes"] = [[box.reshape(4).tolist()]]
    return asked


@pytest.mark.parametrize("size_hw", SIZES_HW)
@pytest.mark.parametrize(
    ("kind", "n"), [("click", 3), ("clicks", 1), ("box", 1), ("prior", 1), ("all", 1)]
)
def test_masks_and_scores_are_the_packages_own(
    model: Sam2Model, segmenter: Segmenter, size_hw: tuple[int, int], kind: str, n: int
) -> None:
    image, prompts = photo(*size_hw), prompts_of(kind, *size_hw)
    processor = Sam2Processor(Sam2ImageProcessor(size={"height": SAM2_PX, "width": SAM2_PX}))
    inputs = processor(
        images=image, return_tensors="pt", **asked_of_transformers(prompts, size_hw, SAM2_PX)
    )
    if prompts.prior is not None:
        inputs["input_masks"] = prior_logits(prompts.prior, (SAM2_PX, SAM2_PX), SAM2_PX, 16)
    sizes = inputs.pop("original_sizes")
    outputs = model(**inputs, multimask_output=n == 3)
    masks = processor.post_process_masks(outputs.pred_masks, sizes)[0][0].numpy()

    found = segmenter.propose(segmenter.encode([image])[0], prompts)
    assert found.masks.shape == (n, *size_hw)
    assert (found.masks != masks).mean() < 1e-3  # rounding where a logit is all but zero
    scores = outputs.iou_scores[0, 0].clamp(0, 1)
    np.testing.assert_allclose(found.scores, scores, rtol=1e-4, atol=1e-5)


def test_the_tiny_model_looks_at_picture_and_prompts(segmenter: Segmenter) -> None:
    """Else the comparison above would hold for any prompts."""
    one, other = segmenter.encode([photo(48, 100, seed) for seed in (0, 1)])
    click, box = prompts_of("click", 48, 100), prompts_of("box", 48, 100)
    masks = [segmenter.propose(one, click).masks[0], segmenter.propose(other, click).masks[0]]
    masks.append(segmenter.propose(one, box).masks[0])
    for mask in masks:
        assert 0.02 < mask.mean() < 0.98
    assert (masks[0] != masks[1]).mean() > 0.01
    assert (masks[0] != masks[2]).mean() > 0.01


def test_a_batch_gives_what_single_pictures_give(segmenter: Segmenter) -> None:
    images = [photo(*size_hw, seed=n) for n, size_hw in enumerate(SIZES_HW)]
    for one, image in zip(segmenter.encode(images), images, strict=True):
        alone = segmenter.encode([image])[0]
        for name, features in one.arrays.items():
            np.testing.assert_allclose(features, alone.arrays[name], rtol=1e-3, atol=1e-4)


def test_the_published_model_for_films_serves_pictures(
    tmp_path: Path, segmenter: Segmenter
) -> None:
    film = tiny_sam2_video()
    save_model(film, tmp_path / "films" / "sam2-tiny")
    from_film = load_segmenter("sam2-tiny", tmp_path / "films", "cpu")
    image = photo(37, 53)
    pixels = segmenter.encode([image])[0]
    assert from_film.encode([image])[0].arrays.keys() == pixels.arrays.keys()
    assert from_film.fingerprint != segmenter.fingerprint
    with pytest.raises(InputError, match="another engine's"):
        from_film.propose(pixels, prompts_of("box", 37, 53))


def test_names_are_refused(segmenter: Segmenter) -> None:
    with pytest.raises(InputError, match="sam2-tiny reads no names: click on the animal"):
        segmenter.propose(segmenter.encode([photo(37, 53)])[0], Prompts(text="zebra"))


def test_weights_of_a_model_of_another_size_are_named(model: Sam2Model, tmp_path: Path) -> None:
    folder = tmp_path / "sam2-tiny"
    save_model(model, folder)
    config = (folder / "config.json").read_text()
    (folder / "config.json").write_text(config.replace('"mlp_dim": 32', '"mlp_dim": 48'))
    with pytest.raises(WeightsError, match="of another model than config"):
        load_segmenter("sam2-tiny", tmp_path, "cpu")


def test_no_tensor_of_the_model_may_be_absent(model: Sam2Model, tmp_path: Path) -> None:
    folder = tmp_path / "sam2-tiny"
    save_model(model, folder)
    state = load_file(folder / "model.safetensors")
    del state["mask_decoder.iou_token.weight"]
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(WeightsError, match=r"it lacks 1 \(mask_decoder\.iou_token\.weight\)"):
        load_segmenter("sam2-tiny", tmp_path, "cpu")


def test_a_tensor_that_is_stored_once_for_two_places_is_found(tmp_path: Path) -> None:
    own, twin = (
        "prompt_encoder.shared_embedding.positional_embedding",
        "shared_image_embedding.positional_embedding",
    )
    model = tiny_sam2()
    model.state_dict()[own].copy_(model.state_dict()[twin])
    save_model(model, tmp_path / "both" / "sam2-tiny")
    save_model(model, tmp_path / "one" / "sam2-tiny")
    path = tmp_path / "one" / "sam2-tiny" / "model.safetensors"
    state = load_file(path)
    del state[own]
    save_file(state, path, metadata={"format": "pt"})
    both, one = (load_segmenter("sam2-tiny", tmp_path / name, "cpu") for name in ("both", "one"))
    image, prompts = photo(37, 53), prompts_of("all", 37, 53)
    expected = both.propose(both.encode([image])[0], prompts)
    found = one.propose(one.encode([image])[0], prompts)
    np.testing.assert_array_equal(found.masks, expected.masks)
    del state[twin]
    save_file(state, path, metadata={"format": "pt"})
    with pytest.raises(WeightsError, match="it lacks 2"):
        load_segmenter("sam2-tiny", tmp_path / "one", "cpu")


def test_another_kind_of_model_is_named(model: Sam2Model, tmp_path: Path) -> None:
    save_model(model, tmp_path / "sam2-tiny")
    (tmp_path / "sam2-tiny" / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(WeightsError, match="describes a model of kind 'bert', not 'sam2'"):
        load_segmenter("sam2-tiny", tmp_path, "cpu")
    (tmp_path / "sam2-tiny" / "config.json").write_text("[1")
    with pytest.raises(WeightsError, match="not a model's description; get it again"):
        load_segmenter("sam2-tiny", tmp_path, "cpu")


def test_a_damaged_file_is_named(model: Sam2Model, tmp_path: Path) -> None:
    save_model(model, tmp_path / "sam2-tiny")
    path = tmp_path / "sam2-tiny" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(WeightsError, match=r"model\.safetensors: damaged"):
        load_segmenter("sam2-tiny", tmp_path, "cpu")


def test_too_little_memory_is_not_taken_for_a_damaged_file(
    model: Sam2Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    save_model(model, tmp_path / "sam2-tiny")
    monkeypatch.setattr(Sam2Model, "from_pretrained", fail)
    with pytest.raises(DeviceError, match="too small for sam2-tiny here"):
        load_segmenter("sam2-tiny", tmp_path, "cpu")


def test_loading_says_nothing_on_the_terminal(
    model: Sam2Model, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    save_model(model, tmp_path / "sam2-tiny")
    load_segmenter("sam2-tiny", tmp_path, "cpu")
    assert capfd.readouterr() == ("", "")
