"""Where the workspace is if nobody names another folder."""

import os
from pathlib import Path

import platformdirs

APP_NAME = "cfr-auditor"
VARIABLE = "CFR_WORKSPACE"
"""Environment variable that names another folder."""


def default_root() -> Path:
    """The folder that the environment names, else one in the user's data folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    return Path(platformdirs.user_data_path(APP_NAME, appauthor=False)) / "workspace"
