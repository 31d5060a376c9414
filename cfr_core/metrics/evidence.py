"""CFR and SSI: whether retrieval rests on the animal or on its surroundings (CFR sec. 3.4 to 3.6).

All functions work element by element, on single rates or on arrays of them.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from cfr_core.types import FloatArray, Region, SilhouetteRole, View

_NOISE = 1e-12
"""Rates are means of fractions with an error below 1e-13; a smaller difference is no difference."""

_SPLIT = 0.5


def above_random(rate: npt.ArrayLike, random: npt.ArrayLike) -> FloatArray:
    """S_T@k = max(0, R_T@k - R_rand@k): retrieval beyond chance (CFR sec. 3.4).

    Args:
        rate: R_T@k, fraction in [0, 1].
        random: R_rand@k, fraction in [0, 1].

    Returns:
        Fraction in [0, 1], of the arguments' common shape.
    """
    difference = np.subtract(rate, random, dtype=np.float64)
    # A NaN fails the comparison and must stay a NaN.
    return np.where(difference <= _NOISE, 0.0, difference)


def normalised(rate: npt.ArrayLike, random: npt.ArrayLike) -> FloatArray:
    """A_T@k = S_T@k / (1 - R_rand@k): the share of what chance leaves open (CFR sec. 3.4).

    Args:
        rate: R_T@k, fraction in [0, 1].
        random: R_rand@k, fraction in [0, 1].

    Returns:
        Fraction in [0, 1]; NaN where a random ranking always hits.
    """
    return _ratio(above_random(rate, random), np.subtract(1.0, random, dtype=np.float64))


def cfr(full: npt.ArrayLike, foreground: npt.ArrayLike, random: npt.ArrayLike) -> FloatArray:
    """CFR@k = min(A_full@k, A_fg@k): counterfactual foreground retrieval (CFR sec. 3.4).

    Args:
        full: R_full@k, fraction in [0, 1].
        foreground: R_fg@k, fraction in [0, 1].
        random: R_rand@k, fraction in [0, 1].

    Returns:
        Fraction in [0, 1]; NaN where a random ranking always hits.
    """
    return np.minimum(normalised(full, random), normalised(foreground, random))


def ssi_context(full: npt.ArrayLike, shortcut: npt.ArrayLike, random: npt.ArrayLike) -> FloatArray:
    """SSI@k = min(1, S_sc@k / S_full@k): shortcut sufficiency of the surroundings (CFR sec. 3.5).

    The reading where the outline is part of the biometric.

    Args:
        full: R_full@k, fraction in [0, 1].
        shortcut: R_sc@k, fraction in [0, 1].
        random: R_rand@k, fraction in [0, 1].

    Returns:
        Fraction in [0, 1]; NaN where the full image retrieves no better than chance.
    """
    share = _ratio(above_random(shortcut, random), above_random(full, random))
    return np.minimum(1.0, share)


def ssi_with_silhouette(
    full: npt.ArrayLike, shortcut: npt.ArrayLike, silhouette: npt.ArrayLike, random: npt.ArrayLike
) -> FloatArray:
    """SSI@k = min(1, max(S_sc@k, S_sil@k) / S_full@k), the outline a shortcut, too (CFR sec. 3.5).

    Args:
        full: R_full@k, fraction in [0, 1].
        shortcut: R_sc@k, fraction in [0, 1].
        silhouette: R_sil@k, fraction in [0, 1].
        random: R_rand@k, fraction in [0, 1].

    Returns:
        Fraction in [0, 1]; NaN where the full image retrieves no better than chance.
    """
    return ssi_context(full, np.maximum(shortcut, silhouette), random)


def ssi_headline(
    context: npt.ArrayLike, with_silhouette: npt.ArrayLike, role: SilhouetteRole
) -> FloatArray:
    """The form of SSI@k that a dataset's silhouette role asks for (CFR sec. 3.5, S1).

    Args:
        context: SSI@k of the surroundings alone.
        with_silhouette: SSI@k with the outline as a shortcut.
        role: Role of the outline; AMBIGUOUS takes the stricter form, as the published table does.

    Returns:
        `context` for the role IDENTITY, `with_silhouette` for the others.
    """
    # Compared by value: a role that went through a table comes back as plain text.
    return np.asarray(context if role == SilhouetteRole.IDENTITY else with_silhouette)


def evidence_numbers(
    rate: Mapping[View, npt.ArrayLike], random: npt.ArrayLike, role: SilhouetteRole
) -> dict[str, FloatArray]:
    """CFR and the forms of SSI by name, from the rates of the four views at one k.

    Args:
        rate: R_T@k of each view, fractions in [0, 1].
        random: R_rand@k, fraction in [0, 1].
        role: Role of the outline.

    Returns:
        "cfr", "ssi" (the headline), "ssi_context" and "ssi_with_silhouette".
    """
    full, shortcut = rate[View.FULL], rate[View.SHORTCUT]
    context = ssi_context(full, shortcut, random)
    with_silhouette = ssi_with_silhouette(full, shortcut, rate[View.SILHOUETTE], random)
    return {
        "cfr": cfr(full, rate[View.FOREGROUND], random),
        "ssi": ssi_headline(context, with_silhouette, role),
        "ssi_context": context,
        "ssi_with_silhouette": with_silhouette,
    }


def region(cfr_value: float, ssi_value: float) -> Region:
    """Quarter of the CFR-SSI plane, split at 0.5 / 0.5 (CFR sec. 3.6).

    Args:
        cfr_value: CFR@k, fraction in [0, 1].
        ssi_value: SSI@k, fraction in [0, 1].

    Returns:
        The quarter, 0.5 itself being high; UNDEFINED if one of the two is NaN.
    """
    if np.isnan(cfr_value) or np.isnan(ssi_value):
        return Region.UNDEFINED
    if cfr_value >= _SPLIT:
        return Region.LEAKAGE if ssi_value >= _SPLIT else Region.FOREGROUND_DRIVEN
    return Region.SHORTCUT_DRIVEN if ssi_value >= _SPLIT else Region.WEAK


def cfr_undefined_reason(random: float) -> str | None:
    """Why CFR@k has no value, in words; None if it has one.

    Args:
        random: R_rand@k; NaN without queries.
    """
    if np.isnan(random):
        return "there are no queries"
    if 1.0 - random <= _NOISE:
        return "a random ranking always hits: k covers every gallery"
    return None


def ssi_undefined_reason(full: float, random: float) -> str | None:
    """Why SSI@k has no value, in words; None if it has one.

    Args:
        full: R_full@k; NaN without queries.
        random: R_rand@k; NaN without queries.
    """
    if np.isnan(full) or np.isnan(random):
        return "there are no queries"
    if above_random(full, random) == 0:
        return "the full image retrieves no better than a random ranking"
    return None


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Quotient of part and whole; NaN where the whole is nothing."""
    is_defined = whole > _NOISE
    return np.where(is_defined, part / np.where(is_defined, whole, 1.0), np.nan)
