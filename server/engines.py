"""The engine that proposes masks: loaded on first use, kept warm, one person at a time.

The crops that come next are looked at while nobody waits.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from cfr_core.errors import WeightsError
from cfr_core.images import crop, decode
from cfr_core.segmenters.cards import available_segmenters, find_segmenter
from cfr_core.segmenters.features import FeatureCache, crop_key
from cfr_core.segmenters.load import load_segmenter
from cfr_core.segmenters.prefetch import Prefetcher, Upcoming
from cfr_core.segmenters.segmenter import Candidates, Prompts, Segmenter
from cfr_core.types import CropRequest, ImageArray

_N_CROPS = 4
"""Decoded crops that are kept: the one at hand and some next ones, 60 MB each at 20 megapixels."""


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


class Engines:
    """The engine that was asked last, of those that a folder of weights has; threads may ask."""

    def __init__(self, checkpoints_dir: Path, cache_dir: Path) -> None:
        """Nothing is loaded before it is asked.

        Args:
            checkpoints_dir: Folder of weights.
            cache_dir: Folder for what engines have computed of crops.
        """
        self._checkpoints_dir = checkpoints_dir
        self._cache = FeatureCache(cache_dir)
        self._lock = threading.Lock()
        self._warm: Prefetcher | None = None

    def propose(self, request: CropRequest, engine: str, prompts: Prompts) -> Proposal:
        """Masks of a crop that fit the prompts.

        Raises:
            InputError: if there is no such engine, its weights are absent, or the prompts do not
                fit the crop.
            ImageError: if the crop cannot be read.
        """
        pixels = pixels_of(request)
        prompts.check_inside((pixels.shape[0], pixels.shape[1]))
        asked = self._engine(engine)
        start = time.perf_counter()
        image = asked.encode(_key(request), pixels)
        encoded = time.perf_counter()
        candidates = asked.propose(image, prompts)
        return Proposal(candidates, time.perf_counter() - encoded, encoded - start)

    def encode_ahead(self, requests: Sequence[CropRequest], engine: str) -> None:
        """Look at crops that will probably be asked next, in place of those named before.

        Raises:
            InputError: as `propose`.
        """
        upcoming = [Upcoming(_key(each), partial(pixels_of, each)) for each in requests]
        self._engine(engine).expect(upcoming)

    def close(self) -> None:
        """Let go of the engine."""
        with self._lock:
            self._let_go()

    def _engine(self, name: str) -> Prefetcher:
        with self._lock:
            if self._warm is None or self._warm.segmenter.name != name:
                loaded = self._load(name)
                self._let_go()
                self._warm = Prefetcher(loaded, self._cache)
            return self._warm

    def _load(self, name: str) -> Segmenter:
        find_segmenter(name)
        here = {each.card.name: each for each in available_segmenters(self._checkpoints_dir)}
        if not here[name].is_present:
            # Fetching gigabytes is a decision, and no answer to a click.
            raise WeightsError(f"the weights of {name} are not here yet: {here[name].needs}")
        return load_segmenter(name, self._checkpoints_dir)

    def _let_go(self) -> None:
        if self._warm is not None:
            self._warm.close()
            self._warm = None


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


def _key(request: CropRequest) -> str:
    return crop_key(request.file_sha256 or request.path, request.bbox_xywh)
