"""The printed profile where numbers are undefined."""

import math

from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.cli.show import profile_lines
from cfr_core.types import Region, SilhouetteRole, View

NAN = math.nan
UNDEFINED = "the full image retrieves no better than a random ranking"
SSI_NAMES = ("ssi", "ssi_context", "ssi_with_silhouette")
NAMES = ("random", *[view.value for view in View], "cfr", *SSI_NAMES)


def profile() -> EvidenceProfile:
    """One individual, retrieved at chance: no SSI, and no interval for anything."""
    rates = RatesAtK(
        random=0.5,
        retrieval=dict.fromkeys(View, 0.5),
        balanced=dict.fromkeys(View, 0.5),
        cfr=0.0,
        ssi=NAN,
        ssi_context=NAN,
        ssi_with_silhouette=NAN,
        region=Region.UNDEFINED,
        intervals=dict.fromkeys(NAMES, (NAN, NAN)),
        undefined=dict.fromkeys(SSI_NAMES, UNDEFINED),
    )
    return EvidenceProfile(
        run_id="run",
        dataset="lone",
        encoder={"name": "tiny", "licence": "MIT"},
        engine="torch",
        device="cpu",
        versions={},
        protocol={"words": "leave-one-out"},
        silhouette_role=SilhouetteRole.SHORTCUT,
        role_source="given",
        n_rows=4,
        n_benchmark_rows=3,
        n_queries=2,
        n_identities=1,
        left_out={"no accepted mask": 1},
        not_asked={},
        by_k={1: rates},
        mean_average_precision=dict.fromkeys(View, 0.5),
        suspicious=(),
        finished_at="2026-01-01T00:00:00+00:00",
        n_embedded=0,
        seconds={"embed": 0.0},
    )


def test_undefined_numbers_come_with_their_reason_and_never_as_zero() -> None:
    text = "\n".join(profile_lines(profile()))
    assert f"SSI                  undefined: {UNDEFINED}" in text
    assert "full image           0.5000  none (too few individuals)" in text
    assert "nan" not in text
    assert "1 rows: no accepted mask" in text


def test_undefined_numbers_are_null_in_json() -> None:
    rates = profile().to_json()["by_k"]["1"]
    assert rates["ssi"] is None
    assert rates["undefined"]["ssi"] == UNDEFINED
    assert rates["intervals"]["full"] == [None, None]
