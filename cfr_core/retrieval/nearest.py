"""The nearest gallery rows of every query, kept up while the tiles of the matrix go by."""

import numpy as np
import torch

from cfr_core.errors import InputError
from cfr_core.retrieval.exact import PRODUCT_ERROR, UnitRows, blocks
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.retrieval.tiles import Products
from cfr_core.types import Float32Array, IntArray

NOTHING = -2.0
"""Below every cosine similarity: the score of a place that no row has taken."""

# Candidates beyond k, so that a tie at the k-th place seldom reaches the last one.
_SPARE = 2
_EXACT_ROWS = 1024
_EXACT_COLUMNS = 1024


class NearestRows:
    """The k best candidates of every query and a few more, by float32 similarity.

    Attributes:
        scores: (Q, K) float32, descending; NOTHING where no row was found.
        rows: (Q, K) int64 row numbers, -1 where no row was found.
    """

    def __init__(self, n_queries: int, k: int, device: torch.device) -> None:
        """Start with nothing found.

        Args:
            n_queries: Number of queries.
            k: Number of neighbours wanted, at least 1.
            device: Where the products are.

        Raises:
            InputError: if k < 1.
        """
        if k < 1:
            raise InputError(f"k must be at least 1, got {k}")
        self._n_kept = k + _SPARE
        shape = n_queries, self._n_kept
        self.scores = torch.full(shape, NOTHING, device=device)
        self.rows = torch.full(shape, -1, dtype=torch.int64, device=device)

    def offer(self, products: Products, gallery_rows: IntArray) -> None:
        """Take the candidates of one block.

        Most of a block is below what is kept already. The maxima of groups of columns show where
        it is not, for a fraction of the comparisons.

        Args:
            products: Similarities of the block.
            gallery_rows: (g,) int64 row numbers of its columns.
        """
        floor = self._floor(products)
        query, group = (products.group_maxima > floor[:, None]).nonzero(as_tuple=True)
        places = products.members(query, group)
        scores = products.tile.view(-1).take(places)
        hits = (scores > floor.take(query)[:, None]).view(-1).nonzero()[:, 0]
        columns = products.column_at(places.take(hits))
        rows = torch.from_numpy(gallery_rows).to(columns.device).take(columns)
        query = query.take(hits // products.group_size)
        self._merge(products.queries, query, scores.take(hits), rows)

    def _floor(self, products: Products) -> torch.Tensor:
        """(q,) score that a new candidate must exceed: the last that is kept.

        While nothing is kept the best of the groups show how high the last of them would be.
        """
        floor = self.scores[products.queries, -1]
        n_groups = products.group_maxima.shape[1]
        if n_groups < self._n_kept or floor.min() > NOTHING:
            return floor
        seen = products.group_maxima.topk(self._n_kept, dim=1).values[:, -1]
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
    ) -> tuple[IntArray, Float32Array]:
        """The k nearest rows in their exact order, ties to the lower row number.

        Args:
            rows: All embeddings.
            exclusions: What may not be retrieved.
            gallery_rows: (G,) ascending row numbers, searched again where one may be missing.
            query_rows: (Q,) row numbers of the queries, in the order of this object.

        Returns:
            rows (Q, k) int32, -1 past the end of a short gallery, and scores (Q, k) float32, NaN
            there.
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
        return found.int().numpy(), scores.numpy()


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
