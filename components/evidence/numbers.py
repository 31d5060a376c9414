"""What the chosen runs found: in words, as bars, and number by number."""

import io

import streamlit as st

from cfr_core.audit.bundle import write_bundle
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.words import REGION_WORDS, ROLE_WORDS, evidence_sentences
from components import cached
from components.downloads import csv_button, plot
from components.errors import plain
from components.evidence.choices import Shown
from components.evidence.tables import SHARE, numbers_table
from components.figures_rates import retrieval_bars

_CAUTION = (
    "Read CFR and SSI together: a high SSI says that the surroundings are enough, not that the "
    "model used them."
)


def numbers(shown: Shown) -> None:
    """Draw the run that is walked into, and the others beside it."""
    run, k = shown.run, shown.k
    st.subheader(plain(f"{run.dataset}, {run.encoder['name']}"))
    if k not in run.by_k:
        st.info(f"This run was not asked at k = {k}; choose another k.")
        return
    rates = run.by_k[k]
    st.markdown(f"**{rates.region.value.capitalize()}**: {REGION_WORDS[rates.region]}.")
    for sentence in evidence_sentences(run, k):
        st.markdown(plain(sentence))
    st.caption(_CAUTION)
    st.caption(plain(_how(run)))
    asked = [profile for profile in (run, *shown.also) if k in profile.by_k]
    plot(
        retrieval_bars(asked, k),
        f"retrieval at {k} {run.run_id}",
        key="bars",
        alt=f"Share of photos matched to the right individual among the {k} nearest, by view.",
    )
    with st.expander("All numbers with their 95 % intervals"):
        for profile in asked:
            _all_numbers(profile, k)


def download_run(run: EvidenceProfile) -> None:
    """Draw the button that saves a run as one zip."""
    st.download_button(
        "Download run (zip)",
        lambda: _zipped(run.run_id),
        file_name=f"{run.run_id}.zip",
        mime="application/zip",
        key="run, zip",
        on_click="ignore",
        icon=":material/folder_zip:",
        help="Profile as JSON, neighbours as parquet, queries as CSV.",
    )


def _all_numbers(profile: EvidenceProfile, k: int) -> None:
    table = numbers_table(profile, k)
    st.markdown(plain(f"{profile.dataset}, {profile.encoder['name']}"))
    st.dataframe(
        table,
        key=f"numbers of {profile.run_id}",
        hide_index=True,
        column_config=dict.fromkeys(("Value", "Low", "High"), SHARE),
        height="content",
        alt="Every number of the run with its 95 % interval",
    )
    csv_button(table, f"numbers at {k} {profile.run_id}", key=f"numbers of {profile.run_id}, CSV")


def _how(run: EvidenceProfile) -> str:
    left_out = sum(run.left_out.values())
    words = [
        f"{run.n_queries:,} queries of {run.n_identities:,} individuals, gallery of "
        f"{run.n_benchmark_rows:,} photos",
        *([f"{left_out:,} rows left out ({_reasons(run)})"] if left_out else []),
        run.protocol["words"],
        ROLE_WORDS[run.silhouette_role],
    ]
    return "; ".join(words) + "."


def _reasons(run: EvidenceProfile) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in run.left_out.items())


def _zipped(run_id: str) -> bytes:
    stream = io.BytesIO()
    write_bundle(cached.run_folder(run_id), stream)
    return stream.getvalue()
