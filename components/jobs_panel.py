"""Long work, on every page: what runs, how far it is, how it ended, and what can be done."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from cfr_core.errors import InputError
from cfr_core.jobs.records import Job, JobProgress, JobState
from components import state
from components.errors import explained, plain
from components.quantities import count_words, duration_words, rate_words
from server.workspace import jobs as job_queue

_FOLLOWS_S = 1.0
_LOOKS_S = 5.0
"""An idle page still looks, since another session may have started something."""
_ENDED_SHOWN = 4

_SIGNS = {
    JobState.FINISHED: ":green[:material/check_circle:]",
    JobState.FAILED: ":red[:material/error:]",
    JobState.STOPPED: ":red[:material/error:]",
    JobState.CANCELLED: ":gray[:material/cancel:]",
}
_STOPPED_WORDS = (
    "Stopped: its process ended without a word. It was killed, the memory was full, or the "
    "machine went off. What it had stored is kept."
)
_TOASTS = {
    JobState.FINISHED: "Finished",
    JobState.FAILED: "Failed",
    JobState.STOPPED: "Stopped",
    JobState.CANCELLED: "Cancelled",
}


def jobs_panel() -> None:
    """Draw the jobs in the sidebar; it follows them by itself while the page stays open."""
    jobs = job_queue().jobs()
    _tell(jobs)
    state.notes(__name__)["drawn"] = _ended(jobs)
    is_busy = any(job.state.is_active for job in jobs)
    with st.sidebar:
        st.fragment(_panel, run_every=_FOLLOWS_S if is_busy else _LOOKS_S)()


def _panel() -> None:
    with explained():
        _draw()


def _draw() -> None:
    jobs = job_queue().jobs()
    active = [job for job in jobs if job.state.is_active]
    notes = state.notes(__name__)
    if notes["drawn"] != _ended(jobs) or (active and not notes.get("active")):
        # Datasets and runs have changed, and the whole page shows them.
        notes["drawn"] = _ended(jobs)
        st.rerun()
    if not jobs:
        return
    st.subheader("Jobs")
    for place, job in enumerate(active):
        _draw_active(job, place)
    ended = [job for job in reversed(jobs) if not job.state.is_active]
    for job in ended[:_ENDED_SHOWN]:
        _draw_ended(job)
    if ended[_ENDED_SHOWN:]:
        with st.expander(f"{len(ended) - _ENDED_SHOWN} earlier jobs"):
            for job in ended[_ENDED_SHOWN:]:
                _draw_ended(job)


def _ended(jobs: Sequence[Job]) -> frozenset[tuple[str, JobState]]:
    return frozenset((job.job_id, job.state) for job in jobs if not job.state.is_active)


def _tell(jobs: Sequence[Job]) -> None:
    """Say once what has ended since this session looked last, or while nobody looked."""
    notes = state.notes(__name__)
    was_active = notes.get("active", frozenset())
    untold = job_queue().take_untold()
    for job in jobs:
        if not job.state.is_active and (job.job_id in was_active or job.job_id in untold):
            reason = f": {job.end.reason}" if job.end and job.end.reason else ""
            st.toast(
                f"{_SIGNS[job.state]} {_TOASTS[job.state]}: {plain(job.order.label + reason)}",
                duration="long",
            )
    notes["active"] = frozenset(job.job_id for job in jobs if job.state.is_active)


def _draw_active(job: Job, place: int) -> None:
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{plain(job.order.label)}**")
        if job.state is JobState.QUEUED:
            st.caption("Waits for the job before it" if place else "Starts in a moment")
        elif job.state is JobState.CANCELLING:
            st.caption("Stopping")
        elif job.state is JobState.STORING:
            st.caption("Storing the result")
        elif job.progress is None:
            st.caption("Starting")
        else:
            _draw_progress(job.progress)
        _button("Cancel", job, job_queue().cancel, disabled=job.state is JobState.CANCELLING)


def _draw_progress(progress: JobProgress) -> None:
    if progress.total:
        st.progress(min(1.0, progress.done / progress.total), text=plain(progress.stage))
    else:
        st.caption(plain(progress.stage))
    st.caption(count_words(progress.done, progress.total, progress.unit))
    speed = []
    if progress.rate is not None:
        speed.append(rate_words(progress.rate, progress.unit))
    if progress.eta_s is not None:
        speed.append(f"{duration_words(progress.eta_s)} left")
    # Where numbers are not known yet, their line stays, so that nothing jumps.
    st.caption(" · ".join(speed) or "&nbsp;")


def _draw_ended(job: Job) -> None:
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"{_SIGNS[job.state]} **{plain(job.order.label)}**")
        reason = job.end.reason if job.end else _STOPPED_WORDS
        st.caption(plain(reason[:1].upper() + reason[1:]))
        with st.container(horizontal=True, gap="small"):
            if job.state.can_resume:
                _button("Resume", job, job_queue().resume)
            with st.popover("Log", key=f"log of {job.job_id}", type="tertiary"):
                st.code(job_queue().log(job.job_id) or "The log is empty.", language=None)
            _button("Remove", job, job_queue().remove, type_="tertiary")


def _button(
    label: str,
    job: Job,
    do: Callable[[str], None],
    *,
    type_: Literal["secondary", "tertiary"] = "secondary",
    disabled: bool = False,
) -> None:
    st.button(
        label,
        key=f"{label} {job.job_id}",
        help=f"{label} {plain(job.order.label)}",
        on_click=_unless_gone,
        args=(do, job.job_id),
        type=type_,
        disabled=disabled,
    )


def _unless_gone(do: Callable[[str], None], job_id: str) -> None:
    # Another session may have taken it from the list in this moment.
    with contextlib.suppress(InputError):
        do(job_id)
