"""Exact retrieval: galleries, nearest rows, and where the right individuals appear."""

from cfr_core.retrieval.galleries import answerable, gallery_counts
from cfr_core.retrieval.ranking import Ranking, rank

__all__ = ["Ranking", "answerable", "gallery_counts", "rank"]
