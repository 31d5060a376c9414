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
from cfr_core.retrieval.tiles import Layout, Products
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

    def __init__(self, targets: Targets, rows: UnitRows, layout: Layout) -> None:
        """Start at no row counted.

        Args:
            targets: What to rank.
            rows: All embeddings.
            layout: Queries and gallery.
        """
        self.targets = targets
        self.n_before = np.zeros(len(targets.query), dtype=np.int64)
        self._rows = rows
        self._layout = layout
        self._place = _places(targets.rows, layout.gallery_rows)

    def offer(self, products: Products) -> None:
        """Count the rows of one block.

        Args:
            products: Similarities of the block.
        """
        queries = products.queries
        first, last = np.searchsorted(self.targets.query, (queries.start, queries.stop))
        highest = products.group_maxima.amax(1).cpu().numpy()
        for part in blocks(int(first), int(last), _TARGETS_AT_ONCE):
            owner = self.targets.query[part] - queries.start
            # Where nothing in the block reaches the target there is nothing to count.
            some = np.flatnonzero(highest[owner] > self.targets.scores[part] - PRODUCT_ERROR)
            if len(some):
                self._count(some + part.start, owner[some], products)

    def _count(self, target: IntArray, owner: IntArray, products: Products) -> None:
        """Count the columns before each target, which asks for the products of its owner."""
        values = products.values
        if len(owner) != len(values) or (np.diff(owner) != 1).any():
            values = products.of(torch.from_numpy(owner).to(values.device))
        score = torch.from_numpy(self.targets.scores[target]).to(values.device)[:, None]
        low, high = (score - PRODUCT_ERROR).float(), (score + PRODUCT_ERROR).float()
        # A comparison written as 0.0 and 1.0 is several times faster to sum than a boolean one.
        flags = torch.empty_like(values)
        n_above = torch.gt(values, high, out=flags).sum(1)
        n_near = torch.gt(values, low, out=flags).sum(1).sub_(n_above).cpu().numpy()
        self.n_before[target] += n_above.long().cpu().numpy()

        place, gallery = self._place[target], products.gallery
        n_near -= (gallery.start <= place) & (place < gallery.stop)  # the target itself
        unsure = np.flatnonzero(n_near > 0)
        if len(unsure):
            chosen = torch.from_numpy(unsure).to(values.device)
            near = values[chosen]
            is_near = (near > low[chosen]) & (near <= high[chosen])
            which, column = is_near.cpu().numpy().nonzero()
            rows = self._layout.gallery_rows[gallery]
            self._count_exactly(target[unsure[which]], rows[column])

    def _count_exactly(self, target: IntArray, rows: IntArray) -> None:
        """Count those of the given pairs of a target and a row where the row comes before it."""
        other = rows != self.targets.rows[target]
        target, rows = target[other], rows[other]
        query_rows = self._layout.query_rows[self.targets.query[target]]
        score = self._rows.pair_products(query_rows, rows).cpu().numpy()
        wanted, wanted_row = self.targets.scores[target], self.targets.rows[target]
        is_before = (score > wanted) | ((score == wanted) & (rows < wanted_row))
        self.n_before += np.bincount(target[is_before], minlength=len(self.n_before))


def _places(rows: IntArray, gallery_rows: IntArray) -> IntArray:
    """Position of each row in the gallery."""
    order = np.argsort(gallery_rows)
    return order[np.searchsorted(gallery_rows, rows, sorter=order)]
