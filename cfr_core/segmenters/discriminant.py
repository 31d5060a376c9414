"""Tells animal from ground by their looks, from examples that may be partly wrong."""

import numpy as np

from cfr_core.types import Float32Array

_SHRINKAGE = 0.01
"""Added to each variance, of the mean variance (Friedman 1989, regularised discriminants)."""
_MAX_LOG_ODDS = 8.0


def animal_share(
    looks: Float32Array, is_animal: Float32Array, weights: Float32Array
) -> Float32Array:
    """How likely each place is animal by a linear discriminant (Fisher 1936) of all places.

    Args:
        looks: (N, F) float32, what each place looks like.
        is_animal: (N,) float32 from 0 to 1, what each is taken for.
        weights: (N,) float32, 0 or more: how much each counts as an example.

    Returns:
        (N,) float32 from 0 to 1; the mean of `is_animal` everywhere where one class is missing.
    """
    total = weights.sum()
    share = float(weights @ is_animal) / total
    mean = weights @ looks / total
    centred = looks - mean
    covariance = centred.T @ (centred * weights[:, None]) / total
    shrinkage = _SHRINKAGE * np.trace(covariance) / len(covariance) + 1e-6
    covariance += shrinkage * np.eye(len(covariance))
    towards = centred.T @ (weights * (is_animal - share)) / total
    values = centred @ np.linalg.solve(covariance, towards).astype(np.float32)
    animal, ground = weights * is_animal, weights * (1 - is_animal)
    if min(animal.sum(), ground.sum()) <= 1e-6 * total:
        return np.full(len(looks), share, np.float32)
    (high, spread_high), (low, spread_low) = (_moments(values, part) for part in (animal, ground))
    slope = (high - low) / ((spread_high + spread_low) / 2 + 1e-6)
    log_odds = np.clip(slope * (values - (low + high) / 2), -_MAX_LOG_ODDS, _MAX_LOG_ODDS)
    return np.asarray(1 / (1 + np.exp(-log_odds)), np.float32)


def _moments(values: Float32Array, weights: Float32Array) -> tuple[float, float]:
    """Weighted mean and variance."""
    mean = float(weights @ values / weights.sum())
    return mean, float(weights @ (values - mean) ** 2 / weights.sum())
