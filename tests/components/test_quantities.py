"""Numbers with units."""

import pytest

from components.quantities import bytes_words, count_words, duration_words, rate_words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (130, "2 min 10 s"),
        (599, "9 min 59 s"),
        (629, "10 min"),
        (3599, "1 h"),
        (11_100, "3 h 5 min"),
        (180_000, "2 d 2 h"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [
        (12, "1 kB"),
        (5_400, "5 kB"),
        (999_600, "1 MB"),
        (18_000_000, "18 MB"),
        (1_234_000_000, "1.2 GB"),
        (4_000_000_000_000, "4,000 GB"),
    ],
)
def test_sizes(n_bytes: float, words: str) -> None:
    assert bytes_words(n_bytes) == words


def test_counts_and_rates() -> None:
    assert count_words(320, 1860, "images") == "320 of 1,860 images"
    assert count_words(3, 0, "files") == "3 files"
    assert count_words(5_000_000, 18_000_000, "B") == "5 MB of 18 MB"
    assert rate_words(117.6, "images") == "118 images/s"
    assert rate_words(0.44, "views") == "0.4 views/s"
    assert rate_words(3_200_000, "B") == "3 MB/s"
