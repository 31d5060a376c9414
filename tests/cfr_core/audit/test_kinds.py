"""Kinds of matches against their definitions, written out case by case."""

import numpy as np
import pytest

from cfr_core.audit.kinds import KIND_WORDS, MatchKind, match_kinds
from cfr_core.types import View


@pytest.mark.parametrize(
    ("full", "foreground", "shortcut", "kind"),
    [
        (True, False, True, "scenery match"),
        (True, True, True, "confounded"),
        (True, False, False, "needs both"),
        (True, True, False, "animal-supported"),
        (False, False, False, "missed"),
        # What single views find does not count where the full image is wrong.
        (False, True, True, "missed"),
        (False, True, False, "missed"),
        (False, False, True, "missed"),
    ],
)
def test_each_case(full: bool, foreground: bool, shortcut: bool, kind: str) -> None:
    hits = {
        View.FULL: np.array([full]),
        View.FOREGROUND: np.array([foreground]),
        View.SHORTCUT: np.array([shortcut]),
    }
    assert match_kinds(hits).tolist() == [MatchKind(kind)]


def test_every_kind_is_explained() -> None:
    assert set(KIND_WORDS) == set(MatchKind)
