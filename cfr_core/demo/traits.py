"""Traits: the random numbers behind a picture, and how much of them the individual explains."""

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy import special

from cfr_core.types import Float32Array

T = TypeVar("T")


@dataclass(frozen=True)
class Traits:
    """Named standard normal variates mixed from independent streams.

    A variate is sum(weight * stream). With squared weights that add up to 1 it is standard normal
    whatever the mix, so a knob changes what a trait depends on and never how it is distributed.
    Every variate is a function of its name alone: no draw shifts another.

    Attributes:
        streams: (weight above 0, seed words) of each stream.
    """

    streams: tuple[tuple[float, tuple[int, ...]], ...]

    def normal(self, name: str, *shape: int) -> Float32Array:
        """Standard normal variates of a name: float32 of the given shape, () for a scalar."""
        code = zlib.crc32(name.encode())
        total = np.zeros(shape, np.float32)
        for weight, seed in self.streams:
            # Named outright: the default generator may be another one day, and takes longer.
            stream = np.random.Generator(np.random.PCG64([*seed, code]))
            total = total + np.float32(weight) * stream.standard_normal(shape, np.float32)
        return total

    def uniform(self, name: str, low: float = 0.0, high: float = 1.0) -> float:
        """One uniform variate from low to high: the normal variate through its own CDF."""
        return low + (high - low) * float(self.uniforms(name))

    def uniforms(self, name: str, *shape: int) -> Float32Array:
        """Uniform variates from 0 to 1: float32 of the given shape."""
        return np.asarray(special.ndtr(self.normal(name, *shape)), np.float32)

    def pick(self, name: str, options: Sequence[T]) -> T:
        """One of the options, all equally likely."""
        return options[min(int(self.uniform(name) * len(options)), len(options) - 1)]


def mixed(
    share: float, own: Sequence[tuple[float, tuple[int, ...]]], rest: tuple[int, ...]
) -> Traits:
    """Traits of which `own` explains the given share of the variance, and `rest` the remainder.

    Args:
        share: Intraclass correlation, 0 to 1.
        own: (part, seed words) of the streams that make up the share; the parts add up to 1.
        rest: Seed words of the stream that fills the variance up to 1.
    """
    streams = [(math.sqrt(share * part), seed) for part, seed in own]
    everything = (*streams, (math.sqrt(1.0 - share), rest))
    # Without those that add nothing, photos that share all of a trait have equal traits.
    return Traits(tuple(stream for stream in everything if stream[0] > 0.0))
