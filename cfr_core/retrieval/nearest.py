"""The nearest gallery rows of every query, kept up while the tiles of the matrix go by."""

import numpy as np
import torch

from cfr_core.retrieval.exact import PRODUCT_ERROR, UnitRows, blocks
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.types import IntArray

NOTHING = -2.0
"""Below every cosine similarity: the score of a place that no row has taken."""

# Candidates beyond k, so that a tie at the k-th place seldom reaches the last one.
_SPARE = 2
_COLUMNS_IN_A_GROUP = 8
_EXACT_ROWS = 1024
_EXACT_COLUMNS = 1024


class NearestRows:
    """The k best candidates of every query and a few more, by float32 similarity.

    Attributes:
        scores: (Q, K) float32, descending; NOTHING where no row was found.
        rows: (Q, K) int64 row numbers, -1 where no row was found.
    """

    def __init__(self, n_queries: int, k: int, device: torch.device) -> None:
        self._n_kept = k + _SPARE
        shape = n_queries, self._n_kept
        self.scores = torch.full(shape, NOTHING, device=device)
        self.rows = torch.full(shape, -1, dtype=torch.int64, device=device)

    def offer(self, queries: slice, products: torch.Tensor, gallery_rows: IntArray) -> None:
        """Take the candidates of one tile.

        Args:
            queries: Positions of the tile's queries.
            products: (q, g) float32 similarities, -inf where excluded; any memory order.
            gallery_rows: (g,) int64 row numbers.
        """
        # Most of a tile is below what is kept already. The maxima of groups of columns show where
        # it is not, for an eighth of the comparisons.
        n_columns = len(gallery_rows)
        size = _COLUMNS_IN_A_GROUP if n_columns % _COLUMNS_IN_A_GROUP == 0 else 1
        n_groups = n_columns // size
        best_of_group = _best_of_groups(products, size)
        floor = self._floor(queries, best_of_group)
        query, group = (best_of_group > floor[:, None]).nonzero(as_tuple=True)
        columns = group[:, None] + n_groups * torch.arange(size, device=group.device)
        scores = products[query[:, None], columns]
        hit, place = (scores > floor[query][:, None]).nonzero(as_tuple=True)
        rows = torch.from_numpy(gallery_rows).to(columns.device)[columns[hit, place]]
        self._merge(queries, query[hit], scores[hit, place], rows)

    def _floor(self, queries: slice, best_of_group: torch.Tensor) -> torch.Tensor:
        """(q,) score that a new candidate must exceed: the last that is kept.

        While nothing is kept the best of the groups show how high the last of them would be.
        """
        floor = self.scores[queries, -1]
        if best_of_group.shape[1] < self._n_kept or (floor > NOTHING).all():
            return floor
        seen = best_of_group.topk(self._n_kept, dim=1).values[:, -1]
        return torch.maximum(floor, torch.nextafter(seen, seen.new_tensor(-torch.inf)))

    def _merge(
        self, queries: slice, query: torch.Tensor, scores: torch.Tensor, rows: torch.Tensor
    ) -> None:
        """Keep the best of what is kept and of new candidates, which come sorted by query."""
        kept = self.scores[queries]
        counts = torch.bincount(query, minlength=len(kept))
        first = counts.cumsum(0) - counts
        place = self._n_kept + torch.arange(len(query), device=query.device) - first[query]
        width = self._n_kept + int(counts.max())
        all_scores = kept.new_full((len(kept), width), NOTHING)
        all_rows = rows.new_full((len(kept), width), -1)
        all_scores[:, : self._n_kept] = kept
        all_rows[:, : self._n_kept] = self.rows[queries]
        all_scores[query, place] = scores
        all_rows[query, place] = rows
        best = all_scores.topk(self._n_kept, dim=1)
        self.scores[queries] = best.values
        self.rows[queries] = all_rows.gather(1, best.indices)

    def ordered(
        self,
        rows: UnitRows,
        exclusions: Exclusions,
        gallery_rows: IntArray,
        query_rows: IntArray,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The k nearest rows in their exact order, ties to the lower row number.

        Args:
            rows: All embeddings.
            exclusions: What may not be retrieved.
            gallery_rows: (G,) ascending row numbers, searched again where one may be missing.
            query_rows: (Q,) row numbers of the queries, in the order of this object.

        Returns:
            rows (Q, k) int64 and scores (Q, k) float32, on the CPU.
        """
        k = self._n_kept - _SPARE
        scores, found = self.scores.cpu().double(), self.rows.cpu()
        open_end = (scores[:, k - 1] - scores[:, -1] <= 2 * PRODUCT_ERROR) & (found[:, -1] >= 0)
        _settle_near_ties(scores, found, rows, query_rows)
        scores, found = scores[:, :k].float(), found[:, :k].clone()
        for part in blocks(0, int(open_end.sum()), _EXACT_ROWS):
            again = open_end.nonzero()[part, 0].numpy()
            search = exact_nearest(rows, exclusions, gallery_rows, query_rows[again], k)
            found[again], scores[again] = search[0], search[1].float()
        scores[found < 0] = torch.nan
        return found, scores


def _best_of_groups(products: torch.Tensor, size: int) -> torch.Tensor:
    """(q, g / size) maxima of the columns j, j + g / size, ... of each row."""
    n_groups = products.shape[1] // size
    if products.is_contiguous():
        return products.view(-1, size, n_groups).amax(1)
    # A mirrored tile: reduced along its memory, which is thirty times faster than across.
    return products.T.view(size, n_groups, -1).amax(0).T


def exact_nearest(
    rows: UnitRows,
    exclusions: Exclusions,
    gallery_rows: IntArray,
    query_rows: IntArray,
    k: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The k nearest rows by exact products alone, ties to the lower row number.

    Args:
        rows: All embeddings.
        exclusions: What may not be retrieved.
        gallery_rows: (G,) int64 ascending row numbers.
        query_rows: (q,) int64 row numbers.
        k: Number of neighbours.

    Returns:
        rows (q, k) int64, -1 past the end of the gallery, and scores (q, k) float64, on the CPU.
    """
    scores = torch.full((len(query_rows), k), NOTHING, dtype=torch.float64)
    found = torch.full((len(query_rows), k), -1, dtype=torch.int64)
    for block in blocks(0, len(gallery_rows), _EXACT_COLUMNS):
        gallery = gallery_rows[block]
        products = rows.products(query_rows, gallery)
        exclusions.blank(products, query_rows, gallery)
        # What was found so far has lower row numbers, so a stable sort leaves ties in their order.
        all_scores = torch.cat([scores, products.cpu()], dim=1)
        all_rows = torch.cat([found, torch.from_numpy(gallery).expand(products.shape)], dim=1)
        scores, order = all_scores.sort(dim=1, descending=True, stable=True)
        scores, found = scores[:, :k], all_rows.gather(1, order[:, :k])
    return found, scores


def _settle_near_ties(
    scores: torch.Tensor, found: torch.Tensor, rows: UnitRows, query_rows: IntArray
) -> None:
    """Put neighbours whose float32 scores are too close to call in their exact order, in place."""
    too_close = (scores[:, :-1] - scores[:, 1:] <= 2 * PRODUCT_ERROR) & (found[:, 1:] >= 0)
    unsure = torch.zeros_like(found, dtype=torch.bool)
    unsure[:, :-1] |= too_close
    unsure[:, 1:] |= too_close
    query, place = unsure.nonzero(as_tuple=True)
    exact = rows.pair_products(query_rows[query], found[query, place].numpy())
    scores[query, place] = exact.cpu()
    touched = torch.from_numpy(np.unique(query.numpy()))
    by_row, order = found[touched].sort(dim=1)
    by_score = scores[touched].gather(1, order).sort(dim=1, descending=True, stable=True)
    scores[touched] = by_score.values
    found[touched] = by_row.gather(1, by_score.indices)
