"""Encoding ahead: in order, only when idle, and out of the way at once when somebody comes."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from cfr_core.errors import ImageError
from cfr_core.segmenters.features import FeatureCache
from cfr_core.segmenters.load import load_segmenter
from cfr_core.segmenters.prefetch import Prefetcher, Upcoming
from cfr_core.segmenters.segmenter import Prompts
from cfr_core.segmenters.stopping import EncodingStoppedError, stop_if_unwanted, stoppable
from cfr_core.types import ImageArray
from tests.cfr_core.segmenters.counting import CountingSegmenter
from tests.cfr_core.segmenters.tiny_sams import photo, place_tiny_sam

LONG_S = 60.0
BOX = Prompts(box_xyxy=(0, 0, 2, 2))


def crop(value: int) -> ImageArray:
    return np.full((4, 4, 3), value, np.uint8)


def upcoming(*values: int) -> list[Upcoming]:
    return [Upcoming(str(value), lambda value=value: crop(value)) for value in values]


def wait_until(is_true: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG_S
    while not is_true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.002)


class Gate:
    """Holds an engine inside its first layers until it is opened or the result is unwanted."""

    def __init__(self, *values: int) -> None:
        self.held = set(values)
        self.entered: list[int] = []
        self.opened = threading.Event()

    def __call__(self, image: ImageArray) -> None:
        value = int(image[0, 0, 0])
        self.entered.append(value)
        end = time.monotonic() + LONG_S
        while value in self.held and not self.opened.wait(0.002):
            stop_if_unwanted()
            assert time.monotonic() < end, "held in vain"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Prefetcher]]:
    started = []

    def make(engine: CountingSegmenter, quiet_s: float = 0.0) -> Prefetcher:
        started.append(Prefetcher(engine, FeatureCache(tmp_path), quiet_s=quiet_s))
        return started[-1]

    yield make
    for prefetcher in started:
        prefetcher.close()


def values_of(engine: CountingSegmenter) -> list[int]:
    return [int(image[0, 0, 0]) for image in engine.encoded]


def test_the_next_pictures_are_ready_when_they_are_asked_for(
    start: Callable[..., Prefetcher],
) -> None:
    engine = CountingSegmenter()
    prefetcher = start(engine)
    prefetcher.expect(upcoming(1, 2, 3))
    wait_until(lambda: len(engine.encoded) == 3)
    assert prefetcher.encode("2", crop(2)).arrays["mean"][0] == 2
    assert values_of(engine) == [1, 2, 3]


def test_whoever_comes_goes_first_and_the_rest_is_done_later(
    start: Callable[..., Prefetcher],
) -> None:
    gate = Gate(1)
    engine = CountingSegmenter(before=gate)
    prefetcher = start(engine)
    prefetcher.expect(upcoming(1, 2))
    wait_until(lambda: gate.entered == [1])
    assert prefetcher.encode("9", crop(9)).arrays["mean"][0] == 9  # returns: 1 was stopped
    assert values_of(engine) == [9]
    gate.opened.set()
    wait_until(lambda: len(engine.encoded) == 3)
    assert values_of(engine) == [9, 1, 2]


def test_a_click_stops_what_is_done_ahead(start: Callable[..., Prefetcher]) -> None:
    gate = Gate(1)
    engine = CountingSegmenter(before=gate)
    prefetcher = start(engine)
    current = prefetcher.encode("0", crop(0))
    prefetcher.expect(upcoming(1))
    wait_until(lambda: 1 in gate.entered)
    assert prefetcher.propose(current, BOX).masks.all()
    gate.opened.set()


def test_the_picture_that_is_just_being_encoded_is_waited_for(
    start: Callable[..., Prefetcher],
) -> None:
    gate = Gate(1)
    engine = CountingSegmenter(before=gate)
    prefetcher = start(engine)
    prefetcher.expect(upcoming(1))
    wait_until(lambda: gate.entered == [1])
    opener = threading.Timer(0.1, gate.opened.set)
    opener.start()
    prefetcher.encode("1", crop(1))
    opener.join()
    assert (gate.entered, values_of(engine)) == ([1], [1])  # begun once, not stopped


def test_what_is_no_longer_expected_is_dropped(start: Callable[..., Prefetcher]) -> None:
    gate = Gate(1)
    engine = CountingSegmenter(before=gate)
    prefetcher = start(engine)
    prefetcher.expect(upcoming(1, 2))
    wait_until(lambda: gate.entered == [1])
    prefetcher.expect(upcoming(3))
    wait_until(lambda: len(engine.encoded) == 1)
    assert values_of(engine) == [3]


def test_nothing_is_begun_before_it_is_quiet(start: Callable[..., Prefetcher]) -> None:
    engine = CountingSegmenter()
    prefetcher = start(engine, quiet_s=LONG_S)
    prefetcher.encode("0", crop(0))
    prefetcher.expect(upcoming(1))
    time.sleep(0.05)
    assert values_of(engine) == [0]


def test_a_picture_that_cannot_be_read_does_not_end_the_work(
    start: Callable[..., Prefetcher],
) -> None:
    def gone() -> ImageArray:
        raise ImageError("photo.jpg: no such file")

    engine = CountingSegmenter()
    start(engine).expect([Upcoming("gone", gone), *upcoming(2)])
    wait_until(lambda: values_of(engine) == [2])


def test_many_people_at_once_each_get_their_own(start: Callable[..., Prefetcher]) -> None:
    engine = CountingSegmenter(before=lambda _: stop_if_unwanted())
    prefetcher = start(engine)
    wrong: list[int] = []

    def work(value: int) -> None:
        for _ in range(20):
            encoded = prefetcher.encode(str(value), crop(value))
            scores = prefetcher.propose(encoded, BOX).scores
            prefetcher.expect(upcoming(value, value + 100))
            if scores[0] != value:
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG_S)
    assert wrong == []
    assert not any(thread.is_alive() for thread in threads)


def test_closing_ends_what_is_running(start: Callable[..., Prefetcher]) -> None:
    gate = Gate(1)
    prefetcher = start(CountingSegmenter(before=gate))
    prefetcher.expect(upcoming(1))
    wait_until(lambda: gate.entered == [1])
    prefetcher.close()
    assert not any(thread.name == "encode-ahead" for thread in threading.enumerate())


def test_a_network_stops_between_its_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_tiny_sam(tmp_path, monkeypatch)
    segmenter = load_segmenter("sam-vit-b", tmp_path, "cpu")
    asked = []

    def is_unwanted() -> bool:
        asked.append(True)
        return len(asked) == 2  # at the second of its two layers

    with pytest.raises(EncodingStoppedError), stoppable(is_unwanted):
        segmenter.encode([photo(20, 30)])
    assert len(asked) == 2
    features = segmenter.encode([photo(20, 30)])[0].arrays["embedding"]
    assert torch.isfinite(torch.from_numpy(features)).all()
