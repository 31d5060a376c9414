"""What pages show of the workspace, kept in memory until the workspace changes.

Functions are asked by names and ids. Each result is kept under the folder and revision that it was
read from; it is shared by all sessions and must not be changed in place. No other package uses
Streamlit's caches.
"""

from components.cached.finished_runs import (
    comparison,
    drill_down,
    identities,
    pair_facts,
    past_runs,
    profile,
    profiles,
    queries,
    run_folder,
    runs,
)
from components.cached.plans import cost_of, encoder_known, planned_audit
from components.cached.reviews import (
    blind_result,
    check_few,
    n_unchecked,
    review_queue,
    review_rows,
    stale_runs,
)
from components.cached.sources import preview, read_again, source_columns
from components.cached.stored_datasets import (
    card,
    covers,
    datasets,
    facts,
    gallery_rows,
    matching_rows,
    report,
    rows,
)

__all__ = [
    "blind_result",
    "card",
    "check_few",
    "comparison",
    "cost_of",
    "covers",
    "datasets",
    "drill_down",
    "encoder_known",
    "facts",
    "gallery_rows",
    "identities",
    "matching_rows",
    "n_unchecked",
    "pair_facts",
    "past_runs",
    "planned_audit",
    "preview",
    "profile",
    "profiles",
    "queries",
    "read_again",
    "report",
    "review_queue",
    "review_rows",
    "rows",
    "run_folder",
    "runs",
    "source_columns",
    "stale_runs",
]
