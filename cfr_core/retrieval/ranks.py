"""Exact places of given rows in the full ranking of their query, without sorting it.

A target is a gallery row whose place is asked for, with its exact similarity to the query. Its rank
is one more than the number of gallery rows before it: those of higher similarity, and those of the
same similarity and lower row number.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from cfr_core.retrieval.exact import PRODUCT_ERROR, UnitRows, blocks
from cfr_core.retrieval.galleries import Exclusions
from cfr_core.retrieval.tiles import Layout
from cfr_core.types import IntArray

_ROWS_OF_IDENTITIES = 64
_ENTRIES_AT_ONCE = 1 << 22
_TARGETS_AT_ONCE = 1024


@dataclass(frozen=True)
class Targets:
    """Gallery rows whose ranks are wanted, sorted by the position of their query.

    Attributes:
        query: (T,) int64 ascending positions in the layout's queries.
        rows: (T,) int64 row numbers.
        scores: (T,) float64 exact similarities.
    """

    query: IntArray
    rows: IntArray
    scores: npt.NDArray[np.float64]


def all_positives(
    rows: UnitRows, exclusions: Exclusions, layout: Layout, identity_codes: IntArray
) -> Targets:
    """Every positive of every query.

    Args:
        rows: All embeddings.
        exclusions: What may not be retrieved.
        layout: Queries and gallery.
        identity_codes: (N,) int64.

    Returns:
        A target for each pair of a query and a positive.
    """
    parts = []
    for queries, gallery, products in _positive_products(rows, exclusions, layout, identity_codes):
        query, place = np.nonzero(products > -np.inf)
        parts.append(Targets(queries[query], gallery[place], products[query, place]))
    return _sorted(parts)


def best_positives(
    rows: UnitRows, exclusions: Exclusions, layout: Layout, identity_codes: IntArray
) -> Targets:
    """The most similar positive of every query that has one; ties to the lower row number.

    Args:
        rows: All embeddings.
        exclusions: What may not be retrieved.
        layout: Queries and gallery.
        identity_codes: (N,) int64.

    Returns:
        At most one target a query.
    """
    parts = []
    for queries, gallery, products in _positive_products(rows, exclusions, layout, identity_codes):
        place = products.argmax(axis=1)  # the first of equals, and the gallery ascends
        best = np.take_along_axis(products, place[:, None], axis=1)[:, 0]
        found = best > -np.inf
        parts.append(Targets(queries[found], gallery[place[found]], best[found]))
    return _sorted(parts)


def _sorted(parts: list[Targets]) -> Targets:
    if not parts:
        return Targets(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    query, rows, scores = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("query", "rows", "scores")
    )
    order = np.argsort(query, kind="stable")
    return Targets(query[order], rows[order], scores[order])


def _positive_products(
    rows: UnitRows, exclusions: Exclusions, layout: Layout, identity_codes: IntArray
) -> Iterator[tuple[IntArray, IntArray, npt.NDArray[np.float64]]]:
    """Query positions, ascending gallery rows and exact products, -inf where not positive."""
    for queries, gallery in _identity_blocks(layout, identity_codes):
        query_rows = layout.query_rows[queries]
        products = exclusions.blank(rows.products(query_rows, gallery), query_rows, gallery)
        same = identity_codes[query_rows][:, None] == identity_codes[gallery]
        yield queries, gallery, np.where(same, products.cpu().numpy(), -np.inf)


def _identity_blocks(
    layout: Layout, identity_codes: IntArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Query positions with the gallery rows of their identities, a few small identities at once."""
    query_identity = identity_codes[layout.query_rows]
    queries = np.argsort(query_identity, kind="stable")
    query_identity = query_identity[queries]
    gallery = np.sort(layout.gallery_rows)
    gallery = gallery[np.isin(identity_codes[gallery], query_identity)]
    gallery = gallery[np.argsort(identity_codes[gallery], kind="stable")]
    gallery_identity = identity_codes[gallery]
    for identities in _few_at_once(gallery_identity):
        low, high = np.searchsorted(gallery_identity, identities)
        of_gallery = gallery[low:high]
        low, high = np.searchsorted(query_identity, identities)
        n_at_once = max(_ROWS_OF_IDENTITIES, _ENTRIES_AT_ONCE // len(of_gallery))
        for part in blocks(low, high, n_at_once):
            yield queries[part], of_gallery


def _few_at_once(codes: IntArray) -> Iterator[tuple[int, int]]:
    """Ranges (first code, end code) of ascending codes that hold about as many rows as a batch."""
    values, starts = np.unique(codes, return_index=True)
    batch = starts // _ROWS_OF_IDENTITIES
    first = values[np.flatnonzero(np.diff(batch, prepend=-1))]
    ends = [*first[1:], values[-1] + 1] if len(values) else []
    yield from zip(first, ends, strict=True)


class RankCounter:
    """Counts the gallery rows before each target while the tiles of the matrix go by.

    Attributes:
        targets: What is ranked.
        n_before: (T,) int64, gallery rows counted so far.
    """

    def __init__(self, targets: Targets, rows: UnitRows, query_rows: IntArray) -> None:
        """Start at no row counted.

        Args:
            targets: What to rank.
            rows: All embeddings.
            query_rows: (Q,) int64 row numbers of the layout's queries.
        """
        self.targets = targets
        self.n_before = np.zeros(len(targets.query), dtype=np.int64)
        self._rows = rows
        self._query_rows = query_rows

    def offer(self, queries: slice, products: torch.Tensor, gallery_rows: IntArray) -> None:
        """Count the rows of one tile.

        Args:
            queries: Positions of the tile's queries.
            products: (q, g) float32 similarities, -inf where excluded; any memory order.
            gallery_rows: (g,) int64 row numbers.
        """
        first, last = np.searchsorted(self.targets.query, (queries.start, queries.stop))
        for part in blocks(int(first), int(last), _TARGETS_AT_ONCE):
            owner = self.targets.query[part] - queries.start
            # With one target for every query the products are in their order already.
            is_one_each = len(owner) == len(products) and bool((np.diff(owner) == 1).all())
            owned = products if is_one_each else products[torch.from_numpy(owner)]
            self._count(part, owned, gallery_rows)

    def _count(self, part: slice, products: torch.Tensor, gallery_rows: IntArray) -> None:
        """Count the columns before each target, one row of products a target."""
        score = torch.from_numpy(self.targets.scores[part]).to(products.device)[:, None]
        low, high = (score - PRODUCT_ERROR).float(), (score + PRODUCT_ERROR).float()
        # A comparison written as 0.0 and 1.0 is several times faster to sum than a boolean one.
        flags = torch.empty_like(products)
        n_above = torch.gt(products, high, out=flags).sum(1)
        n_not_below = torch.gt(products, low, out=flags).sum(1)
        self.n_before[part] += n_above.long().cpu().numpy()

        unsure = (n_not_below > n_above).nonzero()[:, 0]
        near = products[unsure]
        place, column = ((near > low[unsure]) & (near <= high[unsure])).nonzero(as_tuple=True)
        target = unsure[place].cpu().numpy() + part.start
        self._count_exactly(target, gallery_rows[column.cpu().numpy()])

    def _count_exactly(self, target: IntArray, rows: IntArray) -> None:
        """Count those of the given pairs of a target and a row where the row comes before it."""
        other = rows != self.targets.rows[target]
        target, rows = target[other], rows[other]
        query_rows = self._query_rows[self.targets.query[target]]
        score = self._rows.pair_products(query_rows, rows).cpu().numpy()
        wanted, wanted_row = self.targets.scores[target], self.targets.rows[target]
        is_before = (score > wanted) | ((score == wanted) & (rows < wanted_row))
        self.n_before += np.bincount(target[is_before], minlength=len(self.n_before))
