"""Encodes the pictures that come next while nobody waits; a person who waits always goes first."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from cfr_core.errors import CfrError
from cfr_core.segmenters.features import FeatureCache
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts, Segmenter
from cfr_core.segmenters.stopping import EncodingStoppedError, stoppable
from cfr_core.types import ImageArray

_LOG = logging.getLogger(__name__)
_QUIET_S = 0.3
"""How long nobody must have asked for anything: a click is seldom the last one."""


@dataclass(frozen=True)
class Upcoming:
    """A crop that will be asked for soon.

    Attributes:
        key: `crop_key` of the crop.
        read: Reads its pixels, when its turn comes.
    """

    key: str
    read: Callable[[], ImageArray]


class Prefetcher:
    """One engine for people at work and for what they will look at next.

    Any thread may call its methods; the engine serves one at a time. Encoding ahead runs on a
    thread of its own and gives way, within one layer of the network, to whoever comes.
    """

    def __init__(
        self, segmenter: Segmenter, cache: FeatureCache, *, quiet_s: float = _QUIET_S
    ) -> None:
        """Start with nothing expected.

        Args:
            segmenter: The engine; nobody else may use it meanwhile.
            cache: Where features are kept.
            quiet_s: How long nobody must have asked for anything before it encodes ahead.
        """
        self._segmenter = segmenter
        self._cache = cache
        self._quiet_s = quiet_s
        self._turn = threading.Lock()
        self._change = threading.Condition()
        self._queue: deque[Upcoming] = deque()
        self._expected: frozenset[str] = frozenset()
        self._running = ""
        self._n_waiting = 0
        self._last_asked = -quiet_s
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="encode-ahead", daemon=True)
        self._thread.start()

    @property
    def segmenter(self) -> Segmenter:
        """The engine, to ask for its name and what it reads."""
        return self._segmenter

    def encode(self, key: str, pixels: ImageArray) -> EncodedImage:
        """A crop with its features, at once; see `FeatureCache.get`.

        If the crop is just being encoded ahead, that is waited for.

        Raises:
            DeviceError: if memory runs out.
        """
        with self._first(key):
            return self._cache.get(key, pixels, self._segmenter)

    def propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        """Masks that fit the prompts, at once; see `Segmenter.propose`.

        Raises:
            InputError: if the prompts cannot be used.
            DeviceError: if memory runs out.
        """
        with self._first():
            return self._segmenter.propose(image, prompts)

    def expect(self, upcoming: Sequence[Upcoming]) -> None:
        """Encode these when idle, in this order, in place of what was expected before."""
        with self._change:
            self._queue = deque(item for item in upcoming if item.key != self._running)
            self._expected = frozenset(item.key for item in upcoming)
            self._change.notify_all()

    def close(self) -> None:
        """Stop encoding ahead and wait for its thread to end."""
        with self._change:
            self._is_closed = True
            self._change.notify_all()
        self._thread.join()

    @contextmanager
    def _first(self, key: str = "") -> Iterator[None]:
        """The engine's turn, before anything that is done ahead."""
        with self._change:
            n_stopping = int(not key or key != self._running)
            self._n_waiting += n_stopping
        try:
            with self._turn:
                yield
        finally:
            with self._change:
                self._n_waiting -= n_stopping
                self._last_asked = time.monotonic()
                self._change.notify_all()

    def _work(self) -> None:
        while (item := self._next()) is not None:
            is_done = self._encode_ahead(item)
            with self._change:
                self._running = ""
                if not is_done and item.key in self._expected:
                    self._queue.appendleft(item)

    def _next(self) -> Upcoming | None:
        """The next crop once it is quiet; None when closed."""
        with self._change:
            while not self._is_closed:
                wait_s = self._quiet_s - (time.monotonic() - self._last_asked)
                if self._queue and not self._n_waiting and wait_s <= 0:
                    item = self._queue.popleft()
                    self._running = item.key
                    return item
                is_timed = bool(self._queue) and not self._n_waiting
                self._change.wait(wait_s if is_timed else None)
            return None

    def _encode_ahead(self, item: Upcoming) -> bool:
        """False if it was stopped before it was done."""

        def is_unwanted() -> bool:
            return bool(self._n_waiting) or self._is_closed or item.key not in self._expected

        try:
            pixels = item.read()
            with self._turn, stoppable(is_unwanted):
                self._cache.get(item.key, pixels, self._segmenter)
        except EncodingStoppedError:
            return False
        except CfrError as error:  # whoever asks for this crop will be told
            _LOG.info("not encoded ahead: %s", error)
        return True
