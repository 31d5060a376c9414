"""Which rows enter an audit, and why the others do not (CFR sec. 3.3)."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pandas as pd

from cfr_core.audit.spec import AuditSpec
from cfr_core.datasets.records import Annotations
from cfr_core.errors import InputError, UndefinedAuditError
from cfr_core.types import BoolArray, IntArray, Mask, MaskStatus, RetrievalTask

_LABELS_SHOWN = 12
COLUMN_OF_RULE = {"file": "file_sha256", "date": "captured_at"}
"""Rules of `AuditSpec.exclude` -> the column that each compares; any other rule is a column."""


class LeftOut(StrEnum):
    """Why a row is in no view: neither query nor gallery."""

    UNKNOWN_IDENTITY = "unknown identity"
    NO_MASK = "no accepted mask"
    FILTERED = "not among the rows asked for"
    OUTSIDE_SPLIT = "in neither part of the split"
    UNREADABLE = "image cannot be read or has changed since the import"
    NOT_FINITE = "embedding not finite"


@dataclass(frozen=True)
class Selection:
    """Benchmark rows of an audit.

    Attributes:
        table: Their annotations, in source order, index 0..N-1.
        masks: Their accepted masks, in the same order.
        left_out: Table of row_id, path, reason: the rows that are in no view.
    """

    table: pd.DataFrame
    masks: tuple[Mask, ...]
    left_out: pd.DataFrame


def select_rows(annotations: Annotations, masks: Mapping[int, Mask], spec: AuditSpec) -> Selection:
    """Rows of known identity with an accepted mask, inside the split if there is one.

    Args:
        annotations: All rows of the dataset.
        masks: Current mask version by row id.
        spec: The audit.

    Raises:
        UndefinedAuditError: if no row is left; the counts by reason are in the message.
        InputError: if an exclusion or the split names a column or label that is not there.
    """
    table = annotations.table
    _check_rules(table, spec)
    accepted = {row_id for row_id, mask in masks.items() if mask.status is MaskStatus.ACCEPTED}
    reasons = pd.Series(pd.NA, index=table.index, dtype="string")
    reasons[~rows_asked_for(table, spec.where)] = LeftOut.FILTERED.value
    if spec.split is not None:
        reasons[~table["split"].isin(spec.split).to_numpy(bool)] = LeftOut.OUTSIDE_SPLIT.value
    reasons[~table["row_id"].isin(accepted).to_numpy(bool)] = LeftOut.NO_MASK.value
    reasons[~table["is_known"].to_numpy(bool)] = LeftOut.UNKNOWN_IDENTITY.value
    selected = table[reasons.isna()].reset_index(drop=True)
    left_out = table.assign(reason=reasons)[reasons.notna()][["row_id", "path", "reason"]]
    if selected.empty:
        raise UndefinedAuditError(
            f"dataset {spec.dataset!r}: no row is left to audit of {len(table)} "
            f"({counts_in_words(left_out['reason'])})"
        )
    return Selection(
        selected,
        tuple(masks[row_id] for row_id in selected["row_id"]),
        left_out.reset_index(drop=True),
    )


def retrieval_task(table: pd.DataFrame, spec: AuditSpec) -> RetrievalTask:
    """Queries, galleries and exclusions of benchmark rows.

    Args:
        table: Benchmark rows, index 0..N-1.
        spec: The audit; its rules have been checked by `select_rows`.
    """
    everyone = np.arange(len(table), dtype=np.int64)
    codes = [_codes(table, rule) for rule in spec.exclude]
    queries = galleries = everyone
    if spec.split is not None:
        query_label, gallery_label = spec.split
        queries = everyone[(table["split"] == query_label).to_numpy(bool)]
        galleries = everyone[(table["split"] == gallery_label).to_numpy(bool)]
    return RetrievalTask(
        identity_codes=pd.factorize(table["identity"])[0].astype(np.int64),
        query_rows=queries,
        gallery_rows=galleries,
        exclusion_codes=np.stack(codes, axis=1) if codes else np.empty((len(table), 0), np.int64),
    )


def rows_asked_for(table: pd.DataFrame, where: Sequence[tuple[str, str]]) -> BoolArray:
    """Rows whose text is, in every column named, one of the values given for it.

    Args:
        table: Rows of a dataset.
        where: (column, value) pairs; a column that is not there holds none of its values.

    Returns:
        (N,) bool; all True where nothing is asked for.
    """
    asked_for = np.ones(len(table), np.bool_)
    for column in dict(where):
        values = [value for name, value in where if name == column]
        if column in table.columns:
            asked_for &= table[column].astype("string").isin(values).to_numpy(bool)
        else:
            asked_for[:] = False
    return asked_for


def counts_in_words(reasons: pd.Series) -> str:
    """Reasons with their counts, the most frequent first: "12 no accepted mask, 3 ..."."""
    return ", ".join(f"{count} {reason}" for reason, count in reasons.value_counts().items())


def _codes(table: pd.DataFrame, rule: str) -> IntArray:
    values = table[COLUMN_OF_RULE.get(rule, rule)]
    if rule == "date":
        values = values.dt.normalize()
    # An empty cell is unknown, and what is unknown excludes nothing.
    return pd.factorize(values.where(values != "") if values.dtype == "string" else values)[
        0
    ].astype(np.int64)


def _check_rules(table: pd.DataFrame, spec: AuditSpec) -> None:
    for column, value in spec.where:
        _check_column(table, column, f"--where {column}={value}")
        if not table[column].astype("string").eq(value).any():
            found = sorted(table[column].dropna().astype("string").unique())[:_LABELS_SHOWN]
            raise InputError(
                f"--where {column}={value}: no row has that value; there are "
                f"{', '.join(found) or 'none, the column is empty'}"
            )
    for rule in spec.exclude:
        column = COLUMN_OF_RULE.get(rule, rule)
        _check_column(table, column, f"--exclude {rule}")
        if table[column].isna().all():
            raise InputError(f"--exclude {rule}: the column is empty, so it would exclude nothing")
    if spec.split is not None:
        labels = sorted(table["split"].dropna().unique())
        for label in spec.split:
            if label not in labels:
                raise InputError(
                    f"--split: no row has the label {label!r}; labels there: "
                    f"{', '.join(labels) or 'none, the split column is empty'}"
                )


def _check_column(table: pd.DataFrame, column: str, option: str) -> None:
    if column not in table.columns:
        names = [*COLUMN_OF_RULE, *map(str, table.columns)]
        near = difflib.get_close_matches(column, names) or sorted(names)
        raise InputError(f"{option}: no such column; perhaps {', '.join(near)}")
