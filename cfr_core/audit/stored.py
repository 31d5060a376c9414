"""Finished runs, read back from their folders."""

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from cfr_core.audit.job import ROWS_FILE, SPEC_FILE, AuditJob
from cfr_core.audit.profile import SCHEMA_VERSION, EvidenceProfile
from cfr_core.audit.results import PROFILE_FILE, QUERIES_FILE
from cfr_core.audit.spec import AuditSpec
from cfr_core.errors import InputError
from cfr_core.workspace.files import read_json

ROW_COLUMNS = (
    *("row_id", "path", "identity", "captured_at", "encounter", "camera", "orientation", "split"),
    *("species", "file_sha256"),
)
"""Columns of a run's rows that say when, where and of whom a photo is."""


def read_profile(folder: Path) -> EvidenceProfile:
    """The profile of a finished run.

    Args:
        folder: `runs/<run_id>` of a workspace.

    Raises:
        InputError: if the run has no profile, or one that this version cannot read.
    """
    try:
        value = read_json(folder / PROFILE_FILE)
        if value["schema"] != SCHEMA_VERSION:
            raise InputError(
                f"run {folder.name}: its profile is of version {value['schema']}, this program "
                f"reads {SCHEMA_VERSION}; run the audit again"
            )
        return EvidenceProfile.from_json(value)
    except OSError as error:
        raise InputError(
            f"run {folder.name}: its profile cannot be read ({error.strerror}); run the audit again"
        ) from error
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"run {folder.name}: {PROFILE_FILE} is damaged; run the audit again"
        ) from error


def read_spec(folder: Path) -> AuditSpec:
    """What a run was asked.

    Raises:
        InputError: if the file is missing or damaged.
    """
    try:
        return AuditSpec.from_json(read_json(folder / SPEC_FILE)["spec"])
    except (OSError, json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise InputError(
            f"run {folder.name}: {SPEC_FILE} is missing or damaged; run the audit again"
        ) from error


def read_job(folder: Path) -> AuditJob:
    """What a run was asked, with its rows and masks.

    Raises:
        InputError: if a file is missing or damaged.
    """
    try:
        return AuditJob.read(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"run {folder.name}: {ROWS_FILE} or {SPEC_FILE} is missing or damaged; run the audit "
            "again"
        ) from error


def read_queries(folder: Path) -> pd.DataFrame:
    """The queries of a run as `Evaluation.queries` has them.

    Raises:
        InputError: if the file is missing or damaged.
    """
    return read_table(folder / QUERIES_FILE)


def read_rows(folder: Path, row_ids: Collection[int] | None = None) -> pd.DataFrame:
    """Benchmark rows of a run as they were when it was asked, without their masks.

    Args:
        folder: `runs/<run_id>` of a workspace.
        row_ids: Only these, or None for all.

    Returns:
        `ROW_COLUMNS`, in source order.

    Raises:
        InputError: if the file is missing or damaged.
    """
    filters = None if row_ids is None else [("row_id", "in", list(row_ids))]
    return read_table(folder / ROWS_FILE, columns=list(ROW_COLUMNS), filters=filters)


def read_table(
    path: Path,
    *,
    columns: list[str] | None = None,
    filters: Sequence[tuple[str, str, Any]] | None = None,
) -> pd.DataFrame:
    """A parquet file of a run, or the part of it that passes all filters.

    Raises:
        InputError: if the file is missing or damaged.
    """
    try:
        kept = None if filters is None else list(filters)
        return pd.read_parquet(path, columns=columns, filters=kept)
    except (OSError, ValueError) as error:  # pyarrow's own errors are of these kinds
        raise InputError(
            f"run {path.parent.name}: {path.name} is missing or damaged; run the audit again"
        ) from error
