"""A run as one zip."""

import io
import json
import zipfile
from pathlib import Path

import pandas as pd

from cfr_core.audit.bundle import write_bundle
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.queries import query_table
from cfr_core.audit.results import NEIGHBOURS_FILE


def bundle(folder: Path) -> bytes:
    stream = io.BytesIO()
    write_bundle(folder, stream)
    return stream.getvalue()


def test_everything_is_in_it(run_folder: Path, profile: EvidenceProfile) -> None:
    with zipfile.ZipFile(io.BytesIO(bundle(run_folder))) as content:
        assert json.loads(content.read("profile.json")) == profile.to_json()
        queries = pd.read_csv(content.open("queries.csv"))
        left_out = pd.read_csv(content.open("left_out.csv"))
        neighbours = pd.read_parquet(io.BytesIO(content.read("neighbours.parquet")))
        readme = content.read("README.txt").decode()
    for k in (1, 5):
        kinds = query_table(run_folder, k).set_index("row_id")["kind"].astype(str)
        exported = queries.set_index("row_id")[f"kind_at_{k}"]
        assert exported.to_dict() == kinds.to_dict()
        share = (queries["full_rank"] <= k).mean()
        assert round(share, 8) == round(profile.to_json()["by_k"][str(k)]["full"], 8)
    assert left_out["reason"].value_counts().to_dict() == profile.left_out
    assert neighbours.equals(pd.read_parquet(run_folder / NEIGHBOURS_FILE))
    assert profile.run_id in readme
    assert "scenery match" in readme


def test_the_same_run_gives_the_same_bytes(run_folder: Path) -> None:
    assert bundle(run_folder) == bundle(run_folder)
