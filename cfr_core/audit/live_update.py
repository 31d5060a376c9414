"""What an update of a run brought."""

from collections.abc import Mapping
from dataclasses import dataclass

from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.staleness import Staleness
from cfr_core.types import View


@dataclass(frozen=True)
class RowRanks:
    """Rank of the first right photo of one query, 1 being the best, in each view.

    Attributes:
        before: Before the update; None if the row was no query.
        after: After it; None if the row is no query any more.
    """

    before: Mapping[View, int] | None
    after: Mapping[View, int] | None


@dataclass(frozen=True)
class LiveUpdate:
    """What an update of a run brought.

    Attributes:
        stale: The rows that were not what they are now; if there are none, nothing was done.
        before: The run before it.
        after: The run after it, as stored.
        ranks: Of the rows that were edited, came or are gone, by row id.
        was_repaired: True if the rankings were repaired, False if all were made anew, which is
            slower and gives the same.
    """

    stale: Staleness
    before: EvidenceProfile
    after: EvidenceProfile
    ranks: Mapping[int, RowRanks]
    was_repaired: bool
