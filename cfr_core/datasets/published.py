"""The 34 published datasets (CFR S1, S3) and what the import takes from them by name."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cfr_core.datasets.records import UNKNOWN_IDENTITIES, DatasetCard
from cfr_core.shipped import shipped_file
from cfr_core.types import SilhouetteRole

_VERSION = re.compile(r"v\d+$")


@dataclass(frozen=True)
class PublishedDataset:
    """A dataset of the published audit.

    Attributes:
        name: Name as published, such as "SeaTurtleID2022".
        species: Common name and taxon.
        image_conditions: How the photos were taken.
        cfr_unit: What one row shows: image, crop, head box, ...
        biometric: Intended biometric.
        role: Whether the outline is part of that biometric.
        prompts: SAM 3 text prompts in order of preference.
        n_masks: Masks of the published audit.
        mask_coverage_percent: Rows with a mask, in percent.
    """

    name: str
    species: str
    image_conditions: str
    cfr_unit: str
    biometric: str
    role: SilhouetteRole
    prompts: tuple[str, ...]
    n_masks: int
    mask_coverage_percent: float


@cache
def published_datasets() -> tuple[PublishedDataset, ...]:
    """The published table, in its own order.

    Raises:
        InputError: if the table is not installed.
    """
    with shipped_file("datasets.csv").open(encoding="utf-8", newline="") as stream:
        return tuple(_dataset(record) for record in csv.DictReader(stream))


def published_card(name: str) -> PublishedDataset | None:
    """The published dataset of that name, or None.

    Case, spaces, "-" and "_" do not count, nor does a version such as the "v2" of BelugaIDv2.
    """
    by_key = {_key(dataset.name): dataset for dataset in published_datasets()}
    key = _key(name)
    return by_key.get(key) or by_key.get(_VERSION.sub("", key))


def dataset_card(
    name: str,
    root: Path,
    *,
    role: SilhouetteRole | None = None,
    unknown_identities: Sequence[str] = UNKNOWN_IDENTITIES,
) -> DatasetCard:
    """What is fixed about a dataset before any result is seen.

    The role is the one given, else the published one, else AMBIGUOUS: that reading counts the
    silhouette as a possible shortcut as well, so it is the stricter one (CFR S1).
    """
    published = published_card(name)
    source = "given" if role else "published table" if published else "default"
    published_role = published.role if published else SilhouetteRole.AMBIGUOUS
    return DatasetCard(
        name=name,
        root=str(root.resolve()),
        silhouette_role=role or published_role,
        role_source=source,
        unknown_identities=tuple(unknown_identities),
        biometric=published.biometric if published else "",
        species=published.species if published else "",
        prompts=published.prompts if published else (),
    )


def _key(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


def _dataset(record: dict[str, str]) -> PublishedDataset:
    return PublishedDataset(
        name=record["dataset"],
        species=record["species"],
        image_conditions=record["image_conditions"],
        cfr_unit=record["cfr_unit"],
        biometric=record["intended_biometric"],
        role=SilhouetteRole(record["silhouette_role"]),
        prompts=tuple(prompt.strip() for prompt in record["sam3_prompts"].split(";")),
        n_masks=int(record["published_masks"]),
        mask_coverage_percent=float(record["published_mask_coverage_percent"]),
    )
