"""Files of a finished run, written once and only read afterwards."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from cfr_core.audit.evaluate import Evaluation
from cfr_core.audit.job import LEFT_OUT_FILE, AuditJob
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.types import Neighbours, View
from cfr_core.workspace.files import write_json, write_parquet

PROFILE_FILE = "profile.json"
QUERIES_FILE = "queries.parquet"
NEIGHBOURS_FILE = "neighbours.parquet"


def save_results(
    job: AuditJob,
    profile: EvidenceProfile,
    neighbours: Mapping[View, Neighbours],
    evaluation: Evaluation,
) -> None:
    """Write queries.parquet, neighbours.parquet and, last, profile.json.

    A folder without profile.json is a run that has not finished.

    Args:
        job: The audit, without the rows that could not be embedded.
        profile: Its result.
        neighbours: Neighbours in each view, for the same queries.
        evaluation: Holds the table of queries.
    """
    row_ids = job.table["row_id"].to_numpy()
    identities = job.table["identity"].to_numpy()
    write_parquet(job.folder / LEFT_OUT_FILE, job.left_out)
    write_parquet(job.folder / QUERIES_FILE, evaluation.queries)
    write_parquet(
        job.folder / NEIGHBOURS_FILE,
        pd.concat(
            [_long_table(view, found, row_ids, identities) for view, found in neighbours.items()],
            ignore_index=True,
        ),
    )
    write_json(job.folder / PROFILE_FILE, profile.to_json())


def _long_table(
    view: View, found: Neighbours, row_ids: np.ndarray, identities: np.ndarray
) -> pd.DataFrame:
    """One line a query and rank; places past the end of a short gallery are left out."""
    query, place = np.nonzero(found.rows >= 0)
    rows = found.rows[query, place]
    query_rows = found.query_rows[query]
    return pd.DataFrame(
        {
            "query_row_id": row_ids[query_rows],
            "view": pd.Categorical([view.value] * len(rows), categories=[v.value for v in View]),
            "rank": (place + 1).astype(np.int32),
            "row_id": row_ids[rows],
            "score": found.scores[query, place],
            "is_right": identities[rows] == identities[query_rows],
        }
    )
