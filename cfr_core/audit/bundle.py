"""A run as one zip file, to keep, to send, and to read without this program."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import pandas as pd

from cfr_core.audit.job import LEFT_OUT_FILE
from cfr_core.audit.kinds import KIND_WORDS, match_kinds
from cfr_core.audit.results import NEIGHBOURS_FILE, PROFILE_FILE
from cfr_core.audit.stored import read_profile, read_queries, read_table
from cfr_core.metrics.rates import hits_at_k
from cfr_core.types import View

_NO_TIME = (1980, 1, 1, 0, 0, 0)
"""Time of every entry, so that the same run gives the same bytes."""

_README = """\
Evidence audit {run_id}

profile.json        all rates, CFR and SSI at each k with 95 % intervals, and how they were made
queries.csv         one line a query: rank and row of the first right photo, nearest photo and its
                    similarity, average precision (ap) in each view, and the kind of match at each k
neighbours.parquet  the nearest photos of each query in each view: rank, row_id, score (cosine
                    similarity), is_right
left_out.csv        rows of the dataset that are in no view, with the reason

Views: full is the photo as it is, foreground the animal alone, shortcut its surroundings alone,
silhouette its outline alone. Ranks count from 1, the best.

Kinds of matches:
{kinds}
"""


def write_bundle(folder: Path, target: BinaryIO) -> None:
    """Write a finished run as a zip file; the same run gives the same bytes.

    Args:
        folder: `runs/<run_id>` of a workspace.
        target: Where the zip goes; must be able to seek.

    Raises:
        InputError: if a file of the run is missing or damaged.
    """
    profile = read_profile(folder)
    queries = queries_for_export(read_queries(folder), tuple(profile.by_k))
    left_out = read_table(folder / LEFT_OUT_FILE)
    kinds = "\n".join(f"  {kind:<17} {words}" for kind, words in KIND_WORDS.items())
    texts = {
        "README.txt": _README.format(run_id=profile.run_id, kinds=kinds),
        "queries.csv": queries.to_csv(index=False, lineterminator="\n"),
        "left_out.csv": left_out.to_csv(index=False, lineterminator="\n"),
    }
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in texts.items():
            bundle.writestr(_entry(name), text)
        for name in (PROFILE_FILE, NEIGHBOURS_FILE):
            bundle.writestr(_entry(name), (folder / name).read_bytes())


def queries_for_export(queries: pd.DataFrame, ks: Sequence[int]) -> pd.DataFrame:
    """Queries with the kind of their match at each k, `kind_at_<k>`, beside the columns they have.

    Args:
        queries: As `Evaluation.queries` has them.
        ks: Numbers of nearest photos looked at.
    """
    ranks = {view: queries[f"{view.value}_rank"].to_numpy() for view in View}
    kinds = {
        f"kind_at_{k}": match_kinds({view: hits_at_k(ranks[view], k) for view in View}) for k in ks
    }
    return queries.assign(**kinds)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _NO_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
