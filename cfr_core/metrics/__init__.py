"""Metrics: one pure function each, with its equation and section (CFR sec. 3.3 to 3.6)."""

from cfr_core.metrics.bootstrap import evidence_intervals, percentile_interval, resampled_means
from cfr_core.metrics.evidence import (
    above_random,
    cfr,
    cfr_undefined_reason,
    evidence_numbers,
    normalised,
    region,
    ssi_context,
    ssi_headline,
    ssi_undefined_reason,
    ssi_with_silhouette,
)
from cfr_core.metrics.outcomes import QueryOutcomes
from cfr_core.metrics.precision import average_precision, mean_average_precision
from cfr_core.metrics.rates import (
    balanced_retrieval_at_k,
    hits_at_k,
    random_hit_probability,
    random_rate,
    retrieval_at_k,
)

__all__ = [
    "QueryOutcomes",
    "above_random",
    "average_precision",
    "balanced_retrieval_at_k",
    "cfr",
    "cfr_undefined_reason",
    "evidence_intervals",
    "evidence_numbers",
    "hits_at_k",
    "mean_average_precision",
    "normalised",
    "percentile_interval",
    "random_hit_probability",
    "random_rate",
    "region",
    "resampled_means",
    "retrieval_at_k",
    "ssi_context",
    "ssi_headline",
    "ssi_undefined_reason",
    "ssi_with_silhouette",
]
