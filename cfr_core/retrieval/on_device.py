"""Float32 products of embeddings by torch, on a graphics processor."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

import torch

from cfr_core.types import Float32Array, IntArray

_ALONE = Lock()


class OnDevice:
    """Embeddings on a graphics processor; each product comes back to memory."""

    def __init__(self, vectors: Float32Array, device: str) -> None:
        """Copy the vectors to the device.

        Args:
            vectors: (N, D) float32.
            device: Name of a device of torch.
        """
        self._vectors = torch.tensor(vectors, device=device)

    def strip(self, rows: IntArray) -> "_DeviceStrip":
        """See `Multiplier`."""
        return _DeviceStrip(self._vectors, rows)


class _DeviceStrip:
    def __init__(self, vectors: torch.Tensor, rows: IntArray) -> None:
        self._vectors = vectors
        self._strip = self._on_device(rows)

    def multiply(self, rows: IntArray, out: Float32Array) -> None:
        with _full_float32():
            out[:] = torch.mm(self._on_device(rows), self._strip.T).cpu().numpy()

    def multiply_with_itself(self, out: Float32Array) -> None:
        with _full_float32():
            out[:] = torch.mm(self._strip, self._strip.T).cpu().numpy()

    def _on_device(self, rows: IntArray) -> torch.Tensor:
        return self._vectors.index_select(0, torch.from_numpy(rows).to(self._vectors.device))


@contextmanager
def _full_float32() -> Iterator[None]:
    """Keep float32 products in float32: TF32 or bfloat16, if switched on, would break the bound.

    The switch is one for all threads, so one multiplies at a time.
    """
    with _ALONE:
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
        try:
            yield
        finally:
            torch.set_float32_matmul_precision(before)
