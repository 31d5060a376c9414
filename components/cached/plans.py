"""Audits before they start: the rows they would use, and what they would take."""

import streamlit as st

from cfr_core.audit.spec import AuditSpec
from cfr_core.jobs.estimate import (
    AuditCost,
    KnownEncoder,
    PlannedAudit,
    audit_cost,
    cost_stamp,
    known_encoder,
    plan_audit,
    weights_stamp,
)
from components.cached.finished_runs import past_runs
from components.cached.moment import Moment, at, now
from server.workspace import workspace


def planned_audit(spec: AuditSpec) -> PlannedAudit:
    """The rows that an audit would use.

    Raises:
        InputError: if it cannot be asked, or no row is left.
    """
    return _planned_audit(now(), spec)


def encoder_known(name: str) -> KnownEncoder:
    """What is known of an encoder without loading it; errors as of `known_encoder`."""
    return _encoder_known(now(), name, weights_stamp(name, workspace().checkpoints_dir))


def cost_of(spec: AuditSpec, device: str) -> AuditCost:
    """What is still to be done for an audit on a device; errors as of the two above."""
    weights = weights_stamp(spec.encoder, workspace().checkpoints_dir)
    return _cost_of(now(), spec, device, f"{weights} {cost_stamp(workspace().root)}")


@st.cache_resource(max_entries=32, show_spinner="Choosing the rows")
def _planned_audit(moment: Moment, spec: AuditSpec) -> PlannedAudit:
    return plan_audit(at(moment), spec)


@st.cache_resource(max_entries=32, show_spinner="Reading the weights")
def _encoder_known(moment: Moment, name: str, stamp: str) -> KnownEncoder:
    # The stamp is there for the key alone: weights are put in place by hand, too.
    del stamp
    return known_encoder(name, at(moment).checkpoints_dir, past_runs())


@st.cache_resource(max_entries=32, show_spinner=False)
def _cost_of(moment: Moment, spec: AuditSpec, device: str, stamp: str) -> AuditCost:
    # The stamp is there for the key alone: vectors are stored while a job runs, too.
    del stamp
    encoder = encoder_known(spec.encoder)
    return audit_cost(at(moment).root, planned_audit(spec), encoder, device, past_runs())
