"""Exact retrieval: galleries, nearest rows, and where the right individual first appears."""

from cfr_core.retrieval.galleries import answerable, gallery_counts
from cfr_core.retrieval.neighbours import average_precisions, nearest_neighbours, nearest_rows

__all__ = [
    "answerable",
    "average_precisions",
    "gallery_counts",
    "nearest_neighbours",
    "nearest_rows",
]
