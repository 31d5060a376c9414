"""The engines that propose masks: loaded on first use, asked on one thread.

The crops that come next are looked at while nobody waits, one at a time.
"""

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from cfr_core.errors import CfrError, InputError
from cfr_core.images import crop, decode
from cfr_core.masks.grabcut import mask_from_taps
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts, Segmenter
from cfr_core.types import CropRequest, ImageArray

T = TypeVar("T")
_LOG = logging.getLogger(__name__)

_N_CROPS = 4
"""Decoded crops that are kept: the one at hand and some next ones, 60 MB each at 20 megapixels."""

_NOW, _LATER = 0, 1


@dataclass(frozen=True)
class Proposal:
    """What an engine answered.

    Attributes:
        candidates: The masks.
        engine_s: Seconds in the engine for this answer alone.
        encode_s: Seconds in which it first looked at the crop; near 0 where that was done before.
    """

    candidates: Candidates
    engine_s: float
    encode_s: float


class _Thread:
    """Does one thing at a time; what somebody waits for comes before what may wait."""

    def __init__(self) -> None:
        self._order = itertools.count()
        self._queue: queue.PriorityQueue[tuple[int, int, Callable[[], None]]] = (
            queue.PriorityQueue()
        )
        # It ends with the process: nothing that it does must be finished.
        threading.Thread(target=self._work, name="engine", daemon=True).start()

    def submit(self, priority: int, task: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._queue.put((priority, next(self._order), lambda: _fulfil(future, task)))
        return future

    def _work(self) -> None:
        while True:
            self._queue.get()[2]()


def _fulfil(future: Future[T], task: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(task())
    except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
        future.set_exception(error)


class _RoughTaps:
    name = "grabcut"
    fingerprint = "grabcut"
    reads_text = False

    def encode(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        return [EncodedImage(image, {}, self.fingerprint) for image in images]

    def propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        prompts.check_inside(image.size_hw)
        taps = [(int(x), int(y)) for x, y in prompts.points_xy[prompts.is_animal]]
        if prompts.box_xyxy is not None:
            left, top, right, bottom = prompts.box_xyxy
            taps.append((int((left + right) / 2), int((top + bottom) / 2)))
        mask = mask_from_taps(image.pixels, taps)
        return Candidates(mask[np.newaxis], np.array([np.nan], np.float32))


class Engines:
    """Engines of one folder of weights; threads may ask, and wait for one another."""

    def __init__(self, checkpoints_dir: Path) -> None:
        """Nothing is loaded before it is asked."""
        self._checkpoints_dir = checkpoints_dir
        self._thread = _Thread()
        self._loaded: dict[str, Segmenter] = {}
        self._ahead: list[Future[None]] = []

    def propose(self, request: CropRequest, engine: str, prompts: Prompts) -> Proposal:
        """Masks of a crop that fit the prompts.

        Raises:
            InputError: if there is no such engine, its weights are absent, or the prompts do not
                fit the crop.
            ImageError: if the crop cannot be read.
        """
        return self._thread.submit(_NOW, lambda: self._propose(request, engine, prompts)).result()

    def encode_ahead(self, requests: Sequence[CropRequest], engine: str) -> None:
        """Look at crops that will probably be asked next, in place of those named before."""
        for future in self._ahead:
            future.cancel()
        self._ahead = [
            self._thread.submit(_LATER, partial(self._encode_quietly, request, engine))
            for request in requests
        ]

    def _propose(self, request: CropRequest, engine: str, prompts: Prompts) -> Proposal:
        segmenter = self._segmenter(engine)
        start = time.perf_counter()
        image = self._image(request, segmenter)
        encoded = time.perf_counter()
        candidates = segmenter.propose(image, prompts)
        return Proposal(candidates, time.perf_counter() - encoded, encoded - start)

    def _encode_quietly(self, request: CropRequest, engine: str) -> None:
        try:
            self._image(request, self._segmenter(engine))
        except CfrError as error:  # told when somebody asks for it
            _LOG.info("row %d was not encoded ahead: %s", request.row_id, error)

    def _segmenter(self, engine: str) -> Segmenter:
        if engine != "grabcut":
            raise InputError(f"there is no engine {engine!r}; known: grabcut")
        return self._loaded.setdefault(engine, _RoughTaps())

    def _image(self, request: CropRequest, segmenter: Segmenter) -> EncodedImage:
        return segmenter.encode([pixels_of(request)])[0]


def pixels_of(request: CropRequest) -> ImageArray:
    """(H, W, 3) uint8 RGB, the crop; read once for several prompts.

    Raises:
        ImageError: if the file is missing, damaged or has changed since its import.
    """
    return _pixels(request.path, request.bbox_xywh, request.file_sha256)


@lru_cache(maxsize=_N_CROPS)
def _pixels(
    path: str, bbox_xywh: tuple[int, int, int, int] | None, file_sha256: str | None
) -> ImageArray:
    whole = decode(Path(path), expected_sha256=file_sha256).pixels
    pixels = np.ascontiguousarray(crop(whole, bbox_xywh))
    pixels.flags.writeable = False
    return pixels
