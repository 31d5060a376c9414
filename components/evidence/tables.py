"""Tables of the Evidence page: numbers of runs, queries and individuals under names for people."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from cfr_core.audit.kinds import KIND_WORDS, MatchKind
from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.types import View
from server.images import image_query

_NUMBERS = {
    "R full image": View.FULL,
    "R foreground": View.FOREGROUND,
    "R shortcut": View.SHORTCUT,
    "R silhouette": View.SILHOUETTE,
    "R chance": "random",
    "CFR": "cfr",
    "SSI": "ssi",
    "SSI, context only": "ssi_context",
    "SSI, with outline": "ssi_with_silhouette",
}
_THUMBNAIL_PX = 96

SHARE = st.column_config.NumberColumn(format="%.3f")


def numbers_table(profile: EvidenceProfile, k: int) -> pd.DataFrame:
    """Every number of a run at one k with its 95 % interval, and why some are undefined."""
    rates = profile.by_k[k]
    lines = []
    for label, name in _NUMBERS.items():
        low, high = rates.intervals[name]
        lines.append(
            {
                "Number": f"{label} @{k}",
                "Value": _value(rates, name),
                "Low": low,
                "High": high,
                "Why undefined": rates.undefined.get(name, ""),
            }
        )
    table = pd.DataFrame(lines)
    return table if table["Why undefined"].any() else table.drop(columns="Why undefined")


def runs_table(profiles: Sequence[EvidenceProfile], k: int) -> pd.DataFrame:
    """A line a run: what was asked, of how many, and every number at k with its interval."""
    return pd.DataFrame([_run_line(profile, k) for profile in profiles if k in profile.by_k])


def _run_line(profile: EvidenceProfile, k: int) -> dict[str, Any]:
    rates = profile.by_k[k]
    numbers: dict[str, Any] = {}
    for label, name in _NUMBERS.items():
        low, high = rates.intervals[name]
        numbers |= {label: _value(rates, name), f"{label} low": low, f"{label} high": high}
    return {
        "run_id": profile.run_id,
        "dataset": profile.dataset,
        "encoder": profile.encoder["name"],
        "protocol": profile.protocol["words"],
        "outline": profile.silhouette_role.value,
        "k": k,
        "queries": profile.n_queries,
        "individuals": profile.n_identities,
        "region": rates.region.value,
        **numbers,
    }


def _value(rates: RatesAtK, name: str) -> float:
    return rates.retrieval[View(name)] if name in list(View) else float(getattr(rates, name))


QUERY_COLUMNS: dict[str, Any] = {
    "photo": st.column_config.ImageColumn("Photo", width=64),
    "identity": st.column_config.TextColumn("Individual", width=110),
    "kind": st.column_config.TextColumn(
        "Match",
        help="\n".join(f"- {kind}: {words}" for kind, words in KIND_WORDS.items()),
        width=130,
    ),
    "shared": st.column_config.TextColumn(
        "Shares with its match",
        help="What the photo and its first right match without the animal have in common: the "
        "usual reasons of a match by scenery.",
        width=190,
    ),
    **{
        f"{view.value}_rank": st.column_config.NumberColumn(
            f"Rank, {view.value}",
            help=f"Rank of the first right photo in the {view.value} view; 1 is best.",
            width=128,
        )
        for view in View
    },
    "shortcut_similarity": st.column_config.NumberColumn(
        "Similarity, shortcut",
        help="Cosine similarity to the first right photo in the shortcut view; empty where that "
        "lies beyond the neighbours that a run keeps.",
        format="%.3f",
        width=140,
    ),
    "right_in": st.column_config.TextColumn(
        "Right in",
        help="Views in which one of the k nearest photos shows the same individual.",
        width=230,
    ),
    "captured_at": st.column_config.DatetimeColumn("Date", format="YYYY-MM-DD", width=100),
    "path": st.column_config.TextColumn("File"),
}


def shown_queries(queries: pd.DataFrame) -> pd.DataFrame:
    """Queries as the page lists them, by row id."""
    pictures = image_query(view=View.FULL, size_px=_THUMBNAIL_PX)
    table = queries.assign(
        photo=[f"/api/rows/{row_id}/image?{pictures}" for row_id in queries["row_id"]],
        kind=queries["kind"].astype(str),
        right_in=_right_in(queries),
    )
    return table[list(QUERY_COLUMNS)].set_axis(queries["row_id"], axis="index")


def _right_in(queries: pd.DataFrame) -> list[str]:
    hits = zip(*(queries[f"{view.value}_hit"] for view in View), strict=True)
    return [
        ", ".join(view.value for view, is_hit in zip(View, flags, strict=True) if is_hit) or "none"
        for flags in hits
    ]


IDENTITY_COLUMNS: dict[str, Any] = {
    "identity": st.column_config.TextColumn("Individual"),
    "n_queries": st.column_config.NumberColumn("Queries"),
    **{
        kind.value: st.column_config.NumberColumn(kind.value.capitalize(), help=KIND_WORDS[kind])
        for kind in MatchKind
    },
    "without_animal": st.column_config.NumberColumn(
        "Right without the animal",
        help="Share of the queries right in the full image that are right without the animal too.",
        format="percent",
    ),
}
