"""What an audit is asked to do; everything that decides its result."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from cfr_core.errors import InputError
from cfr_core.types import BLACK_RGB, IMAGENET_MEAN_RGB, RGB, View, ViewSpec

DEFAULT_KS: tuple[int, ...] = (1, 5, 10)


@dataclass(frozen=True)
class AuditSpec:
    """An audit of one dataset by one encoder.

    Attributes:
        dataset: Name in the workspace.
        encoder: Name in the registry of encoders.
        ks: Ranks at which rates are reported, ascending.
        exclude: Columns; gallery rows that share a known value with the query are left out of
            its gallery. "file" compares the image files, "date" calendar days, any other name a
            column of the dataset.
        split: (query label, gallery label) of the `split` column; None for leave-one-out.
        where: (column, value) pairs; a row is in the audit if, for each column named, its text is
            one of the values given for it.
        fill_rgb: Colour in place of what a view removes.
        silhouette_rgb: Colour of the animal in the silhouette view.
        n_resamples: Bootstrap resamples of identities.
        seed: Seed of the bootstrap.
    """

    dataset: str
    encoder: str
    ks: tuple[int, ...] = DEFAULT_KS
    exclude: tuple[str, ...] = ()
    split: tuple[str, str] | None = None
    where: tuple[tuple[str, str], ...] = ()
    fill_rgb: RGB = IMAGENET_MEAN_RGB
    silhouette_rgb: RGB = BLACK_RGB
    n_resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.ks or min(self.ks) < 1:
            raise InputError(f"k must be 1 or more, got {list(self.ks)}")
        if self.n_resamples < 100:
            raise InputError(
                f"intervals need 100 resamples or more, got {self.n_resamples}; 1000 is usual"
            )
        object.__setattr__(self, "ks", tuple(sorted(set(self.ks))))
        object.__setattr__(self, "exclude", tuple(dict.fromkeys(self.exclude)))

    @property
    def views(self) -> tuple[ViewSpec, ...]:
        """The four views in their colours, full image first."""
        return tuple(ViewSpec(view, self.fill_rgb, self.silhouette_rgb) for view in View)

    def to_json(self) -> dict[str, Any]:
        """Plain values, as `from_json` reads them."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "AuditSpec":
        """The spec of a job folder."""
        lists = ("ks", "exclude", "fill_rgb", "silhouette_rgb", "split")
        tuples = {name: tuple(value[name]) for name in lists if value[name] is not None}
        where = tuple((column, wanted) for column, wanted in value["where"])
        return cls(**value | tuples | {"where": where})
