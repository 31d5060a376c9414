"""Engines in tests compute on one thread: their models are tiny, and threads would only wait."""

from collections.abc import Iterator

import pytest

from cfr_core.encoders.threads import compute_alone, thread_count_restored


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with thread_count_restored():
        compute_alone()
        yield
