"""Kinds of matches: what the right answer to a query rests on (after CFR sec. 3.6)."""

from collections.abc import Mapping
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from cfr_core.types import BoolArray, View


class MatchKind(StrEnum):
    """Which views find the individual of a query; the most suspicious kind first."""

    SCENERY = "scenery match"
    CONFOUNDED = "confounded"
    NEEDS_BOTH = "needs both"
    ANIMAL = "animal-supported"
    MISSED = "missed"


KIND_WORDS: Mapping[MatchKind, str] = {
    MatchKind.SCENERY: "right in the full image and without the animal, wrong by the animal alone",
    MatchKind.CONFOUNDED: "right in the full image, by the animal alone and without it: either may "
    "have decided",
    MatchKind.NEEDS_BOTH: "right in the full image only: neither the animal alone nor its "
    "surroundings alone are enough",
    MatchKind.ANIMAL: "right in the full image and by the animal alone, wrong without it",
    MatchKind.MISSED: "wrong in the full image",
}


def match_kinds(hits: Mapping[View, BoolArray]) -> npt.NDArray[np.object_]:
    """Kind of each query's match.

    Args:
        hits: For the views full, foreground and shortcut, (Q,) bool: whether the k nearest photos
            show the query's individual.

    Returns:
        (Q,) `MatchKind`.
    """
    full, foreground, shortcut = (
        hits[view] for view in (View.FULL, View.FOREGROUND, View.SHORTCUT)
    )
    cases = {
        MatchKind.MISSED: ~full,
        MatchKind.CONFOUNDED: foreground & shortcut,
        MatchKind.ANIMAL: foreground,
        MatchKind.SCENERY: shortcut,
    }
    kinds = np.full(len(full), MatchKind.NEEDS_BOTH, dtype=object)
    # From the last case to the first, so that the first that holds wins.
    for kind, holds in reversed(cases.items()):
        kinds[holds] = kind
    return kinds
