"""What a dataset consists of and what its import noticed."""

import streamlit as st

from cfr_core.datasets.facts import NO_MASK, DatasetFacts, duplicates, findings_table
from cfr_core.datasets.published import published_card
from cfr_core.datasets.records import DatasetCard, ImportReport, Severity
from cfr_core.types import MaskStatus
from components import cached
from components.downloads import csv_button, plot
from components.errors import plain
from components.figures_dataset import photos_per_identity
from components.roles import ROLE_MEANINGS

_ROLE_SOURCES = {
    "given": "decided at the import",
    "published table": "by the published table",
    "default": "by default, since no table names the dataset",
}
_MASK_WORDS = {
    MaskStatus.ACCEPTED.value: "accepted",
    MaskStatus.PROPOSED.value: "wait for review",
    MaskStatus.REJECTED.value: "rejected",
    NO_MASK: "without a mask",
}


def show_report(name: str) -> None:
    """Draw the report of a dataset."""
    facts, report, card = cached.facts(name), cached.report(name), cached.card(name)
    _numbers(facts)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader("Photos of each individual")
        plot(
            photos_per_identity(facts.rows_per_identity),
            f"{name} photos per individual",
            key=f"photos per individual of {name}",
            alt=f"Bars: how many of {facts.n_identities} individuals have how many photos",
        )
    with right:
        _masks(facts)
        _about(card)
    _files(report)
    _findings(name, report)


def _numbers(facts: DatasetFacts) -> None:
    numbers = {
        "Rows": (facts.n_rows, "One row is one animal in one photo."),
        "Image files": (facts.n_images, "Different files; one may show several animals."),
        "Individuals": (facts.n_identities, f"{facts.n_single:,} of them in one row only."),
        "Unknown": (facts.n_unknown, "Rows whose individual nobody knows; they are in no audit."),
        "In audits": (facts.n_audited, "Rows of known identity with an accepted mask."),
    }
    columns = st.columns(len(numbers))
    for column, (label, (number, words)) in zip(columns, numbers.items(), strict=True):
        column.metric(label, f"{number:,}", help=words)
    st.caption(" · ".join((_dates(facts), *_groups(facts))))


def _dates(facts: DatasetFacts) -> str:
    if not facts.n_dated:
        return "No dates"
    span = f"{facts.first_date:%Y-%m-%d} to {facts.last_date:%Y-%m-%d}"
    n_without = facts.n_rows - facts.n_dated
    return f"Dates {span}" + (f", {n_without:,} rows without a date" if n_without else "")


def _groups(facts: DatasetFacts) -> tuple[str, str]:
    counts = ((facts.n_encounters, "encounters"), (facts.n_cameras, "cameras"))
    encounters, cameras = (f"{n:,} {what}" if n else f"no {what} named" for n, what in counts)
    return encounters, cameras


def _masks(facts: DatasetFacts) -> None:
    st.subheader("Masks")
    n_accepted = facts.masks[MaskStatus.ACCEPTED.value]
    share = n_accepted / facts.n_rows if facts.n_rows else 0.0
    st.progress(share, f"{n_accepted:,} of {facts.n_rows:,} rows have an accepted mask")
    rest = [
        f"{facts.masks[state]:,} {words}"
        for state, words in _MASK_WORDS.items()
        if state != MaskStatus.ACCEPTED.value and facts.masks[state]
    ]
    if rest:
        st.caption(" · ".join(rest))
    if facts.n_audited < 2:
        st.warning("An audit needs rows of known identity with an accepted mask.")


def _about(card: DatasetCard) -> None:
    st.subheader("Role of the outline")
    meaning = ROLE_MEANINGS[card.silhouette_role]
    st.markdown(f"**{meaning.title}** ({_ROLE_SOURCES[card.role_source]}). {meaning.words}")
    published = published_card(card.name)
    if published and published.role is not card.silhouette_role:
        st.warning(f"The published table says: {ROLE_MEANINGS[published.role].title.lower()}.")
    known = {
        "Biometric": card.biometric,
        "Species": card.species,
        "Names for unknown": ", ".join(card.unknown_identities),
        "Folder": card.root,
    }
    for label, text in known.items():
        if text:
            st.caption(plain(f"{label}: {text}"))


def _files(report: ImportReport) -> None:
    st.subheader("Files")
    set_aside = report.counts(Severity.SET_ASIDE)
    if set_aside:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in set_aside.items())
        words = f"{report.n_set_aside:,} of {report.n_read:,} rows are not in the dataset: "
        st.warning(plain(f"{words}{reasons}."))
    else:
        st.markdown(f"All {report.n_read:,} rows of the source could be used.")
    found = duplicates(report)
    if found:
        st.warning(f"{len(found):,} groups of duplicate files or rows; they are listed below.")
    else:
        st.markdown("No file and no row is there twice.")


def _findings(name: str, report: ImportReport) -> None:
    st.subheader("What the import noticed")
    table = findings_table(report)
    reasons = list(table["Reason"].unique())
    chosen = st.multiselect("Reasons", reasons, placeholder="All reasons", key=f"reasons of {name}")
    shown = table[table["Reason"].isin(chosen)] if chosen else table
    st.dataframe(
        shown,
        hide_index=True,
        placeholder="",
        height="auto" if len(shown) < 10 else 380,
        column_config={
            "Row": st.column_config.NumberColumn(width="small", help="Line of the source"),
            "Message": st.column_config.TextColumn(width="large"),
            "What to do": st.column_config.TextColumn(width="large"),
        },
    )
    csv_button(shown, f"{name} findings", key=f"findings of {name}")
