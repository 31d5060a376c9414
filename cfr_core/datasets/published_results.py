"""Published rates of 34 datasets and 2 encoders (CFR table S4), to compare with."""

import csv
from dataclasses import dataclass
from functools import cache

from cfr_core.shipped import shipped_file

PUBLISHED_K = 1
"""Rank that the published rates are at."""


@dataclass(frozen=True)
class PublishedResult:
    """One published row; rates are fractions, rounded to 0.001.

    Attributes:
        dataset: Name as published, such as "SeaTurtleID2022".
        encoder: Name as published, such as "MiewID".
        random: Rate of a random ranking.
        full: R@1 of the full image.
        foreground: R@1 of the animal alone.
        shortcut: R@1 of its surroundings alone.
        silhouette: R@1 of its outline alone.
        ssi: Shortcut sufficiency.
        cfr: Counterfactual foreground retrieval.
    """

    dataset: str
    encoder: str
    random: float
    full: float
    foreground: float
    shortcut: float
    silhouette: float
    ssi: float
    cfr: float


@cache
def published_results() -> tuple[PublishedResult, ...]:
    """The published table, in its own order.

    Raises:
        InputError: if the table is not installed.
    """
    with shipped_file("published_results.csv").open(encoding="utf-8", newline="") as stream:
        return tuple(_result(record) for record in csv.DictReader(stream))


def _result(record: dict[str, str]) -> PublishedResult:
    names = ("random", "full", "foreground", "shortcut", "silhouette", "ssi", "cfr")
    rates = {name: round(float(record[name]) / 100, 3) for name in names}
    return PublishedResult(dataset=record["dataset"], encoder=record["model"], **rates)
