"""Profiles with chosen numbers, for what only reads them."""

from collections.abc import Sequence

from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.metrics.evidence import region
from cfr_core.types import SilhouetteRole, View

NAN = float("nan")
_NUMBERS = ("random", *View, "cfr", "ssi", "ssi_context", "ssi_with_silhouette")


def made_rates(
    full: float, foreground: float, shortcut: float, silhouette: float, *, random: float = 0.0
) -> RatesAtK:
    """Rates with CFR and SSI for a random rate of 0, and intervals of 0.05 to both sides."""
    by_view = dict(zip(View, (full, foreground, shortcut, silhouette), strict=True))
    cfr = min(full, foreground)
    context, outline = (min(1.0, part / full) if full else NAN for part in (shortcut, silhouette))
    numbers = {
        "random": random,
        **by_view,
        "cfr": cfr,
        "ssi": max(context, outline),
        "ssi_context": context,
        "ssi_with_silhouette": max(context, outline),
    }
    undefined = {} if full else dict.fromkeys(_NUMBERS[-3:], "nothing is retrieved")
    return RatesAtK(
        retrieval=by_view,
        balanced=by_view,
        region=region(cfr, numbers["ssi"]),
        intervals={name: (numbers[name] - 0.05, numbers[name] + 0.05) for name in _NUMBERS},
        undefined=undefined,
        **{name: numbers[name] for name in _NUMBERS if name not in list(View)},
    )


def made_profile(
    dataset: str,
    encoder: str = "made",
    *,
    rates: Sequence[float] = (0.8, 0.6, 0.2, 0.1),
    role: SilhouetteRole = SilhouetteRole.SHORTCUT,
    finished_at: str = "2026-01-01T12:00:00+00:00",
) -> EvidenceProfile:
    """A run at k = 1 with these rates of full image, foreground, shortcut and silhouette."""
    return EvidenceProfile(
        run_id=f"{dataset}-{encoder}",
        dataset=dataset,
        encoder={"name": encoder},
        engine="made",
        device="no device",
        versions={},
        protocol={"words": "leave-one-out"},
        silhouette_role=role,
        role_source="given",
        n_rows=100,
        n_benchmark_rows=90,
        n_queries=80,
        n_identities=20,
        left_out={},
        not_asked={},
        by_k={1: made_rates(*rates)},
        mean_average_precision={},
        suspicious=(),
        finished_at=finished_at,
        n_embedded=0,
        seconds={},
    )
