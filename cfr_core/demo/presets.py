"""Recipes of the demo datasets, and the presets that ship with the product."""

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from cfr_core.demo.species import SPECIES
from cfr_core.errors import InputError
from cfr_core.shipped import shipped_file
from cfr_core.types import Region, SilhouetteRole


@dataclass(frozen=True)
class DemoSpec:
    """Recipe of a synthetic dataset.

    `coat`, `scene` and `outline` say how much of each is explained by the individual: the
    intraclass correlation of everything that makes it up. At 1 an individual always has the same,
    at 0 every photo has another one that has nothing to do with who is in it.

    Attributes:
        name: Key of the preset; letters, digits, "-" and "_".
        title: One line for people.
        description: What an audit should find, and why.
        species: Key of `SPECIES`.
        coat: Share of identity in the coat, 0 to 1.
        scene: Share of identity in the place and its light, 0 to 1.
        outline: Share of identity in the shape of the body, 0 to 1.
        silhouette_role: Whether the outline counts as biometric.
        region: Where the audit lands with the default encoder, at k = 1.
        n_identities: Individuals, at least 2.
        n_photos: Photos of each, at least 2.
        n_encounters: Encounters of each, at most `n_photos`.
        size_hw: (height, width) of a photo in pixels, each from 64 to 2048.
        seed: Seed of everything, from 0.
    """

    name: str
    title: str
    description: str
    species: str
    coat: float
    scene: float
    outline: float
    silhouette_role: SilhouetteRole
    region: Region
    n_identities: int = 24
    n_photos: int = 6
    n_encounters: int = 2
    size_hw: tuple[int, int] = (240, 320)
    seed: int = 0

    def __post_init__(self) -> None:
        for knob in ("coat", "scene", "outline"):
            if not 0.0 <= getattr(self, knob) <= 1.0:
                raise InputError(f"{knob} must be from 0 to 1, got {getattr(self, knob)}")
        if self.species not in SPECIES:
            raise InputError(f"species must be one of {sorted(SPECIES)}, got {self.species!r}")
        if self.n_identities < 2 or self.n_photos < 2:
            raise InputError("a dataset needs 2 identities and 2 photos of each, or more")
        if not 1 <= self.n_encounters <= self.n_photos:
            raise InputError(f"n_encounters must be from 1 to {self.n_photos}")
        if not all(64 <= side <= 2048 for side in self.size_hw):
            raise InputError(f"size_hw must be from 64 to 2048 pixels, got {self.size_hw}")
        if self.seed < 0:
            raise InputError(f"seed must not be negative, got {self.seed}")


def read_presets(path: Path) -> dict[str, DemoSpec]:
    """Read recipes by name from a JSON file.

    Raises:
        InputError: if a recipe has a field too many, too few, or out of range.
    """
    presets: dict[str, DemoSpec] = {}
    for name, fields in json.loads(path.read_text(encoding="utf-8")).items():
        try:
            role, region = (
                SilhouetteRole(fields.pop("silhouette_role")),
                Region(fields.pop("region")),
            )
            presets[name] = DemoSpec(name=name, silhouette_role=role, region=region, **fields)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: preset {name!r} is malformed: {error}") from error
    return presets


PRESETS: Mapping[str, DemoSpec] = MappingProxyType(read_presets(shipped_file("demo_presets.json")))
"""One recipe for each region of the CFR-SSI plane, and one for the role of the silhouette."""


def preset(name: str) -> DemoSpec:
    """The recipe of this name.

    Raises:
        InputError: if there is none; the message offers the nearest.
    """
    if name not in PRESETS:
        near = difflib.get_close_matches(name, PRESETS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(f"no demo preset {name!r}: choose one of {', '.join(PRESETS)}{hint}")
    return PRESETS[name]
