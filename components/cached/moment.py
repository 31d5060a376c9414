"""When something was read: part of the key of everything that is kept."""

from typing import TypeAlias

from cfr_core.workspace.store import Workspace
from server.workspace import workspace

# Streamlit leaves parameters with a leading underscore out of the key: these must not have one.
Moment: TypeAlias = tuple[str, int]
"""Folder and revision that something was read from."""


def now() -> Moment:
    """The workspace as it is now."""
    opened = workspace()
    return str(opened.root), opened.revision


def at(_: Moment) -> Workspace:
    """The workspace, for a function whose result is kept under this moment."""
    return workspace()
