"""What is decided about a dataset before its results are seen: its name and its outline's role."""

import dataclasses
from pathlib import Path

import streamlit as st

from cfr_core.datasets.choices import suggested_name
from cfr_core.datasets.preview import Preview
from cfr_core.datasets.published import published_card
from cfr_core.errors import InputError
from cfr_core.jobs.imports import ImportSpec, import_job
from cfr_core.jobs.records import JobState
from cfr_core.types import SilhouetteRole
from components import cached, state
from components.errors import plain
from components.roles import ROLE_MEANINGS
from components.state import Parameter
from server.workspace import jobs, workspace

JOB = Parameter[str]("job", "", str, stays=False)
"""The import that the page follows."""


NAME = Parameter[str]("name", "", str, stays=False)
ROLE = Parameter[str]("role", "", str, stays=False)
"""Empty for the default."""


def decide(spec: ImportSpec, shown: Preview) -> None:
    """Draw the last choices and the button that starts the import; it opens the job's page."""
    if not state.get(NAME):
        state.put(NAME, suggested_name(Path(spec.source)))
    name = (st.text_input("Name of the dataset", **state.bound(NAME)) or "").strip()
    role = _choose_role(name)
    is_taken = name in {dataset.name for dataset in cached.datasets()}
    replace = is_taken and st.checkbox(
        "Replace the dataset of this name",
        help="Its runs stay. Masks that were made here are never replaced.",
    )
    spec = dataclasses.replace(spec, name=name, role=role, replace=replace)
    problem = _problem(spec, shown, is_taken=is_taken)
    if problem:
        st.warning(problem)
    if st.button("Import", type="primary", disabled=bool(problem), icon=":material/add:"):
        try:
            state.put(JOB, jobs().submit(import_job(workspace(), spec)))
        except InputError as error:
            st.error(plain(str(error)))
            return
        st.rerun()


def _choose_role(name: str) -> SilhouetteRole | None:
    published = published_card(name)
    default = published.role if published else SilhouetteRole.AMBIGUOUS
    source = f"the published table for {published.name}" if published else "no table names it"
    options = ["", *(role.value for role in SilhouetteRole)]
    titles = {role.value: meaning.title for role, meaning in ROLE_MEANINGS.items()}
    chosen = st.radio(
        "Does the outline of the body tell who it is?",
        options,
        format_func=lambda option: (
            titles[option] if option else f"Default: {titles[default].lower()} ({source})"
        ),
        captions=[
            "Decide it before you look at results: it says what counts as a shortcut.",
            *(ROLE_MEANINGS[role].words for role in SilhouetteRole),
        ],
        **state.bound(ROLE, among=options),
    )
    return SilhouetteRole(chosen) if chosen else None


def _problem(spec: ImportSpec, shown: Preview, *, is_taken: bool) -> str:
    """Why the import cannot start yet; empty if it can."""
    if not shown.n_used:
        return "No row can be used as it is read now."
    if not spec.name:
        return "Give the dataset a name."
    if is_taken and not spec.replace:
        return "There is a dataset of this name: choose another name, or replace it."
    return ""


def follow_import() -> bool:
    """Draw the import that was started here; a finished one opens its dataset's page.

    Returns:
        True if there is nothing else to draw.
    """
    job_id = state.get(JOB)
    job = next((job for job in jobs().jobs() if job.job_id == job_id), None)
    if job is None:
        state.put(JOB, "")
        return False
    if job.state is JobState.FINISHED:
        state.open_page("dataset.py", {state.DATASET: job.order.spec["name"]})
    if job.state.is_active:
        st.info(
            plain(f"{job.order.label}: every photo is opened and checked.")
            + " How far it is stands in the side bar; this page goes on by itself. You may leave "
            "it, or close the browser."
        )
        return True
    reason = job.end.reason if job.end else "Its process was ended."
    st.error(plain(f"{job.order.label}: {reason}"))
    if st.button("Back to the import"):
        state.put(JOB, "")
        st.rerun()
    return True
