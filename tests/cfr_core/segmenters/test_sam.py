"""SAM engines against segment-anything's SamPredictor."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageOps
from segment_anything import SamPredictor
from segment_anything.modeling import Sam

from cfr_core.errors import DeviceError, InputError, WeightsError
from cfr_core.images import crop, decode
from cfr_core.segmenters import sam
from cfr_core.segmenters.load import load_segmenter
from cfr_core.segmenters.on_torch import prior_logits, to_model_px
from cfr_core.segmenters.segmenter import Prompts, Segmenter
from cfr_core.types import Float32Array, ImageArray
from tests.cfr_core.encoders.conftest import lively
from tests.cfr_core.segmenters.tiny_sams import (
    SIZES_HW,
    TINY_PX,
    disc,
    photo,
    place_tiny_sam,
    published,
    tiny_sam,
)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sam:
    return place_tiny_sam(tmp_path, monkeypatch)


@pytest.fixture
def segmenter(model: Sam, tmp_path: Path) -> Segmenter:
    assert model
    return load_segmenter("sam-vit-b", tmp_path, "cpu")


def clicks(height: int, width: int, n: int) -> tuple[Float32Array, np.ndarray]:
    shares = np.array([[0.5, 0.4], [0.13, 0.9], [0.98, 0.03]], np.float32)[:n]
    return shares * np.float32([width, height]), np.array([True, False, True])[:n]


def prompts_of(kind: str, height: int, width: int) -> Prompts:
    xy, is_animal = clicks(height, width, 1 if kind == "click" else 3)
    box = (0.1 * width, 0.2 * height, 0.7 * width, 0.9 * height)
    prior = disc(height, width)
    return {
        "click": Prompts(xy, is_animal),
        "clicks": Prompts(xy, is_animal),
        "box": Prompts(box_xyxy=box),
        "prior": Prompts(prior=prior),
        "all": Prompts(xy, is_animal, box, prior=prior),
    }[kind]


def by_predictor(model: Sam, image: ImageArray, prompts: Prompts, *, n: int) -> tuple:
    """What SamPredictor gives, asked in its own way: pixels by number, centres at whole numbers."""
    predictor = SamPredictor(model)
    predictor.set_image(image)
    height, width = image.shape[:2]
    input_h, input_w = predictor.input_size
    scale = np.array([input_w / width, input_h / height])

    def own(xy: object) -> np.ndarray:
        return np.asarray(xy, np.float64).reshape(-1, 2) - 0.5 / scale

    has_points = len(prompts.points_xy) > 0
    logits = None
    if prompts.prior is not None:
        logits = prior_logits(prompts.prior, (input_h, input_w), TINY_PX, 16)[0].numpy()
    masks, scores, _ = predictor.predict(
        own(prompts.points_xy) if has_points else None,
        prompts.is_animal.astype(int) if has_points else None,
        own(prompts.box_xyxy).reshape(4) if prompts.box_xyxy is not None else None,
        mask_input=logits,
        multimask_output=n == 3,
    )
    return masks, np.clip(scores, 0, 1)


@pytest.mark.parametrize("size_hw", SIZES_HW)
@pytest.mark.parametrize(
    ("kind", "n"), [("click", 3), ("clicks", 1), ("box", 1), ("prior", 1), ("all", 1)]
)
def test_masks_and_scores_are_the_packages_own(
    model: Sam, segmenter: Segmenter, size_hw: tuple[int, int], kind: str, n: int
) -> None:
    image, prompts = photo(*size_hw), prompts_of(kind, *size_hw)
    encoded = segmenter.encode([image])[0]
    found = segmenter.propose(encoded, prompts)
    masks, scores = by_predictor(model, image, prompts, n=n)
    assert found.masks.shape == (n, *size_hw)
    np.testing.assert_array_equal(found.masks, masks)
    np.testing.assert_allclose(found.scores, scores, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_clicks_on_a_crop_of_a_turned_photo_mean_what_is_seen(
    model: Sam, segmenter: Segmenter, tmp_path: Path, orientation: int
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / "photo.png"
    Image.fromarray(photo(60, 90)).save(path, exif=exif)
    seen = crop(decode(path).pixels, (7, 11, 41, 30))
    with Image.open(path) as opened:
        upright = np.asarray(ImageOps.exif_transpose(opened).crop((7, 11, 48, 41)))
    prompts = prompts_of("all", 30, 41)
    masks, _ = by_predictor(model, upright, prompts, n=1)
    found = segmenter.propose(segmenter.encode([seen])[0], prompts)
    np.testing.assert_array_equal(found.masks, masks)


def test_the_tiny_model_looks_at_picture_and_prompts(segmenter: Segmenter) -> None:
    """Else the comparisons above would hold for any prompts."""
    images = [photo(48, 100, seed) for seed in (0, 1)]
    one, other = segmenter.encode(images)
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
        assert one.pixels is image
        alone = segmenter.encode([image])[0]
        np.testing.assert_allclose(
            one.arrays["embedding"], alone.arrays["embedding"], rtol=1e-4, atol=1e-5
        )
    assert segmenter.encode([]) == []


def test_places_keep_their_share_of_the_picture() -> None:
    """The model counts pixels by their centres: a picture's corners lie half a pixel outside."""
    corners = to_model_px(np.float32([[0, 0], [53, 37], [26.5, 18.5]]), (64 / 53, 45 / 37))
    torch.testing.assert_close(corners + 0.5, torch.tensor([[0, 0], [64, 45], [32, 22.5]]))


@pytest.mark.parametrize("size_hw", SIZES_HW)
def test_a_mask_to_start_from_lies_where_it_was(size_hw: tuple[int, int], model: Sam) -> None:
    """The model's own way back from its low resolution gives the mask again."""
    height, width = size_hw
    scale = TINY_PX / max(size_hw)
    input_hw = (int(height * scale + 0.5), int(width * scale + 0.5))
    mask = disc(*size_hw)
    logits = prior_logits(mask, input_hw, TINY_PX, TINY_PX)
    back = model.postprocess_masks(logits, input_hw, size_hw)[0, 0].numpy() > 0
    assert (back & mask).sum() / (back | mask).sum() > 0.93
    assert prior_logits(np.ones(size_hw, bool), input_hw, TINY_PX, 16).max() == 10
    assert prior_logits(np.zeros(size_hw, bool), input_hw, TINY_PX, 16).unique().tolist() == [-10]


@pytest.mark.parametrize(
    ("prompts", "words"),
    [
        (Prompts(), "click on it, or draw a box"),
        (Prompts(text="zebra"), "reads no names"),
        (Prompts(np.float32([[101, 5]]), np.array([True])), "outside the picture of 100 x 48"),
        (Prompts(prior=np.ones((48, 99), bool)), "the mask to start from has shape"),
    ],
)
def test_prompts_that_cannot_be_used_are_refused(
    segmenter: Segmenter, prompts: Prompts, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        segmenter.propose(segmenter.encode([photo(48, 100)])[0], prompts)


def test_features_of_another_engine_are_refused(segmenter: Segmenter) -> None:
    encoded = replace(segmenter.encode([photo(48, 100)])[0], engine="another")
    with pytest.raises(InputError, match="another engine's than those of sam-vit-b"):
        segmenter.propose(encoded, prompts_of("box", 48, 100))


def test_weights_of_another_model_are_named(
    model: Sam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sam-vit-b" / "sam_vit_b_01ec64.pth"
    torch.save(model.image_encoder.state_dict(), path)
    published("sam-vit-b", path, monkeypatch)
    with pytest.raises(WeightsError, match="not weights of sam-vit-b: Missing key"):
        load_segmenter("sam-vit-b", tmp_path, "cpu")


@pytest.mark.usefixtures("model")
def test_a_damaged_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sam-vit-b" / "sam_vit_b_01ec64.pth"
    path.write_bytes(path.read_bytes()[:5000])
    published("sam-vit-b", path, monkeypatch)
    with pytest.raises(WeightsError, match="damaged or truncated weights file"):
        load_segmenter("sam-vit-b", tmp_path, "cpu")


def test_the_fingerprint_follows_the_weights(
    segmenter: Segmenter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_segmenter("sam-vit-b", tmp_path, "cpu").fingerprint == segmenter.fingerprint
    path = tmp_path / "sam-vit-b" / "sam_vit_b_01ec64.pth"
    torch.save(lively(tiny_sam(), seed=4).state_dict(), path)
    published("sam-vit-b", path, monkeypatch)
    assert load_segmenter("sam-vit-b", tmp_path, "cpu").fingerprint != segmenter.fingerprint


def test_a_batch_too_large_for_memory_is_halved(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    encoder = segmenter._model.image_encoder
    forward = encoder.forward

    def small_memory(inputs: torch.Tensor) -> torch.Tensor:
        sizes.append(len(inputs))
        if len(inputs) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(inputs)

    monkeypatch.setattr(encoder, "forward", small_memory)
    images = [photo(30, 40, seed) for seed in range(5)]
    encoded = segmenter.encode(images)
    assert all(one.pixels is image for one, image in zip(encoded, images, strict=True))
    assert sizes == [5, 2, 3, 1, 2]


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        MemoryError(),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
    ],
)
def test_running_out_of_memory_says_what_to_do(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    encoded = segmenter.encode([photo(48, 100)])[0]

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(segmenter._model.image_encoder, "forward", fail)
    monkeypatch.setattr(segmenter._model.mask_decoder, "forward", fail)
    with pytest.raises(DeviceError, match="memory of cpu is too small for sam-vit-b here"):
        segmenter.encode([photo(48, 100)])
    with pytest.raises(DeviceError, match="choose a smaller engine"):
        segmenter.propose(encoded, prompts_of("box", 48, 100))


@pytest.mark.usefixtures("model")
def test_a_model_too_large_for_memory_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise MemoryError

    monkeypatch.setitem(sam.BUILDERS, "vit_b", fail)
    with pytest.raises(DeviceError, match="too small for sam-vit-b here: close other programs"):
        load_segmenter("sam-vit-b", tmp_path, "cpu")


def test_other_faults_are_not_taken_for_memory(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(segmenter._model.image_encoder, "forward", fail)
    with pytest.raises(RuntimeError, match="a bug"):
        segmenter.encode([photo(48, 100)])


@pytest.mark.parametrize(
    ("architecture", "millions"),
    [("vit_b", 93.7), ("vit_l", 312.3), ("vit_h", 641.1), ("vit_t", 9.8)],
)
def test_official_networks_have_their_published_size(architecture: str, millions: float) -> None:
    with torch.device("meta"):
        model = sam.BUILDERS[architecture]()
    n_weights = sum(parameter.numel() for parameter in model.parameters())
    assert n_weights / 1e6 == pytest.approx(millions, abs=0.06)
