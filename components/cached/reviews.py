"""Masks to review: their states and defects, and the runs that they have left behind."""

import streamlit as st

from cfr_core.audit.staleness import Staleness
from cfr_core.audit.staleness import stale_runs as stale_runs_of
from cfr_core.masks.defects import DEFECT_LABELS, Defect
from cfr_core.types import MaskStatus
from cfr_core.workspace.blind_audit import BlindResult
from cfr_core.workspace.review_queue import ReviewQueue
from components.cached.moment import Moment, at, now
from components.cached.stored_datasets import rows
from components.gallery import GalleryRows, TileState

_FEW = 16
"""So many masks are looked through before the page is drawn: nobody notices."""


def check_few(dataset: str) -> None:
    """Look through the masks that have just changed, so that the queue knows them."""
    if n_unchecked(dataset) <= _FEW:
        _check(now(), dataset)


def review_queue(dataset: str) -> ReviewQueue:
    """The rows of a dataset with the states and defects of their masks."""
    return _review_queue(now(), dataset)


def review_rows(dataset: str) -> GalleryRows:
    """Every row of a dataset for a gallery, with the state of its mask and what is flagged."""
    return _review_rows(now(), dataset)


def n_unchecked(dataset: str) -> int:
    """Masks of a dataset that have not been looked through for defects."""
    return _n_unchecked(now(), dataset)


def stale_runs(dataset: str) -> tuple[Staleness, ...]:
    """Runs of a dataset that are of other masks than those of now, the latest first."""
    return _stale_runs(now(), dataset)


def blind_result(audit_id: str) -> BlindResult:
    """What a blind audit has found so far.

    Raises:
        InputError: if there is none of this name.
    """
    return _blind_result(now(), audit_id)


@st.cache_resource(max_entries=4, show_spinner="Reading the masks")
def _review_queue(moment: Moment, dataset: str) -> ReviewQueue:
    return at(moment).review_queue(dataset)


@st.cache_resource(max_entries=4, show_spinner="Reading the masks")
def _review_rows(moment: Moment, dataset: str) -> GalleryRows:
    queue, table = _review_queue(moment, dataset), rows(dataset)
    details = queue.rows["state"].astype("object").copy()
    scored = queue.rows["score"].notna()
    details[scored] += queue.rows["score"][scored].map(" · score {:.2f}".format)
    for defect in Defect:
        flagged = queue.flags[defect]
        details[flagged] += f" · {DEFECT_LABELS[defect].lower()}"
    accepted = queue.rows["state"] == MaskStatus.ACCEPTED.value
    return GalleryRows(
        row_ids=queue.rows["row_id"].to_numpy(),
        captions=table["identity"].where(table["is_known"], "unknown identity").tolist(),
        details=details.tolist(),
        states=[TileState.PLAIN if ok else TileState.ATTENTION for ok in accepted],
        versions=queue.rows["version"].to_numpy(),
    )


# A decision changes no mask, but what is trusted of the animals beside it on the photo.
@st.cache_resource(max_entries=8, show_spinner=False)
def _check(moment: Moment, dataset: str) -> None:
    at(moment).mask_checks.update(dataset)


@st.cache_resource(max_entries=8, show_spinner=False)
def _n_unchecked(moment: Moment, dataset: str) -> int:
    return at(moment).mask_checks.n_missing(dataset)


@st.cache_resource(max_entries=32, show_spinner="Comparing the masks")
def _blind_result(moment: Moment, audit_id: str) -> BlindResult:
    return at(moment).blind_audits.result(audit_id)


@st.cache_resource(max_entries=8, show_spinner="Comparing the masks with those of the audits")
def _stale_runs(moment: Moment, dataset: str) -> tuple[Staleness, ...]:
    return stale_runs_of(at(moment), dataset)
