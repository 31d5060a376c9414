import csv
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

from cfr_core.encoders import encoder as module
from cfr_core.encoders.encoder import load_encoder
from cfr_core.encoders.pipeline import embed
from cfr_core.errors import DeviceError, InputError, WeightsError
from cfr_core.fingerprint import file_sha256
from cfr_core.masks import rle
from cfr_core.types import CropRequest, Float32Array, ImageArray, Mask, MaskStatus, View
from tests.cfr_core.encoders.conftest import FOUR_VIEWS, lively

LOADED = {"cache_dir": Path("unused"), "device": "cpu"}


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **_: object) -> None:
        raise AssertionError(f"asked the network for {args}")

    monkeypatch.setattr(socket, "create_connection", refuse)


@pytest.mark.usefixtures("no_network")
def test_the_default_encoder_is_ready_offline(tmp_path: Path) -> None:
    encoder = load_encoder("effnet-lite0", tmp_path, cache_dir=tmp_path, device="cpu")
    assert (encoder.engine, encoder.device) == ("torch-float32-cpu", "cpu")
    spec = encoder.spec
    assert (spec.name, spec.architecture, spec.dim) == (
        "effnet-lite0",
        "tf_efficientnet_lite0",
        1280,
    )
    assert (spec.input_size_px, spec.mean, spec.interpolation) == (224, (0.5,) * 3, "bicubic")
    rng = np.random.default_rng(0)
    images = [rng.integers(0, 256, (h, 90, 3), dtype=np.uint8) for h in (50, 240)]
    vectors = encoder.embed_images(images)
    assert (vectors.shape, vectors.dtype) == ((2, 1280), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert encoder.embed_images([]).shape == (0, 1280)


def own_weights(folder: Path) -> Path:
    import timm

    network = lively(timm.create_model("test_efficientnet", num_classes=0))
    path = folder / "own.safetensors"
    save_file({key: value.contiguous() for key, value in network.state_dict().items()}, path)
    return path


def test_weights_of_ones_own_make_an_encoder(tmp_path: Path) -> None:
    path = own_weights(tmp_path)
    encoder = load_encoder(f"file:test_efficientnet:{path}", tmp_path, **LOADED)
    spec = encoder.spec
    assert spec.name == "file:test_efficientnet:own.safetensors"
    assert spec.weights_sha256 == file_sha256(path)
    image = np.zeros((10, 10, 3), np.uint8)
    assert encoder.embed_images([image]).shape == (1, spec.dim)


def test_an_engine_is_chosen_on_rows_of_the_dataset(
    tmp_path: Path, make_request: Callable[..., CropRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[ImageArray] = []
    to_inputs = module.to_inputs

    def record(images: list[ImageArray], spec: object) -> ImageArray:
        taken.extend(images)
        return to_inputs(images, spec)

    monkeypatch.setattr(module, "to_inputs", record)
    requests = [make_request(row_id) for row_id in range(40)]
    Path(requests[5].path).unlink()  # passed over
    name = f"file:test_efficientnet:{own_weights(tmp_path)}"
    where = {"cache_dir": tmp_path / "cache", "device": "cpu"}
    load_encoder(name, tmp_path, calibration=requests, **where)
    spread = [0, 10, 15, 20, 25, 30, 35]  # rows from all over the dataset
    assert [image.shape[0] for image in taken] == [30 + row_id % 7 for row_id in spread]
    taken.clear()
    load_encoder(name, tmp_path, calibration=requests, **where)
    assert not taken  # remembered


def test_the_spec_is_the_same_on_every_engine(
    tmp_path: Path, make_request: Callable[..., CropRequest]
) -> None:
    name = f"file:test_efficientnet:{own_weights(tmp_path)}"
    plain = load_encoder(name, tmp_path, cache_dir=tmp_path / "a", device="cpu")
    measured = load_encoder(
        name,
        tmp_path,
        cache_dir=tmp_path / "b",
        device="cpu",
        calibration=[make_request(row_id) for row_id in range(8)],
    )
    assert plain.spec == measured.spec
    inputs = np.random.default_rng(0).integers(0, 256, (3, 160, 160, 3), dtype=np.uint8)
    cosines = (plain.embed_inputs(inputs) * measured.embed_inputs(inputs)).sum(axis=1)
    assert cosines.min() >= 0.9999


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("effnet-lite", InputError, "nearest: effnet-lite0"),
        ("file:test_vit:absent.pth", WeightsError, "absent.pth: no such weights file"),
    ],
)
def test_what_is_not_there_is_an_error(
    name: str, error: type[Exception], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        load_encoder(name, tmp_path, **LOADED)


def test_a_gpu_asked_for_in_vain_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(DeviceError, match="'cuda' cannot be used"):
        load_encoder("effnet-lite0", tmp_path, cache_dir=tmp_path, device="cuda")


@pytest.mark.parametrize("name", ["cards", "status", "weights", "download"])
def test_listing_encoders_does_not_import_torch(name: str) -> None:
    code = f"import sys, cfr_core.encoders.{name}; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


def pig_requests(folder: Path) -> tuple[list[CropRequest], np.ndarray]:
    with (folder / "metadata.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    requests = []
    for row_id, row in enumerate(rows):
        pixels = np.asarray(Image.open(folder / row["mask_path"]).convert("L")) > 127
        mask = Mask(row_id, pixels.shape, rle.encode(pixels), "dataset", MaskStatus.ACCEPTED)
        requests.append(CropRequest(row_id, str(folder / row["path"]), None, mask, FOUR_VIEWS))
    return requests, np.array([row["identity"] for row in rows])


def n_hits(vectors: Float32Array, identities: np.ndarray) -> int:
    similarities = vectors @ vectors.T
    np.fill_diagonal(similarities, -np.inf)
    return int((identities[similarities.argmax(axis=1)] == identities).sum())


def test_pigs_are_found_as_often_as_measured_before(shared_data: Path, tmp_path: Path) -> None:
    """Reference: the same encoder by other code, R@1 of 215 queries in each view."""
    requests, identities = pig_requests(shared_data / "pigs_faro_masks")
    encoder = load_encoder(
        "effnet-lite0", tmp_path, cache_dir=tmp_path, device="cpu", calibration=requests
    )
    vectors: dict[View, list[Float32Array]] = {view: [] for view in View}
    for batch in embed(requests, encoder):
        assert not batch.failures
        for view, vector in zip(batch.views, batch.vectors, strict=True):
            vectors[view.view].append(vector)
    reference = {"full": 0.2837, "foreground": 0.2465, "shortcut": 0.2279, "silhouette": 0.1442}
    for view, rate in reference.items():
        assert abs(n_hits(np.array(vectors[View(view)]), identities) - rate * 215) < 1.01, view
