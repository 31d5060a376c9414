"""Small photos with masks, a model hub on this machine, and networks of a few thousand weights."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from cfr_core.encoders.cards import EncoderCard, LocalWeights
from cfr_core.encoders.encoder import Encoder
from cfr_core.encoders.network import Network
from cfr_core.masks import rle
from cfr_core.types import (
    CropRequest,
    EncoderSpec,
    Float32Array,
    ImageArray,
    Mask,
    MaskStatus,
    View,
    ViewSpec,
)

FOUR_VIEWS = tuple(ViewSpec(view) for view in View)


@pytest.fixture
def make_request(tmp_path: Path) -> Callable[..., CropRequest]:
    """Writes a small photo and returns the request for its four views."""

    def make(row_id: int, **changes: object) -> CropRequest:
        rng = np.random.default_rng(row_id)
        height, width = 30 + row_id % 7, 40 + row_id % 5
        path = tmp_path / f"photo_{row_id}.png"
        Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8)).save(path)
        pixels = np.zeros((height, width), np.bool_)
        pixels[8:20, 10 : 25 + row_id % 3] = True
        mask = Mask(row_id, (height, width), rle.encode(pixels), "human", MaskStatus.ACCEPTED)
        fields: dict = {"bbox_xywh": None, "mask": mask, "views": FOUR_VIEWS, **changes}
        return CropRequest(row_id, str(path), **fields)

    return make


class GridEngine:
    """An encoder that needs no weights: mean colours of 4 x 4 tiles; it fails where it is told."""

    name = "grid"

    def __init__(self, give: Callable[[Float32Array], Float32Array] = lambda vectors: vectors):
        self.give = give
        self.batches: list[int] = []

    def __call__(self, pixels: ImageArray) -> Float32Array:
        self.batches.append(len(pixels))
        n, size = pixels.shape[:2]
        tiles = pixels.reshape(n, 4, size // 4, 4, size // 4, 3).mean((2, 4))
        return self.give(tiles.reshape(n, -1).astype(np.float32) + 1)


GRID_SPEC = EncoderSpec(
    name="grid",
    architecture="grid",
    weights_sha256="",
    input_size_px=16,
    mean=(0.5, 0.5, 0.5),
    std=(0.5, 0.5, 0.5),
    interpolation="bicubic",
    dim=48,
    licence="none",
)


@pytest.fixture
def grid_encoder() -> Encoder:
    return Encoder(GRID_SPEC, "cpu", GridEngine())


def lively(network: nn.Module, seed: int = 0) -> nn.Module:
    """Weights and statistics under which different photos get different vectors."""
    generator = torch.Generator().manual_seed(seed)
    for name, tensor in network.state_dict().items():
        if not tensor.is_floating_point():
            continue
        noise = torch.rand(tensor.shape, generator=generator)
        if tensor.ndim > 1:  # He et al. 2015: keeps the spread of activations
            tensor.copy_((noise - 0.5) * (24 / tensor[0].numel()) ** 0.5)
        elif name.endswith(("weight", "running_var", "gamma")):
            tensor.copy_(noise + 0.5)
        else:
            tensor.copy_((noise - 0.5) * 0.2)
    return network.eval()


def tiny_card(name: str = "test_vit", size_px: int = 160) -> EncoderCard:
    return EncoderCard(
        name=name,
        architecture=name,
        weights=LocalWeights(Path("unused")),
        input_size_px=size_px,
        mean=(0.5, 0.4, 0.3),
        std=(0.2, 0.3, 0.4),
        interpolation="bicubic",
        dim=None,
        licence="none",
    )


@pytest.fixture
def tiny_network() -> Network:
    """Two convolutions with random weights, in float32 on the CPU."""
    layers = (
        nn.Conv2d(3, 16, 3, stride=2),
        nn.BatchNorm2d(16),
        nn.SiLU(),
        nn.Conv2d(16, 48, 3, stride=2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )
    network = Network(lively(nn.Sequential(*layers)), tiny_card(size_px=64))
    return network.eval().requires_grad_(False)


@dataclass
class Hub:
    """A server of one file, with the faults of real ones.

    Attributes:
        content: The file.
        break_after: Bytes after which each connection ends, by number of the connection.
        ranges: Whether it honours Range.
        tag: Entity tag.
        headers: Further headers of the answer.
        redirect_headers: If set, /resolve/ paths answer with a redirect that carries these.
        statuses: Status by path suffix, instead of the file.
        requests: (path, headers) of each request that came.
    """

    content: bytes = b""
    break_after: list[int] = field(default_factory=list)
    ranges: bool = True
    tag: str = '"v1"'
    headers: dict[str, str] = field(default_factory=dict)
    redirect_headers: dict[str, str] | None = None
    statuses: dict[str, int] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def do_GET(self) -> None:
        hub = self.hub
        hub.requests.append((self.path, dict(self.headers)))
        for suffix, status in hub.statuses.items():
            if self.path.endswith(suffix):
                self._answer(status, b"no", {})
                return
        if hub.redirect_headers is not None and "/storage/" not in self.path:
            headers = {"Location": f"{hub.url}/storage/file", **hub.redirect_headers}
            self._answer(302, b"", headers)
            return
        self._send_file(hub)

    def _send_file(self, hub: Hub) -> None:
        start = 0
        wanted = self.headers.get("Range", "")
        is_same = self.headers.get("If-Range") in (None, hub.tag)
        if wanted and hub.ranges and is_same:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(hub.content):
                self._answer(416, b"", {"Content-Range": f"bytes */{len(hub.content)}"})
                return
        headers = {"ETag": hub.tag, "Content-Length": str(len(hub.content) - start), **hub.headers}
        self._answer(206 if start else 200, hub.content[start:], headers)

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if status in (200, 206) and self.hub.break_after:
            body = body[: self.hub.break_after.pop(0)]
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[Hub]:
    state = Hub()
    handler = type("Handler", (_Handler,), {"hub": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()
