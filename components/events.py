"""What a person has just done in a component, told once."""

from collections.abc import Mapping
from typing import Any

from components import state


def new_event(key: str) -> Mapping[str, Any] | None:
    """The latest `event` that a component has sent, unless an earlier call has returned it.

    The browser gives each event an `id` of its own: Streamlit repeats what a component has sent in
    every later run of the page.

    Args:
        key: Name of the component on the page.
    """
    event = state.component_state(key).get("event")
    if not isinstance(event, Mapping) or state.notes(key).get("answered") == event.get("id"):
        return None
    state.notes(key)["answered"] = event.get("id")
    return event


def last_event_id(key: str) -> str | None:
    """Id of the last event that has come from a component, answered or not; None before the first.

    Sent back to the browser, it says whether the page has heard of the last event by then.
    """
    event = state.component_state(key).get("event")
    return str(event["id"]) if isinstance(event, Mapping) and "id" in event else None
