"""Smooths a guess of what is animal, but not across edges of the picture.

A random walker with priors (Grady 2005, "Multilabel random walker image segmentation using prior
models", eq. 7) on the grid of pixels, solved by conjugate gradients with Jacobi's preconditioner.
"""

from dataclasses import dataclass

import numpy as np

from cfr_core.types import Float32Array

_EDGE_FALLOFF = 1.0
"""How fast two neighbours come apart with their difference in colour, of the mean difference."""
_LEAST_WEIGHT = 0.005
"""Neighbours across the strongest edge still hold together a little."""
_TRUST = 0.15
"""How much the guess at a pixel counts against its agreement with a like neighbour."""
_MAX_STEPS = 60
_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Grid:
    """How strongly neighbouring pixels hold together.

    Attributes:
        across: (H, W - 1) float32, above 0: each pixel with the one to its right.
        down: (H - 1, W) float32, above 0: each pixel with the one below it.
    """

    across: Float32Array
    down: Float32Array


def grid_of(lab: Float32Array) -> Grid:
    """Neighbours of like colour hold together.

    Args:
        lab: (H, W, 3) float32, CIE L*a*b*.
    """
    across = ((lab[:, 1:] - lab[:, :-1]) ** 2).sum(axis=2)
    down = ((lab[1:] - lab[:-1]) ** 2).sum(axis=2)
    mean = (across.sum() + down.sum()) / max(1, across.size + down.size) + 1e-6
    return Grid(*(np.exp(-_EDGE_FALLOFF * part / mean) + _LEAST_WEIGHT for part in (across, down)))


def smooth(guess: Float32Array, certainty: Float32Array, grid: Grid) -> Float32Array:
    """The values that agree best with a guess and with their neighbours.

    Args:
        guess: (H, W) float32 from 0 to 1.
        certainty: (H, W) float32, above 0: how much the guess at a pixel counts; 1 is usual.
        grid: How neighbours hold together.

    Returns:
        (H, W) float32, from 0 to 1 to within the solver's tolerance.
    """
    trust = _TRUST * certainty
    diagonal = trust + _degrees(grid, guess.shape)
    target = trust * guess
    values = guess.copy()
    residual = target - _apply(values, diagonal, grid)
    direction = residual / diagonal
    energy = float((residual * direction).sum())
    enough = (_TOLERANCE * (float(np.linalg.norm(target)) + 1e-9)) ** 2
    for _ in range(_MAX_STEPS):
        if float((residual * residual).sum()) <= enough:
            break
        applied = _apply(direction, diagonal, grid)
        step = energy / float((direction * applied).sum())
        values += step * direction
        residual -= step * applied
        scaled = residual / diagonal
        before, energy = energy, float((residual * scaled).sum())
        direction = scaled + energy / before * direction
    return values


def _degrees(grid: Grid, shape: tuple[int, ...]) -> Float32Array:
    """Sum of each pixel's links."""
    total = np.zeros(shape, np.float32)
    total[:, 1:] += grid.across
    total[:, :-1] += grid.across
    total[1:] += grid.down
    total[:-1] += grid.down
    return total


def _apply(values: Float32Array, diagonal: Float32Array, grid: Grid) -> Float32Array:
    """The system's matrix times a vector."""
    result = diagonal * values
    result[:, 1:] -= grid.across * values[:, :-1]
    result[:, :-1] -= grid.across * values[:, 1:]
    result[1:] -= grid.down * values[:-1]
    result[:-1] -= grid.down * values[1:]
    return result
