"""The published table follows from our functions (CFR table S4, S1 and S3)."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cfr_core.metrics import cfr, random_rate, ssi_context, ssi_headline, ssi_with_silhouette
from cfr_core.retrieval import answerable, gallery_counts
from cfr_core.types import RetrievalTask, SilhouetteRole

_ROUNDING = 0.05  # points: the table gives one decimal
_SLACK = 1e-6
_RATES = ["random", "full", "shortcut", "silhouette"]


@pytest.fixture(scope="module")
def published(shared_reference: Path) -> pd.DataFrame:
    results = pd.read_csv(shared_reference / "table_s4_results.csv")
    datasets = pd.read_csv(shared_reference / "datasets_s1_s3.csv")
    table = results.merge(datasets[["dataset", "silhouette_role"]], on="dataset", validate="m:1")
    assert len(table) == 68
    return table


def test_every_published_cfr_follows(published: pd.DataFrame):
    full, foreground, random = (published[name] / 100 for name in ("full", "foreground", "random"))
    value = 100 * cfr(full, foreground, random)
    off = np.abs(value - published["cfr"])
    assert off.max() <= 0.1, published.assign(ours=value)[off > 0.1]


def test_every_published_ssi_follows_within_the_rounding_of_its_rates(published: pd.DataFrame):
    """SSI is monotonous in each rate, so its range lies between values at their ends."""
    role = [SilhouetteRole(name) for name in published["silhouette_role"]]
    corners = []
    for signs in product((-_ROUNDING, _ROUNDING), repeat=len(_RATES)):
        random, full, shortcut, silhouette = (
            np.clip((published[name] + sign) / 100, 0, 1)
            for name, sign in zip(_RATES, signs, strict=True)
        )
        context = ssi_context(full, shortcut, random)
        with_silhouette = ssi_with_silhouette(full, shortcut, silhouette, random)
        pairs = zip(context, with_silhouette, role, strict=True)
        corners.append([float(ssi_headline(*pair)) for pair in pairs])
    low, high = 100 * np.min(corners, axis=0), 100 * np.max(corners, axis=0)
    assert np.isfinite(low).all()
    assert np.isfinite(high).all()
    follows = (low - _ROUNDING - _SLACK <= published["ssi"]) & (
        published["ssi"] <= high + _ROUNDING + _SLACK
    )
    assert follows.all(), published.assign(low=low, high=high)[~follows]


def test_the_interval_test_would_notice_the_wrong_role(published: pd.DataFrame):
    """SMALST and FriesianCattle2015 are ambiguous; without the outline they do not follow."""
    chosen = published[published["dataset"].isin(["SMALST", "FriesianCattle2015"])]
    full, shortcut, random = (chosen[name] / 100 for name in ("full", "shortcut", "random"))
    context = 100 * ssi_context(full, shortcut, random)
    assert (np.abs(context - chosen["ssi"]) > 1).any()


def _task(identities: pd.Series) -> RetrievalTask:
    codes = pd.factorize(identities)[0].astype(np.int64)
    everyone = np.arange(len(codes))
    return RetrievalTask(codes, everyone, everyone, np.empty((len(codes), 0), dtype=np.int64))


def test_identity_files_give_the_published_random_rates(shared_reference: Path):
    folder = shared_reference / "identities"
    published = pd.read_csv(folder / "published_random.csv")
    assert len(published) == 13
    for dataset, expected in zip(
        published["dataset"], published["published_random_at_1_percent"], strict=True
    ):
        table = pd.read_csv(folder / f"{dataset}.csv.gz", dtype=str, keep_default_na=False)
        known = table.loc[table["identity"] != "unknown", "identity"]
        task = answerable(_task(known))
        random = 100 * random_rate(*gallery_counts(task), 1)
        assert random == pytest.approx(expected, abs=0.06), dataset
