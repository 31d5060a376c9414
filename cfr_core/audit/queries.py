"""Queries of a run at one k, the most suspicious first, and what they say of each individual."""

from pathlib import Path

import numpy as np
import pandas as pd

from cfr_core.audit.kinds import MatchKind, match_kinds
from cfr_core.audit.pairs import shared_circumstances
from cfr_core.audit.results import NEIGHBOURS_FILE
from cfr_core.audit.stored import read_queries, read_rows, read_table
from cfr_core.metrics.rates import hits_at_k
from cfr_core.types import View

_RIGHT_WITHOUT_ANIMAL = [("view", "==", View.SHORTCUT.value), ("is_right", "==", True)]


def query_table(folder: Path, k: int) -> pd.DataFrame:
    """Queries of a run, the most suspicious first.

    They come by kind in the order of `MatchKind`, those most alike without the animal first,
    equals by row.

    Args:
        folder: `runs/<run_id>` of a workspace.
        k: Number of nearest photos looked at, at least 1.

    Returns:
        A line a query: row_id, path, identity, kind (of `MatchKind`); for each view `<view>_rank`
        (of the first right photo, 1 is best) and `<view>_hit` (whether that is within k);
        shortcut_similarity (cosine similarity to the first right photo in the shortcut view, NaN
        where it lies beyond the neighbours that the run keeps); shortcut_hit_row_id (that photo);
        shared (what the query and that photo share, such as "encounter, camera", as text);
        captured_at, encounter, camera; n_positives, n_gallery.

    Raises:
        InputError: if a file of the run is missing or damaged, or k < 1.
    """
    queries = read_queries(folder)
    rows = read_rows(folder).set_index("row_id")
    ranks = {view: queries[f"{view.value}_rank"].to_numpy() for view in View}
    hits = {view: hits_at_k(ranks[view], k) for view in View}
    asked, found = (rows.loc[queries[name]] for name in ("row_id", "shortcut_hit_row_id"))
    table = pd.DataFrame(
        {
            **{name: queries[name] for name in ("row_id", "path", "identity")},
            "kind": pd.Categorical(match_kinds(hits), categories=list(MatchKind), ordered=True),
            **{f"{view.value}_rank": ranks[view] for view in View},
            **{f"{view.value}_hit": hits[view] for view in View},
            "shortcut_similarity": queries["row_id"].map(_similarities(folder)).to_numpy(),
            "shortcut_hit_row_id": queries["shortcut_hit_row_id"],
            "shared": shared_circumstances(asked, found),
            **{name: asked[name].to_numpy() for name in ("captured_at", "encounter", "camera")},
            **{name: queries[name] for name in ("n_positives", "n_gallery")},
        }
    )
    order = ["kind", "shortcut_similarity", "row_id"]
    return table.sort_values(order, ascending=[True, False, True], ignore_index=True)


def identity_table(queries: pd.DataFrame) -> pd.DataFrame:
    """What a table of queries says of each individual.

    Args:
        queries: As `query_table` returns it.

    Returns:
        A line an individual, those with most scenery matches first, equals by name: identity,
        n_queries, a column for each `MatchKind` with its queries, and without_animal, the share
        of the queries right in the full image that are right without the animal too (NaN where
        none is right).
    """
    counts = queries.groupby(["identity", "kind"], observed=False)["row_id"].count().unstack("kind")
    counts = counts.reindex(columns=list(MatchKind)).rename_axis(columns=None)
    right = counts.drop(columns=MatchKind.MISSED).sum(axis=1)
    without_animal = counts[MatchKind.SCENERY] + counts[MatchKind.CONFOUNDED]
    table = counts.assign(
        n_queries=counts.sum(axis=1),
        without_animal=without_animal / right.where(right > 0, np.nan),
    ).reset_index()
    table = table[["identity", "n_queries", *MatchKind, "without_animal"]]
    order: list[str] = [MatchKind.SCENERY, "without_animal", "identity"]
    return table.sort_values(order, ascending=[False, False, True], ignore_index=True)


def _similarities(folder: Path) -> pd.Series:
    """By query: similarity to the first right photo in the shortcut view, where it is kept."""
    right = read_table(
        folder / NEIGHBOURS_FILE,
        columns=["query_row_id", "rank", "score"],
        filters=_RIGHT_WITHOUT_ANIMAL,
    )
    first = right.sort_values("rank", kind="stable").drop_duplicates("query_row_id")
    return first.set_index("query_row_id")["score"]
