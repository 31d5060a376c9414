"""The registry of engines, and how their weights come to this machine."""

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cfr_core.encoders import download as download_module
from cfr_core.encoders.cards import HubWeights, UrlWeights
from cfr_core.encoders.weights import get_weights
from cfr_core.errors import InputError, WeightsError
from cfr_core.segmenters.cards import (
    SEGMENTERS,
    ModelFile,
    available_segmenters,
    default_segmenter,
    find_segmenter,
)
from cfr_core.segmenters.load import load_segmenter
from cfr_core.types import Progress
from tests.cfr_core.encoders.conftest import Hub
from tests.cfr_core.encoders.conftest import hub as hub

CONTENT = b"weights" * 50_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download_module, "_PAUSE_S", 0.0)
    monkeypatch.delenv("HF_TOKEN", raising=False)


def place(name: str, checkpoints_dir: Path, *, all_but: int = 0) -> None:
    files = SEGMENTERS[name].weights
    for file in files[: len(files) - all_but]:
        path = checkpoints_dir / name / file.weights.filenames[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CONTENT)


def served(hub: Hub, sha256: str = SHA256) -> ModelFile:
    return ModelFile("mobile-sam", UrlWeights(f"{hub.url}/weights/mobile_sam.pt", sha256, 1))


def test_engines_stand_from_the_least_to_the_best() -> None:
    assert next(iter(SEGMENTERS)) == "grabcut"
    assert list(SEGMENTERS)[-1] == "sam3"
    assert [name for name, card in SEGMENTERS.items() if card.reads_text] == ["sam3"]
    assert [name for name, card in SEGMENTERS.items() if card.is_light] == [
        "grabcut",
        "mobile-sam",
        "sam2-tiny",
        "sam2-small",
    ]


def test_digests_have_the_form_of_digests() -> None:
    for card in SEGMENTERS.values():
        for file in card.weights:
            sha256 = file.weights.sha256
            assert sha256 is None or (len(sha256) == 64 and int(sha256, 16))


def test_an_unknown_name_is_answered_with_near_ones() -> None:
    with pytest.raises(InputError, match=r"no mask engine is named 'sam-vit-x' \(nearest: sam-vit"):
        find_segmenter("sam-vit-x")
    with pytest.raises(InputError, match="there are grabcut, mobile-sam, sam2-tiny"):
        load_segmenter("?", Path())


def test_without_weights_grabcut_is_offered_and_the_others_say_what_they_need(
    tmp_path: Path,
) -> None:
    needs = {status.card.name: status.needs for status in available_segmenters(tmp_path)}
    assert list(needs) == list(SEGMENTERS)
    assert [name for name, words in needs.items() if not words] == ["grabcut"]
    assert default_segmenter(tmp_path) == "grabcut"
    assert needs["sam-vit-b"] == (
        "a download of 375 MB at first use; or by hand https://dl.fbaipublicfiles.com/"
        f"segment_anything/sam_vit_b_01ec64.pth into {tmp_path / 'sam-vit-b'}"
    )
    assert "facebook/sam2.1-hiera-tiny/resolve/main/model.safetensors, https" in needs["sam2-tiny"]
    assert needs["sam2-tiny"].endswith(f"config.json into {tmp_path / 'sam2-tiny'}")


def test_the_best_engine_whose_weights_are_here_is_offered(tmp_path: Path) -> None:
    place("mobile-sam", tmp_path)
    assert default_segmenter(tmp_path) == "mobile-sam"
    place("sam-vit-b", tmp_path)
    assert default_segmenter(tmp_path) == "sam-vit-b"
    place("sam2-large", tmp_path, all_but=1)  # a part is not enough
    assert default_segmenter(tmp_path) == "sam-vit-b"
    (needs,) = (s.needs for s in available_segmenters(tmp_path) if s.card.name == "sam2-large")
    assert needs.startswith("a download at first use; or by hand")
    assert "model.safetensors" not in needs
    place("sam2-large", tmp_path)
    assert default_segmenter(tmp_path) == "sam2-large"


def test_a_download_that_breaks_off_goes_on_and_is_checked(hub: Hub, tmp_path: Path) -> None:
    hub.content, hub.break_after = CONTENT, [100_000, 100_000]
    seen: list[Progress] = []
    weights = get_weights(served(hub), tmp_path, on_progress=seen.append)
    assert weights.path == tmp_path / "mobile-sam" / "mobile_sam.pt"
    assert (weights.path.read_bytes(), weights.sha256) == (CONTENT, SHA256)
    assert "mobile-sam" in seen[-1].stage
    assert (seen[-1].done, seen[-1].total, seen[-1].unit) == (len(CONTENT), len(CONTENT), "B")
    assert [path for path, _ in hub.requests] == ["/weights/mobile_sam.pt"] * 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"content": CONTENT[:-1] + b"?"}, "the bytes that came have SHA-256"),
        ({"content": b"<!DOCTYPE html><p>Sign in"}, "a web page instead of the file"),
        ({"content": CONTENT, "statuses": {"mobile_sam.pt": 503}}, "HTTP 503"),
        ({"content": CONTENT, "statuses": {"mobile_sam.pt": 404}}, "no such file"),
    ],
    ids=["other bytes", "a web page", "a server in trouble", "gone"],
)
def test_a_download_that_fails_says_what_to_place_where(
    hub: Hub, tmp_path: Path, change: dict, words: str
) -> None:
    for name, value in change.items():
        setattr(hub, name, value)
    file = served(hub)
    with pytest.raises(WeightsError, match=words) as error:
        get_weights(file, tmp_path)
    advice = f"fetch {hub.url}/weights/mobile_sam.pt elsewhere and place it in {tmp_path}"
    assert advice in str(error.value)
    assert not (tmp_path / "mobile-sam" / "mobile_sam.pt").exists()


def test_without_network_the_file_and_the_folder_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = UrlWeights("http://127.0.0.1:9/sam_vit_b_01ec64.pth", SHA256, 375)
    card = replace(SEGMENTERS["sam-vit-b"], weights=(ModelFile("sam-vit-b", weights),))
    monkeypatch.setitem(SEGMENTERS, "sam-vit-b", card)
    with pytest.raises(WeightsError) as error:
        load_segmenter("sam-vit-b", tmp_path, "cpu")
    for words in (
        "the weights of sam-vit-b are not on this machine",
        "fetch http://127.0.0.1:9/sam_vit_b_01ec64.pth elsewhere",
        str(tmp_path / "sam-vit-b"),
    ):
        assert words in str(error.value)


def test_the_hubs_token_goes_to_the_hub_alone(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    hub.content = CONTENT
    get_weights(served(hub), tmp_path)
    get_weights(ModelFile("sam3", HubWeights("facebook/sam3", ("config.json",))), tmp_path)
    sent = [headers.get("Authorization") for _, headers in hub.requests]
    assert sent == [None, "Bearer secret"]


def test_nothing_heavy_is_imported_before_an_engine_is_loaded() -> None:
    """Pages and workers list engines and hold caches long before a mask is asked for."""
    names = ("cards", "load", "features", "prefetch")
    script = f"""
import importlib, sys
for name in {names}:
    importlib.import_module(f"cfr_core.segmenters.{{name}}")
print(sorted({{"torch", "timm", "transformers", "segment_anything"}} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_another_file_placed_by_hand_is_refused(tmp_path: Path) -> None:
    place("mobile-sam", tmp_path)
    with pytest.raises(WeightsError, match=r"not the published file of mobile-sam .*; delete it$"):
        load_segmenter("mobile-sam", tmp_path, "cpu")
