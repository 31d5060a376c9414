"""Files of a finished run, written once and only read afterwards."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from cfr_core.audit.evaluate import Evaluation
from cfr_core.audit.job import LEFT_OUT_FILE, AuditJob
from cfr_core.audit.job import PROFILE_FILE as PROFILE_FILE
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.types import IntArray, Neighbours, View
from cfr_core.workspace.files import write_json, write_parquet

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
    identity_codes = pd.factorize(job.table["identity"])[0]
    write_parquet(job.folder / LEFT_OUT_FILE, job.left_out)
    write_parquet(job.folder / QUERIES_FILE, evaluation.queries)
    write_parquet(
        job.folder / NEIGHBOURS_FILE,
        pd.concat(
            [
                _long_table(view, found, row_ids, identity_codes)
                for view, found in neighbours.items()
            ],
            ignore_index=True,
        ),
    )
    write_json(job.folder / PROFILE_FILE, profile.to_json())


def _long_table(
    view: View, found: Neighbours, row_ids: IntArray, identity_codes: IntArray
) -> pd.DataFrame:
    """One line a query and rank; places past the end of a short gallery are left out."""
    is_there = found.rows >= 0
    rows = found.rows[is_there]
    query_rows = np.repeat(found.query_rows, is_there.sum(axis=1))
    ranks = np.broadcast_to(np.arange(1, found.rows.shape[1] + 1, dtype=np.int32), is_there.shape)
    codes = np.full(len(rows), list(View).index(view), dtype=np.int8)
    return pd.DataFrame(
        {
            "query_row_id": row_ids[query_rows],
            "view": pd.Categorical.from_codes(codes, categories=pd.Index([v.value for v in View])),
            "rank": ranks[is_there],
            "row_id": row_ids[rows],
            "score": found.scores[is_there],
            "is_right": identity_codes[rows] == identity_codes[query_rows],
        },
    )
