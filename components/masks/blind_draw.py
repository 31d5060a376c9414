"""Blind audits of a dataset: one is chosen or drawn, and its photos are drawn unseen."""

import numpy as np
import streamlit as st

from cfr_core.errors import InputError
from cfr_core.workspace.blind_audit import BlindAudit
from cfr_core.workspace.review_queue import RowState
from components import cached, state
from components.errors import plain
from components.mask_editor import editor_event, mask_editor
from components.masks.rows import editor_rows
from components.masks.setup import Setup
from components.state import Parameter
from server.workspace import workspace

_USUAL_N = 30
_MAX_SEED = 2**31 - 1
_N_AHEAD = 3
_AUDIT = Parameter[str | None]("audit", None, str, stays=False)


def ask_audit(setup: Setup) -> BlindAudit | None:
    """Draw the choice among the audits of a dataset, and the way to a new one."""
    audits = {each.audit_id: each for each in workspace().blind_audits.of_dataset(setup.dataset)}
    notes = state.notes(__name__)
    if notes.get("dataset") not in (None, setup.dataset):
        state.put(_AUDIT, None)
    notes["dataset"] = setup.dataset
    chosen = None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if audits:
            chosen = st.selectbox(
                "Audit",
                list(audits),
                format_func=lambda audit_id: _words(audits[audit_id]),
                width=420,
                **state.bound(_AUDIT, among=tuple(audits)),
            )
        with st.popover("Draw photos for a new audit", icon=":material/casino:"):
            _ask_draw(setup)
    return audits[chosen] if chosen else None


def draw_blind(setup: Setup, audit: BlindAudit) -> None:
    """Draw the editor on the photos that nobody has drawn yet.

    Args:
        setup: What a person works with.
        audit: The audit.
    """
    # An editor of its own for each audit, since what is drawn is stored with that one.
    key = f"blind editor {audit.audit_id}"
    to_do = workspace().blind_audits.to_do(audit.audit_id)
    st.progress(
        audit.n_done / audit.n_rows, f"**{audit.n_done:,} of {audit.n_rows:,} photos drawn**"
    )
    row_id = _row_to_draw(key, to_do, workspace().blind_audits.row_ids(audit.audit_id))
    if row_id is None:
        return
    others = [other for other in to_do if other != row_id]
    table = cached.rows(setup.dataset)
    places = np.searchsorted(table["row_id"].to_numpy(), [row_id, *others[:_N_AHEAD]]).tolist()
    shown, *ahead = editor_rows(table, places)
    st.caption(
        "Draw the whole animal as you see it, then accept it (A). If there is none, accept the "
        "empty mask: it counts as no overlap. What the dataset has is not shown."
    )
    mask_editor(
        shown,
        key=key,
        engine=setup.engine,
        author=setup.author,
        ahead=ahead,
        blind_audit=audit.audit_id,
        fill_rgb=setup.fill_rgb,
        silhouette_rgb=setup.silhouette_rgb,
    )


def _row_to_draw(key: str, to_do: list[int], rows: list[int]) -> int | None:
    """The photo that the editor has gone to, or else the first that nobody has drawn."""
    event, notes = editor_event(key), state.notes(key)
    if event is not None and event.kind != "saved":
        notes["row"] = event.to
    row_id: int | None = notes.get("row")
    # What was just saved stays until the person goes on.
    if row_id in to_do or (event is not None and event.kind == "saved" and row_id in rows):
        return row_id
    notes["row"] = to_do[0] if to_do else None
    return to_do[0] if to_do else None


def _words(audit: BlindAudit) -> str:
    of = f" of {audit.source}" if audit.source else ""
    when = audit.created_at.replace("T", " ")[:16]
    return f"{when}, {audit.n_rows:,} masks{of}"


def _ask_draw(setup: Setup) -> None:
    progress = cached.review_queue(setup.dataset).progress
    n_most = progress.n_by_state[RowState.PROPOSED] + progress.n_by_state[RowState.ACCEPTED]
    if not n_most:
        st.caption("No photo of this dataset has a mask that could be audited.")
        state.page_link("masks.py", "Make masks", {})
        return
    n_rows = st.number_input("Photos", 1, n_most, min(_USUAL_N, n_most), key="blind n")
    source = st.selectbox(
        "Masks made by",
        ["", *progress.n_by_source],
        format_func=lambda name: name or "Anything",
        key="blind source",
    )
    seed = st.number_input(
        "Seed",
        0,
        _MAX_SEED,
        0,
        key="blind seed",
        help="The same seed draws the same photos, so that a second person can repeat the audit.",
    )
    if st.button("Draw them", key="draw blind audit", type="primary"):
        _draw(setup, int(n_rows), int(seed), source)


def _draw(setup: Setup, n_rows: int, seed: int, source: str) -> None:
    try:
        audit = workspace().blind_audits.draw(
            setup.dataset, n_rows, seed=seed, author=setup.author, source=source
        )
    except InputError as error:
        st.error(plain(str(error)))
        return
    state.put(_AUDIT, audit.audit_id)
    st.rerun()
