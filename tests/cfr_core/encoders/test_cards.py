from pathlib import Path

import pytest

from cfr_core.encoders.cards import CARDS, HubWeights, LocalWeights, find_card
from cfr_core.errors import InputError


def test_the_registry_holds_what_is_promised() -> None:
    promised = {"effnet-lite0", "miewid-msv3"}
    promised |= {f"megadescriptor-{size}" for size in ("t-224", "s-224", "b-224", "l-224", "l-384")}
    promised |= {f"dinov2-{size}-14" for size in "sbl"} | {f"dinov3-{size}-16" for size in "sbl"}
    assert set(CARDS) == promised
    assert all(card.name == name and card.licence for name, card in CARDS.items())
    assert all("NC" in CARDS[name].licence for name in CARDS if name.startswith("megadescriptor"))


@pytest.mark.parametrize("name", [name for name in CARDS if name != "miewid-msv3"])
def test_cards_agree_with_timm(name: str) -> None:
    card = CARDS[name]
    theirs = find_card(f"timm:{card.architecture}")
    assert theirs.input_size_px == card.input_size_px
    assert (theirs.mean, theirs.std) == (card.mean, card.std)
    if name.startswith("dino"):
        assert theirs.weights.repo == card.weights.repo


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("megadescriptor-l-348", "nearest: megadescriptor-l-384"),  # a slip of the finger
        ("MegaDescriptor-L-384", "nearest: megadescriptor-l-384"),  # as its authors write it
        ("zzz", "there are effnet-lite0, "),  # like nothing: the whole list
        ("timm:vit_base_patch16_225", "vit_base_patch16_224"),
        ("timm:vit_base_patch16_224.augreg", "vit_base_patch16_224.augreg_in"),  # half a tag
        ("file:test_vit", "expected file:ARCH:PATH"),
        ("file::weights.pth", "expected file:ARCH:PATH"),
        ("file:no_such_net:weights.pth", "no model 'no_such_net'"),
        ("timm:test_vit4.none", "no weights"),
        ("timm:coatnet_0_224", "publishes no weights"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(name: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        find_card(name)
    assert words in str(error.value)


def test_any_model_of_timm_has_a_card() -> None:
    card = find_card("timm:test_efficientnet")
    assert card.weights == HubWeights("timm/test_efficientnet.r160_in1k", ("model.safetensors",))
    assert (card.input_size_px, card.dim) == (160, None)


@pytest.mark.parametrize("architecture", ["megadescriptor-t-224", "swin_tiny_patch4_window7_224"])
def test_a_file_of_ones_own_takes_the_preprocessing_of_its_architecture(architecture: str) -> None:
    card = find_card(f"file:{architecture}:some/tuned:v2.pth")
    assert card.weights == LocalWeights(Path("some/tuned:v2.pth").absolute())
    assert card.name == f"file:{architecture}:tuned:v2.pth"
    assert card.input_size_px == 224
    assert "author of the file" in card.licence
    assert card.interpolation == ("bilinear" if "mega" in architecture else "bicubic")
