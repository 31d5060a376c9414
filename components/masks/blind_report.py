"""What a blind audit has found: how well the masks agree, and where they agree least."""

import math

import pandas as pd
import streamlit as st

from cfr_core.metrics.agreement import Agreement
from cfr_core.workspace.blind_audit import BlindAudit, BlindResult, agreement_table
from components import cached
from components.downloads import csv_button
from components.errors import plain
from server.blind_outlines import blind_outlines_url
from server.workspace import workspace

_WORST = 9
_COLUMNS = 3


def blind_report(audit: BlindAudit) -> None:
    """Draw the report; while photos are still to be drawn, only for those who ask for it.

    Args:
        audit: The audit.
    """
    if not audit.n_done:
        return
    if audit.n_done < audit.n_rows:
        shows = st.toggle(
            "Show the result so far",
            key=f"result of {audit.audit_id}",
            help="Who still draws should not look: it would no longer be blind.",
        )
        if not shows:
            return
    result = cached.blind_result(audit.audit_id)
    st.subheader("Agreement")
    _numbers(result.agreement)
    _how(result)
    _worst(result)
    _tables(result)


def _numbers(found: Agreement) -> None:
    numbers = {
        "Median IoU": (found.median_iou, found.median_interval),
        "Mean IoU": (found.mean_iou, found.mean_interval),
        "Share with IoU above 90 %": (found.share_good, found.share_interval),
    }
    for column, (label, (value, interval)) in zip(st.columns(3), numbers.items(), strict=True):
        column.metric(label, _percent(value))
        column.caption(_interval(interval))


def _how(result: BlindResult) -> None:
    n, audit = result.agreement.n, result.audit
    left_out = (
        f" {result.n_undefined:,} more have no overlap to measure, since both masks are empty."
        if result.n_undefined
        else ""
    )
    st.caption(
        f"{n:,} photos, drawn at random (seed {audit.seed}) from {audit.n_eligible:,} with a mask "
        f"that is not rejected. IoU is what both masks share, divided by what either covers: "
        f"100 % is the same mask.{left_out}"
    )


def _worst(result: BlindResult) -> None:
    st.subheader("Where they agree least")
    st.caption("Whole blue line: the mask of the dataset. Dashed orange line: what was drawn.")
    files = cached.rows(result.audit.dataset).set_index("row_id")["path"]
    worst = list(result.pairs.items())[:_WORST]
    for first in range(0, len(worst), _COLUMNS):
        for column, (row_id, pair) in zip(
            st.columns(_COLUMNS), worst[first : first + _COLUMNS], strict=False
        ):
            alt = f"Both masks of row {row_id}"
            column.markdown(f"![{alt}]({blind_outlines_url(result.audit.audit_id, row_id)})")
            column.caption(
                f"IoU {_percent(pair.iou)} · {plain(str(files.get(row_id, row_id)))} · "
                f"version {pair.version} by {plain(pair.audited.author or pair.audited.source)}"
            )


def _tables(result: BlindResult) -> None:
    dataset = result.audit.dataset
    lines = pd.DataFrame(
        {
            "row_id": row_id,
            "iou": pair.iou,
            "audited_version": pair.version,
            "audited_source": pair.audited.source,
            "drawn_by": pair.blind.author,
        }
        for row_id, pair in result.pairs.items()
    )
    audits = workspace().blind_audits.of_dataset(dataset)
    finished = [cached.blind_result(each.audit_id) for each in audits if each.n_done]
    with st.container(horizontal=True):
        csv_button(lines, f"{dataset} blind audit rows", key="blind rows", label="Photos (CSV)")
        csv_button(
            agreement_table(finished),
            f"{dataset} blind audits",
            key="blind table",
            label="All audits of this dataset (CSV)",
        )


def _percent(share: float) -> str:
    return "undefined" if math.isnan(share) else f"{100 * share:.1f} %"


def _interval(interval: tuple[float, float]) -> str:
    low, high = interval
    if math.isnan(low):
        return "No 95 % interval: too few photos"
    return f"95 % interval {100 * low:.1f} to {100 * high:.1f} %"
