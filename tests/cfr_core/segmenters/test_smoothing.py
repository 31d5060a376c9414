"""The random walker on the grid, against the dense system that it stands for."""

import numpy as np
import pytest

from cfr_core.segmenters import smoothing
from cfr_core.segmenters.smoothing import Grid, grid_of, smooth


def dense(guess: np.ndarray, certainty: np.ndarray, grid: Grid) -> np.ndarray:
    """The minimum of the energy by a plain loop over links and a dense solver."""
    height, width = guess.shape
    n = height * width
    system = np.diag(smoothing._TRUST * certainty.ravel().astype(np.float64))
    for y in range(height):
        for x in range(width):
            here = y * width + x
            for other, links in ((here + 1, grid.across), (here + width, grid.down)):
                if (links is grid.across and x + 1 < width) or (
                    links is grid.down and y + 1 < height
                ):
                    system[[here, other], [here, other]] += links[y, x]
                    system[[here, other], [other, here]] -= links[y, x]
    target = smoothing._TRUST * (certainty * guess).ravel()
    assert len(system) == n
    return np.linalg.solve(system, target).reshape(height, width)


@pytest.mark.parametrize("size", [(1, 1), (1, 7), (6, 1), (5, 8), (9, 4)])
def test_the_values_solve_the_system(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(size))
    grid = grid_of(rng.normal(size=(*size, 3)).astype(np.float32) * 20)
    guess = rng.random(size).astype(np.float32)
    certainty = rng.uniform(0.5, 20, size).astype(np.float32)
    before = guess.copy()
    found = smooth(guess, certainty, grid)
    assert found == pytest.approx(dense(guess, certainty, grid), abs=0.01)
    assert np.array_equal(guess, before)


def test_a_plain_guess_stays_and_an_edge_holds() -> None:
    lab = np.zeros((10, 20, 3), np.float32)
    lab[:, 10:] = 60
    ones = np.ones((10, 20), np.float32)
    assert smooth(ones, ones, grid_of(lab)) == pytest.approx(ones, abs=0.01)
    seed = np.zeros((10, 20), np.float32)
    seed[:, :10] = 1
    noisy = np.abs(seed - (np.random.default_rng(0).random(seed.shape) < 0.2))
    found = smooth(noisy.astype(np.float32), ones, grid_of(lab))
    assert np.array_equal(found > 0.5, seed > 0.5)
