"""An evidence profile as text: a table of rates, what they mean, and what to look at."""

import math
from collections.abc import Iterator, Mapping

from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.audit.words import REGION_WORDS, ROLE_WORDS, VIEW_WORDS
from cfr_core.types import View


def profile_lines(profile: EvidenceProfile) -> Iterator[str]:
    """The profile, a line at a time."""
    yield f"{profile.dataset}, encoder {profile.encoder['name']} ({profile.encoder['licence']})"
    yield f"  engine      {profile.engine} on {profile.device}, {_speed_words(profile)}"
    yield f"  protocol    {profile.protocol['words']}"
    yield (
        f"  silhouette  {profile.silhouette_role.value} ({profile.role_source}): "
        f"{ROLE_WORDS[profile.silhouette_role]}"
    )
    yield (
        f"  queries     {profile.n_queries:,} of {profile.n_identities:,} individuals; gallery "
        f"from {profile.n_benchmark_rows:,} of {profile.n_rows:,} rows"
    )
    yield from _left_out_lines("left out", profile.left_out)
    yield from _left_out_lines("not asked", profile.not_asked)
    for k, rates in profile.by_k.items():
        yield ""
        yield from _rate_lines(k, rates)
    yield ""
    yield from _average_lines(profile)
    yield ""
    yield from _suspicious_lines(profile)


def _speed_words(profile: EvidenceProfile) -> str:
    if not profile.n_embedded:
        return "all vectors were stored already"
    return f"{profile.images_per_s:.0f} images/s for {profile.n_embedded:,} new vectors"


def _left_out_lines(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    for reason, count in counts.items():
        yield f"  {title:<11} {count:,} rows: {reason}"


def _rate_lines(k: int, rates: RatesAtK) -> Iterator[str]:
    yield f"  At rank {k:<12}   rate  95 % interval   {REGION_WORDS[rates.region]}"
    for view, words in VIEW_WORDS.items():
        yield _number_line(words, rates.retrieval[view], rates, view.value)
    yield _number_line("random ranking", rates.random, rates, "random")
    yield _number_line("CFR", rates.cfr, rates, "cfr")
    yield _number_line("SSI", rates.ssi, rates, "ssi")
    yield _number_line("SSI, context only", rates.ssi_context, rates, "ssi_context")
    yield _number_line("SSI, with outline", rates.ssi_with_silhouette, rates, "ssi_with_silhouette")
    yield f"  {'region':<20} {rates.region.value}"


def _number_line(words: str, value: float, rates: RatesAtK, name: str) -> str:
    if name in rates.undefined:
        return f"  {words:<20} undefined: {rates.undefined[name]}"
    low, high = rates.intervals[name]
    interval = "none (too few individuals)" if math.isnan(low) else f"{low:.4f} to {high:.4f}"
    return f"  {words:<20} {value:6.4f}  {interval}"


def _average_lines(profile: EvidenceProfile) -> Iterator[str]:
    values = profile.mean_average_precision
    yield "  mAP                  " + ", ".join(f"{view.value} {values[view]:.4f}" for view in View)
    k = min(profile.by_k)
    balanced = profile.by_k[k].balanced
    yield (
        f"  Balanced R@{k:<9} "
        + " "
        + ", ".join(f"{view.value} {balanced[view]:.4f}" for view in View)
    )


def _suspicious_lines(profile: EvidenceProfile) -> Iterator[str]:
    if not profile.suspicious:
        yield "  No match is right without the animal and wrong by it."
        return
    yield "  Most suspicious matches: right in the full image and without the animal, wrong by it"
    for match in profile.suspicious:
        yield (
            f"    {match.query_file}  matched without the animal to  {match.match_file}  "
            f"({match.identity}; similarity {match.shortcut_similarity:.3f}, by the animal alone "
            f"first right at rank {match.foreground_rank})"
        )
