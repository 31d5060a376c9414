"""The evidence profile: what an audit found, with everything needed to read and repeat it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypedDict

from cfr_core.types import RGB, EncoderSpec, Region, SilhouetteRole, View

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class RatesAtK:
    """Rates at one k, all fractions; NaN where undefined, with the reason in `undefined`.

    Attributes:
        random: Rate of a random ranking (CFR Eq. 8).
        retrieval: R@k in each view.
        balanced: R@k in each view, averaged over identities.
        cfr: Counterfactual foreground retrieval.
        ssi: Headline shortcut sufficiency, by the dataset's silhouette role.
        ssi_context: Shortcut view alone.
        ssi_with_silhouette: The larger of shortcut view and silhouette.
        region: Quarter of the CFR-SSI plane.
        intervals: 95 % interval (low, high) of each number by its name; bootstrap over
            identities, the same resamples throughout.
        undefined: Reason by the name of each undefined number.
    """

    random: float
    retrieval: Mapping[View, float]
    balanced: Mapping[View, float]
    cfr: float
    ssi: float
    ssi_context: float
    ssi_with_silhouette: float
    region: Region
    intervals: Mapping[str, tuple[float, float]]
    undefined: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Plain values; undefined numbers are null."""
        return {
            "random": _number(self.random),
            **{view.value: _number(self.retrieval[view]) for view in View},
            "cfr": _number(self.cfr),
            "ssi": _number(self.ssi),
            "ssi_context": _number(self.ssi_context),
            "ssi_with_silhouette": _number(self.ssi_with_silhouette),
            "region": self.region.value,
            "balanced": {view.value: _number(self.balanced[view]) for view in View},
            "intervals": {
                name: [_number(low), _number(high)] for name, (low, high) in self.intervals.items()
            },
            "undefined": dict(self.undefined),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """What `to_json` has written."""
        numbers = ("random", "cfr", "ssi", "ssi_context", "ssi_with_silhouette")
        return cls(
            **{name: _float(value[name]) for name in numbers},
            retrieval={view: _float(value[view.value]) for view in View},
            balanced={view: _float(value["balanced"][view.value]) for view in View},
            region=Region(value["region"]),
            intervals={
                name: (_float(low), _float(high))
                for name, (low, high) in value["intervals"].items()
            },
            undefined=value["undefined"],
        )


@dataclass(frozen=True)
class SuspiciousMatch:
    """A query that is matched right with its surroundings and without the animal, but not by it.

    Attributes:
        query_row_id: The query.
        query_file: Its file, as the source names it.
        match_file: Nearest neighbour in the shortcut view: the right individual, not seen.
        match_row_id: Row of that neighbour.
        identity: Identity of both.
        shortcut_similarity: Cosine similarity in the shortcut view.
        foreground_rank: Rank of the first right match in the foreground view.
    """

    query_row_id: int
    query_file: str
    match_row_id: int
    match_file: str
    identity: str
    shortcut_similarity: float
    foreground_rank: int

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**vars(self), "shortcut_similarity": _number(self.shortcut_similarity)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """What `to_json` has written."""
        return cls(**{**value, "shortcut_similarity": _float(value["shortcut_similarity"])})


class Colours(TypedDict):
    """Colours of the views, as arguments of what draws them.

    Attributes:
        fill_rgb: Colour in place of what the view removes.
        silhouette_rgb: Colour of the animal in the silhouette view.
    """

    fill_rgb: RGB
    silhouette_rgb: RGB


@dataclass(frozen=True)
class EvidenceProfile:
    """Result of one audit.

    Attributes:
        run_id: Folder of the run in the workspace.
        dataset: Name of the dataset.
        encoder: Encoder by name and with all that makes its vectors.
        engine: What ran the encoder.
        device: Where it ran, named.
        versions: Versions of the libraries that decide the numbers.
        protocol: Galleries, colours, resamples: what was asked.
        silhouette_role: Role of the outline; `role_source` says who decided.
        role_source: "given", "published table" or "default".
        n_rows: All rows of the dataset.
        n_benchmark_rows: Rows in the four views.
        n_queries: Benchmark rows with another photo of the individual in their gallery.
        n_identities: Individuals among the queries.
        left_out: Rows in no view, by reason.
        not_asked: Benchmark rows that are no query, by reason.
        by_k: Rates at each k.
        mean_average_precision: mAP in each view.
        suspicious: The most suspicious matches at rank 1.
        finished_at: ISO 8601, UTC.
        n_embedded: Vectors that were not stored before.
        seconds: Duration of each stage.
    """

    run_id: str
    dataset: str
    encoder: Mapping[str, Any]
    engine: str
    device: str
    versions: Mapping[str, str]
    protocol: Mapping[str, Any]
    silhouette_role: SilhouetteRole
    role_source: str
    n_rows: int
    n_benchmark_rows: int
    n_queries: int
    n_identities: int
    left_out: Mapping[str, int]
    not_asked: Mapping[str, int]
    by_k: Mapping[int, RatesAtK]
    mean_average_precision: Mapping[View, float]
    suspicious: tuple[SuspiciousMatch, ...]
    finished_at: str
    n_embedded: int
    seconds: Mapping[str, float]

    @property
    def encoder_spec(self) -> EncoderSpec:
        """The encoder as the store of its vectors is named by it."""
        known = {name: self.encoder[name] for name in EncoderSpec.__dataclass_fields__}
        # JSON knows no tuples.
        return EncoderSpec(**known | {name: tuple(known[name]) for name in ("mean", "std")})

    @property
    def colours(self) -> Colours:
        """Colours of the views that its encoder saw."""
        return Colours(
            fill_rgb=tuple(self.protocol["fill_rgb"]),
            silhouette_rgb=tuple(self.protocol["silhouette_rgb"]),
        )

    @property
    def images_per_s(self) -> float:
        """Speed of decoding, drawing and embedding; NaN if all vectors were stored."""
        return self.n_embedded / self.seconds["embed"] if self.n_embedded else math.nan

    def to_json(self) -> dict[str, Any]:
        """Plain values; two runs of one question differ in `finished_at` and `timing` only."""
        return {
            "schema": SCHEMA_VERSION,
            "run_id": self.run_id,
            "dataset": self.dataset,
            "encoder": self.encoder["name"],
            "encoder_spec": {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in self.encoder.items()
            },
            "engine": self.engine,
            "device": self.device,
            "versions": dict(self.versions),
            "protocol": dict(self.protocol),
            "silhouette_role": self.silhouette_role.value,
            "role_source": self.role_source,
            "n_rows": self.n_rows,
            "n_benchmark_rows": self.n_benchmark_rows,
            "n_queries": self.n_queries,
            "n_identities": self.n_identities,
            "left_out": dict(self.left_out),
            "not_asked": dict(self.not_asked),
            "by_k": {str(k): rates.to_json() for k, rates in self.by_k.items()},
            "mean_average_precision": {
                view.value: _number(value) for view, value in self.mean_average_precision.items()
            },
            "suspicious": [match.to_json() for match in self.suspicious],
            "finished_at": self.finished_at,
            "timing": {
                "n_embedded": self.n_embedded,
                "images_per_s": _number(self.images_per_s),
                "seconds": {stage: round(value, 3) for stage, value in self.seconds.items()},
            },
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """What `to_json` has written."""
        plain = (
            *("run_id", "dataset", "engine", "device", "versions", "protocol", "role_source"),
            *("n_rows", "n_benchmark_rows", "n_queries", "n_identities", "left_out", "not_asked"),
            "finished_at",
        )
        return cls(
            **{name: value[name] for name in plain},
            encoder=value["encoder_spec"],
            silhouette_role=SilhouetteRole(value["silhouette_role"]),
            by_k={int(k): RatesAtK.from_json(rates) for k, rates in value["by_k"].items()},
            mean_average_precision={
                view: _float(value["mean_average_precision"][view.value]) for view in View
            },
            suspicious=tuple(map(SuspiciousMatch.from_json, value["suspicious"])),
            n_embedded=value["timing"]["n_embedded"],
            seconds=value["timing"]["seconds"],
        )


def _number(value: float) -> float | None:
    """Eight decimals: beyond the noise of float32 there is nothing to keep."""
    return None if math.isnan(value) else round(float(value), 8)


def _float(value: float | None) -> float:
    return math.nan if value is None else float(value)
