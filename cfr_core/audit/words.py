"""What the numbers of an audit say, in sentences for people who know the animals."""

import math

from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.metrics.evidence import normalised
from cfr_core.types import Region, SilhouetteRole, View

VIEW_WORDS = {
    View.FULL: "full image",
    View.FOREGROUND: "foreground only",
    View.SHORTCUT: "shortcut only",
    View.SILHOUETTE: "silhouette only",
}

VIEW_CONTENTS = {
    View.FULL: "the photo as it is",
    View.FOREGROUND: "the animal alone",
    View.SHORTCUT: "its surroundings alone",
    View.SILHOUETTE: "its outline alone",
}

REGION_WORDS = {
    Region.WEAK: "little is retrieved, with or without the animal",
    Region.FOREGROUND_DRIVEN: "matches rest on the animal",
    Region.SHORTCUT_DRIVEN: "matches rest on what is around the animal",
    Region.LEAKAGE: "the animal is enough, and so is what is around it",
    Region.UNDEFINED: "CFR or SSI is undefined",
}

ROLE_WORDS = {
    SilhouetteRole.SHORTCUT: "the outline is no biometric: SSI takes the larger of shortcut view "
    "and silhouette",
    SilhouetteRole.IDENTITY: "the outline is part of the biometric: SSI takes the shortcut view "
    "alone",
    SilhouetteRole.AMBIGUOUS: "whether the outline is biometric is not decided: both readings are "
    "given, the headline takes the larger of shortcut view and silhouette",
}


def evidence_sentences(profile: EvidenceProfile, k: int) -> tuple[str, ...]:
    """What CFR and SSI of a run say at one k, a sentence each; undefined ones with the reason.

    Args:
        profile: The run.
        k: A rank that the run was asked for.
    """
    rates = profile.by_k[k]
    sentences = [_ssi_sentence(rates, profile.silhouette_role), _cfr_sentence(rates)]
    if profile.silhouette_role is SilhouetteRole.AMBIGUOUS and "ssi" not in rates.undefined:
        context = _with_interval(rates, "ssi_context", rates.ssi_context)
        sentences.append(
            f"Whether the outline counts as biometric is not decided here; if it does, SSI is "
            f"{context}."
        )
    return tuple(sentences)


def percent(fraction: float) -> str:
    """A fraction as whole percent, "78 %"; tenths where whole percent would say 0 or 100."""
    if math.isnan(fraction):
        return "undefined"
    hundredths = 100 * fraction
    edge = 0 < hundredths < 0.95 or 99.5 <= hundredths < 99.95
    return f"{hundredths:.1f} %" if edge else f"{hundredths:.0f} %"


def interval_words(interval: tuple[float, float]) -> str:
    """An interval in percent, "95 % interval 71 to 84 %"."""
    low, high = interval
    if math.isnan(low):
        return "no 95 % interval: too many resamples leave it undefined"
    return f"95 % interval {percent(low).removesuffix(' %')} to {percent(high)}"


def _with_interval(rates: RatesAtK, name: str, value: float) -> str:
    return f"{percent(value)} ({interval_words(rates.intervals[name])})"


def _ssi_sentence(rates: RatesAtK, role: SilhouetteRole) -> str:
    if "ssi" in rates.undefined:
        return f"SSI is undefined: {rates.undefined['ssi']}."
    by_outline = (
        role is not SilhouetteRole.IDENTITY
        and rates.retrieval[View.SILHOUETTE] > rates.retrieval[View.SHORTCUT]
    )
    source = "from the outline of the animal alone" if by_outline else "without the animal"
    value = _with_interval(rates, "ssi", rates.ssi)
    return f"{value} of what the full image retrieves beyond chance is retrieved {source} (SSI)."


def _cfr_sentence(rates: RatesAtK) -> str:
    if "cfr" in rates.undefined:
        return f"CFR is undefined: {rates.undefined['cfr']}."
    full, foreground = (
        float(normalised(rates.retrieval[view], rates.random))
        for view in (View.FULL, View.FOREGROUND)
    )
    source = "the animal alone" if foreground <= full else "the full image"
    value = _with_interval(rates, "cfr", rates.cfr)
    note = "" if foreground <= full else f"; the animal alone finds more, {percent(foreground)}"
    return f"Of the matches that chance leaves open, {source} finds {value}{note} (CFR)."
