"""Sentences about CFR and SSI, number for number."""

from dataclasses import replace

import pytest

from cfr_core.audit.profile import EvidenceProfile, RatesAtK
from cfr_core.audit.words import evidence_sentences, interval_words, percent
from cfr_core.types import SilhouetteRole
from tests.made_profile import NAN, made_rates


def rates(full: float, foreground: float, shortcut: float, silhouette: float) -> RatesAtK:
    """Rates over a random ranking of 0, every interval from 0.1 to 0.9."""
    made = made_rates(full, foreground, shortcut, silhouette)
    return replace(made, intervals=dict.fromkeys(made.intervals, (0.1, 0.9)))


def sentences(
    profile: EvidenceProfile, at_1: RatesAtK, role: SilhouetteRole = SilhouetteRole.SHORTCUT
) -> tuple[str, ...]:
    return evidence_sentences(replace(profile, silhouette_role=role, by_k={1: at_1}), 1)


def test_the_surroundings(profile: EvidenceProfile) -> None:
    assert sentences(profile, rates(0.5, 0.3, 0.39, 0.1)) == (
        "78 % (95 % interval 10 to 90 %) of what the full image retrieves beyond chance is "
        "retrieved without the animal (SSI).",
        "Of the matches that chance leaves open, the animal alone finds 30 % (95 % interval 10 to "
        "90 %) (CFR).",
    )


def test_the_outline_where_it_is_no_biometric(profile: EvidenceProfile) -> None:
    outline = rates(0.5, 0.3, 0.1, 0.4)
    assert "from the outline of the animal alone" in sentences(profile, outline)[0]
    identity = sentences(profile, outline, SilhouetteRole.IDENTITY)
    assert "retrieved without the animal" in identity[0]


def test_both_readings_where_the_role_is_not_decided(profile: EvidenceProfile) -> None:
    said = sentences(profile, rates(0.5, 0.3, 0.1, 0.4), SilhouetteRole.AMBIGUOUS)
    assert said[2] == (
        "Whether the outline counts as biometric is not decided here; if it does, SSI is 20 % "
        "(95 % interval 10 to 90 %)."
    )


def test_the_smaller_of_two_is_named(profile: EvidenceProfile) -> None:
    said = sentences(profile, rates(0.5, 0.7, 0.1, 0.1))[1]
    assert "the full image finds 50 %" in said
    assert "the animal alone finds more, 70 %" in said


def test_undefined_numbers_have_their_reason(profile: EvidenceProfile) -> None:
    reasons = {"ssi": "nothing to share", "ssi_context": "nothing to share", "cfr": "no queries"}
    undefined = replace(rates(0.0, 0.0, 0.0, 0.0), undefined=reasons)
    assert sentences(profile, undefined, SilhouetteRole.AMBIGUOUS) == (
        "SSI is undefined: nothing to share.",
        "CFR is undefined: no queries.",
    )


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.0, "0 %"),
        (0.0004, "0.0 %"),
        (0.004, "0.4 %"),
        (0.00985, "1 %"),
        (0.785, "78 %"),
        (0.996, "99.6 %"),
        (1.0, "100 %"),
        (NAN, "undefined"),
    ],
)
def test_percent(fraction: float, text: str) -> None:
    assert percent(fraction) == text


def test_no_interval_is_told() -> None:
    assert interval_words((NAN, NAN)) == "no 95 % interval: too many resamples leave it undefined"
