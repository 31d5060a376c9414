"""From ranks to rates: everything the profile says, computed from the neighbours of four views."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cfr_core.audit.job import AuditJob
from cfr_core.audit.profile import RatesAtK, SuspiciousMatch
from cfr_core.audit.selection import retrieval_task
from cfr_core.metrics import evidence, rates
from cfr_core.metrics.bootstrap import Interval, evidence_intervals
from cfr_core.metrics.outcomes import QueryOutcomes
from cfr_core.metrics.precision import mean_average_precision
from cfr_core.retrieval.ranking import Ranking
from cfr_core.types import FloatArray, Neighbours, SilhouetteRole, View

N_SUSPICIOUS = 10


@dataclass(frozen=True)
class Evaluation:
    """Numbers of an audit.

    Attributes:
        queries: One line a query: row_id, path, identity, n_positives, n_gallery, and for each
            view `<view>_rank` and `<view>_hit_row_id` (first right match, 1 is best),
            `<view>_top_row_id` and `<view>_top_score` (nearest neighbour), `<view>_ap`.
        by_k: Rates at each k.
        mean_average_precision: mAP in each view.
        suspicious: The most suspicious matches at rank 1.
        not_asked: Rows of the query side that are no query, by reason.
    """

    queries: pd.DataFrame
    by_k: Mapping[int, RatesAtK]
    mean_average_precision: Mapping[View, float]
    suspicious: tuple[SuspiciousMatch, ...]
    not_asked: Mapping[str, int]

    @property
    def n_queries(self) -> int:
        """Queries that were asked."""
        return len(self.queries)

    @property
    def n_identities(self) -> int:
        """Individuals among the queries."""
        return int(self.queries["identity"].nunique())


def evaluate(
    job: AuditJob,
    neighbours: Mapping[View, Neighbours],
    precisions: Mapping[View, FloatArray],
) -> Evaluation:
    """All rates with their intervals, the table of queries, and the most suspicious matches.

    Args:
        job: The audit, without the rows that could not be embedded.
        neighbours: Neighbours in each view, for the same queries.
        precisions: (Q,) average precision of the queries in each view.
    """
    queries = _query_table(job.table, neighbours, precisions)
    outcomes = QueryOutcomes(
        identity_codes=pd.factorize(queries["identity"])[0],
        n_gallery=queries["n_gallery"].to_numpy(),
        n_positives=queries["n_positives"].to_numpy(),
        first_hit_rank={view: queries[f"{view.value}_rank"].to_numpy() for view in View},
    )
    intervals = evidence_intervals(
        outcomes,
        job.spec.ks,
        job.silhouette_role,
        n_resamples=job.spec.n_resamples,
        rng=np.random.default_rng(job.spec.seed),
    )
    n_asked_for = len(retrieval_task(job.table, job.spec).query_rows)
    n_without = n_asked_for - len(queries)
    return Evaluation(
        queries=queries,
        by_k={k: _rates_at(outcomes, k, job.silhouette_role, intervals[k]) for k in job.spec.ks},
        mean_average_precision={
            view: mean_average_precision(values) for view, values in precisions.items()
        },
        suspicious=_suspicious(job.table, queries),
        not_asked={"no other photo of the individual in its gallery": n_without}
        if n_without
        else {},
    )


def evaluate_rankings(job: AuditJob, rankings: Mapping[View, Ranking]) -> Evaluation:
    """The same from what retrieval found in each view.

    Args:
        job: The audit, without the rows that could not be embedded.
        rankings: What was found, for the same queries.
    """
    return evaluate(
        job,
        {view: ranking.neighbours for view, ranking in rankings.items()},
        {view: ranking.average_precisions for view, ranking in rankings.items()},
    )


def measured_fields(job: AuditJob, evaluation: Evaluation) -> dict[str, Any]:
    """The fields of an `EvidenceProfile` that say what was measured, and on which rows.

    Args:
        job: The audit, without the rows that could not be embedded.
        evaluation: Its numbers.
    """
    left_out = job.left_out["reason"].value_counts()
    return {
        "n_rows": job.n_rows,
        "n_benchmark_rows": len(job.table),
        "n_queries": evaluation.n_queries,
        "n_identities": evaluation.n_identities,
        "left_out": {str(reason): int(count) for reason, count in left_out.items()},
        "not_asked": evaluation.not_asked,
        "by_k": evaluation.by_k,
        "mean_average_precision": evaluation.mean_average_precision,
        "suspicious": evaluation.suspicious,
    }


def _query_table(
    table: pd.DataFrame,
    neighbours: Mapping[View, Neighbours],
    precisions: Mapping[View, FloatArray],
) -> pd.DataFrame:
    row_ids = table["row_id"].to_numpy()
    any_view = neighbours[View.FULL]
    asked = table.iloc[any_view.query_rows]
    columns = {
        "row_id": asked["row_id"].to_numpy(),
        "path": asked["path"].to_numpy(),
        "identity": asked["identity"].to_numpy(),
        "n_positives": any_view.n_positives,
        "n_gallery": any_view.n_gallery,
    }
    for view, found in neighbours.items():
        columns |= {
            f"{view.value}_rank": found.first_hit_rank,
            f"{view.value}_hit_row_id": row_ids[found.first_hit_row],
            f"{view.value}_top_row_id": row_ids[found.rows[:, 0]],
            f"{view.value}_top_score": found.scores[:, 0],
            f"{view.value}_ap": precisions[view],
        }
    return pd.DataFrame(columns)


def _rates_at(
    outcomes: QueryOutcomes, k: int, role: SilhouetteRole, intervals: Mapping[str, Interval]
) -> RatesAtK:
    ranks = outcomes.first_hit_rank
    random = rates.random_rate(outcomes.n_gallery, outcomes.n_positives, k)
    retrieval = {view: rates.retrieval_at_k(ranks[view], k) for view in View}
    numbers = evidence.evidence_numbers(retrieval, random, role)
    cfr, ssi = float(numbers["cfr"]), float(numbers["ssi"])
    cfr_reason = evidence.cfr_undefined_reason(random)
    ssi_reason = evidence.ssi_undefined_reason(retrieval[View.FULL], random)
    reasons = {"cfr": cfr_reason} | dict.fromkeys(
        ("ssi", "ssi_context", "ssi_with_silhouette"), ssi_reason
    )
    return RatesAtK(
        random=random,
        retrieval=retrieval,
        balanced={
            view: rates.balanced_retrieval_at_k(ranks[view], outcomes.identity_codes, k)
            for view in View
        },
        cfr=cfr,
        ssi=ssi,
        ssi_context=float(numbers["ssi_context"]),
        ssi_with_silhouette=float(numbers["ssi_with_silhouette"]),
        region=evidence.region(cfr, ssi),
        intervals=intervals,
        undefined={name: reason for name, reason in reasons.items() if reason is not None},
    )


def _suspicious(table: pd.DataFrame, queries: pd.DataFrame) -> tuple[SuspiciousMatch, ...]:
    """Right at rank 1 in the full image and in the shortcut view, wrong in the foreground view.

    The most alike without the animal come first; queries of equal similarity by row.
    """
    is_suspicious = (
        (queries["full_rank"] == 1)
        & (queries["shortcut_rank"] == 1)
        & (queries["foreground_rank"] > 1)
    )
    worst = queries[is_suspicious].sort_values(
        ["shortcut_top_score", "row_id"], ascending=[False, True]
    )
    path_of = dict(zip(table["row_id"], table["path"], strict=True))
    return tuple(
        SuspiciousMatch(
            query_row_id=query["row_id"],
            query_file=query["path"],
            match_row_id=query["shortcut_top_row_id"],
            match_file=path_of[query["shortcut_top_row_id"]],
            identity=query["identity"],
            shortcut_similarity=query["shortcut_top_score"],
            foreground_rank=query["foreground_rank"],
        )
        for query in worst.head(N_SUSPICIOUS).to_dict("records")
    )
