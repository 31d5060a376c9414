"""What the nearest photos of one photo mean, in one sentence for the owner of a dataset."""

from collections.abc import Mapping

import numpy as np

from cfr_core.audit.drilldown import DrillDown, Match
from cfr_core.audit.kinds import MatchKind, match_kinds
from cfr_core.types import View

_KNOWN = {
    MatchKind.SCENERY: "The model finds {who} again from the surroundings alone, but not from the "
    "animal alone: it has recognised the place or the day, not the animal.",
    MatchKind.CONFOUNDED: "The model finds {who} again from the animal alone, and just as well "
    "without it: this photo cannot tell which of the two it goes by.",
    MatchKind.ANIMAL: "The model finds {who} again from the animal alone and not from the "
    "surroundings: it has recognised the animal.",
    MatchKind.NEEDS_BOTH: "The model finds {who} again in the whole photo only: neither the animal "
    "alone nor the surroundings alone are enough.",
    MatchKind.MISSED: "The model does not find {who} again: the photo most similar to the whole "
    "picture shows {other}.",
}


def sentence_of_query(found: DrillDown) -> str:
    """What the nearest photo of each view says of a photo whose individual is known."""
    hits = {
        view: np.array([retrieved.first_right_rank == 1]) for view, retrieved in found.views.items()
    }
    kind = match_kinds(hits)[0]
    nearest = found.views[View.FULL].nearest
    other = nearest[0].photo.identity if nearest else "nobody"
    return _KNOWN[kind].format(who=found.query.identity, other=other)


def sentence_of_newcomer(found: Mapping[View, tuple[Match, ...]]) -> str:
    """What the nearest photo of each view says of a photo of an animal that may be a new one."""
    full, animal, around = (
        found[view][0].photo.identity if found[view] else ""
        for view in (View.FULL, View.FOREGROUND, View.SHORTCUT)
    )
    if full == animal == around:
        return (
            f"With the whole photo, with the animal alone and without it the model says {full}: "
            "this photo cannot tell which of the two it goes by."
        )
    if full == around:
        return (
            f"With the whole photo the model says {full}, and so it does without the animal; by "
            f"the animal alone it says {animal}: it goes by the surroundings."
        )
    if full == animal:
        return (
            f"With the whole photo the model says {full}, and so it does by the animal alone; "
            f"without the animal it says {around}: it goes by the animal."
        )
    return (
        f"With the whole photo the model says {full}, by the animal alone {animal}, without the "
        f"animal {around}: neither part decides by itself, or the animal is a new one."
    )
