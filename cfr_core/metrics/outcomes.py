"""What retrieval gave for every query, in all four views."""

from collections.abc import Mapping
from dataclasses import dataclass

from cfr_core.errors import InputError
from cfr_core.types import IntArray, View


@dataclass(frozen=True)
class QueryOutcomes:
    """The queries of a task with what each view found for them, in one order.

    Attributes:
        identity_codes: (Q,) int, individual of each query.
        n_gallery: (Q,) int, gallery rows of each query.
        n_positives: (Q,) int, positives among them, at least 1.
        first_hit_rank: For each of the four views (Q,) int, rank of the first right row from 1.
    """

    identity_codes: IntArray
    n_gallery: IntArray
    n_positives: IntArray
    first_hit_rank: Mapping[View, IntArray]

    def __post_init__(self) -> None:
        if missing := [view.value for view in View if view not in self.first_hit_rank]:
            raise InputError(f"first_hit_rank must hold all four views; missing: {missing}")
        arrays = (self.n_gallery, self.n_positives, *self.first_hit_rank.values())
        n_queries = len(self.identity_codes)
        if any(array.shape != (n_queries,) for array in arrays):
            shapes = [array.shape for array in arrays]
            raise InputError(f"all arrays must be ({n_queries},) like identity_codes: {shapes}")
        if n_queries and self.n_positives.min() < 1:
            raise InputError("every query must have a positive: limit the task to `answerable`")
