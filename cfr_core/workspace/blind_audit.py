"""Blind audits of masks (CFR S1, table S2): random rows, drawn anew by a person, then compared.

A person's masks are kept apart from the dataset's, so that drawing one changes nothing else. They
are compared with the versions that counted when the rows were drawn.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd

from cfr_core.errors import InputError
from cfr_core.masks.agreement import mask_iou
from cfr_core.masks.rle import area_px
from cfr_core.metrics.agreement import Agreement, agreement
from cfr_core.types import FloatArray, Mask
from cfr_core.workspace import coding
from cfr_core.workspace.database import Database, insert, now
from cfr_core.workspace.mask_table import check_sizes


@dataclass(frozen=True)
class BlindAudit:
    """One draw of rows.

    Attributes:
        audit_id: Its name in the workspace.
        dataset: The dataset.
        seed: Seed of the draw.
        source: Only masks of this source could be drawn; empty for any.
        n_eligible: Rows that could be drawn: those with a mask that is not rejected.
        author: Who asked for it.
        created_at: When, ISO 8601.
        n_rows: Rows drawn.
        n_done: Rows that a person has drawn a mask of.
    """

    audit_id: str
    dataset: str
    seed: int
    source: str
    n_eligible: int
    author: str
    created_at: str
    n_rows: int
    n_done: int


@dataclass(frozen=True)
class BlindPair:
    """The two masks of one row.

    Attributes:
        audited: The mask that counted when the row was drawn.
        version: Its version.
        blind: What a person drew without seeing it.
        iou: Their IoU; NaN where both are empty.
    """

    audited: Mask
    version: int
    blind: Mask
    iou: float


@dataclass(frozen=True)
class BlindResult:
    """What an audit has found so far.

    Attributes:
        audit: The audit.
        agreement: Numbers over the rows that are done.
        pairs: The done rows, the worst IoU first, by row id.
        n_undefined: Done rows where both masks are empty, which are not in the numbers.
    """

    audit: BlindAudit
    agreement: Agreement
    pairs: dict[int, BlindPair]
    n_undefined: int

    @property
    def ious(self) -> FloatArray:
        """(N,) float64 IoU of the done rows, the worst first; NaN where undefined, last."""
        return np.array([pair.iou for pair in self.pairs.values()], np.float64)


_AUDITS = """
    SELECT a.audit_id, dataset, seed, source, n_eligible, author, created_at,
           (SELECT count(*) FROM blind_rows b WHERE b.audit_id = a.audit_id),
           (SELECT count(DISTINCT row_id) FROM blind_masks b WHERE b.audit_id = a.audit_id)
    FROM blind_audits a
"""
_ELIGIBLE = """
    SELECT row_id, version FROM (
        SELECT row_id, max(version) AS version, arg_max(status, version) AS status,
               arg_max(source, version) AS source
        FROM masks GROUP BY row_id
    ) JOIN rows USING (row_id)
    WHERE dataset = $dataset AND status <> 'rejected' AND $source IN ('', source)
    ORDER BY row_id
"""


class BlindAudits:
    """The blind audits of a workspace; threads may share it."""

    def __init__(self, database: Database) -> None:
        """Keep them in an open database."""
        self._database = database

    def draw(
        self, dataset: str, n_rows: int, *, seed: int, author: str, source: str = ""
    ) -> BlindAudit:
        """Draw rows at random from those with a mask that is not rejected.

        Args:
            dataset: The dataset.
            n_rows: How many, at least 1.
            seed: Seed of the draw; the same masks and seed give the same rows.
            author: Who asks for it.
            source: Draw among the masks of one source, such as an engine's name; empty for any.

        Raises:
            InputError: if there are not so many rows.
        """
        audit_id = f"blind-{secrets.token_hex(4)}"
        with self._database.transaction() as cursor:
            parameters = {"dataset": dataset, "source": source}
            eligible = cursor.execute(_ELIGIBLE, parameters).fetchall()
            if not 1 <= n_rows <= len(eligible):
                raise InputError(
                    f"{n_rows} rows were asked for, but {len(eligible)} of {dataset} have a mask "
                    f"{f'of {source} ' if source else ''}that is not rejected: ask for 1 to "
                    f"{len(eligible)}, or make masks first"
                )
            drawn = np.random.default_rng(seed).choice(len(eligible), n_rows, replace=False)
            cursor.execute(
                "INSERT INTO blind_audits VALUES (?, ?, ?, ?, ?, ?, ?)",
                [audit_id, dataset, seed, source, len(eligible), author, now()],
            )
            rows = pd.DataFrame([eligible[i] for i in drawn], columns=["row_id", "version"])
            insert(cursor, "blind_rows", rows.assign(audit_id=audit_id, place=range(n_rows)))
        return self.audit(audit_id)

    def audit(self, audit_id: str) -> BlindAudit:
        """One audit.

        Raises:
            InputError: if there is none of this name.
        """
        found = self._database.read(f"{_AUDITS} WHERE audit_id = ?", [audit_id])
        if not found:
            raise InputError(f"there is no blind audit {audit_id!r} in this workspace")
        return BlindAudit(*found[0])

    def of_dataset(self, dataset: str) -> list[BlindAudit]:
        """The audits of a dataset, the latest first."""
        found = self._database.read(
            f"{_AUDITS} WHERE dataset = ? ORDER BY created_at DESC, audit_id", [dataset]
        )
        return [BlindAudit(*row) for row in found]

    def row_ids(self, audit_id: str) -> list[int]:
        """The rows of an audit in the order of the draw."""
        found = self._database.read(
            "SELECT row_id FROM blind_rows WHERE audit_id = ? ORDER BY place", [audit_id]
        )
        return [row_id for (row_id,) in found]

    def to_do(self, audit_id: str) -> list[int]:
        """Rows that nobody has drawn yet, in the order of the draw."""
        found = self._database.read("SELECT row_id FROM blind_masks WHERE audit_id = ?", [audit_id])
        done = {row_id for (row_id,) in found}
        return [row_id for row_id in self.row_ids(audit_id) if row_id not in done]

    def add(self, audit_id: str, mask: Mask) -> None:
        """Keep what a person drew for one row; drawn again, the last one counts.

        An empty mask says that the person saw no animal; its IoU with any other is 0.

        Args:
            audit_id: The audit.
            mask: Of the crop's size.

        Raises:
            InputError: if the row is not in the audit.
            MaskError: if the mask is of another size than the crop, or its run lengths do not
                fill that size.
        """
        area_px(mask)
        with self._database.transaction() as cursor:
            check_sizes(cursor, [mask])
            version = _next_version(cursor, audit_id, mask.row_id)
            record = coding.mask_record(mask, version) | {
                "audit_id": audit_id,
                "created_at": mask.created_at or now(),
            }
            insert(cursor, "blind_masks", pd.DataFrame([record]))

    def result(self, audit_id: str) -> BlindResult:
        """Agreement over the rows that are done, and both masks of each, the worst first."""
        audit = self.audit(audit_id)
        pairs = self._pairs(audit_id)
        by_iou = sorted(pairs, key=lambda row_id: (np.isnan(pairs[row_id].iou), pairs[row_id].iou))
        ious = np.array([pair.iou for pair in pairs.values()], np.float64)
        known = ious[~np.isnan(ious)]
        numbers = agreement(known, rng=np.random.default_rng(audit.seed))
        return BlindResult(
            audit, numbers, {row_id: pairs[row_id] for row_id in by_iou}, len(ious) - len(known)
        )

    def _pairs(self, audit_id: str) -> dict[int, BlindPair]:
        audited = self._database.read(
            f"""
            SELECT b.version, {_qualified("m")} FROM blind_rows b
            JOIN masks m ON m.row_id = b.row_id AND m.version = b.version
            WHERE audit_id = ? ORDER BY place
            """,
            [audit_id],
        )
        drawn = self._database.read(
            f"""
            SELECT {coding.MASK_COLUMNS} FROM blind_masks WHERE audit_id = ?
            QUALIFY row_number() OVER (PARTITION BY row_id ORDER BY version DESC) = 1
            """,
            [audit_id],
        )
        blind = {row[0]: coding.mask_from_row(row) for row in drawn}
        pairs = {}
        for version, *row in audited:
            mask = coding.mask_from_row(tuple(row))
            if mask.row_id in blind:
                other = blind[mask.row_id]
                pairs[mask.row_id] = BlindPair(mask, version, other, mask_iou(mask, other))
        return pairs


def agreement_table(results: Sequence[BlindResult]) -> pd.DataFrame:
    """Audits as a table in the form of table S2, with the intervals beside it.

    Args:
        results: Audits, one or more a dataset.

    Returns:
        A row for each audit, and one named "Overall" over all their rows where there are several:
        dataset; median_iou, mean_iou and share_iou_over_90 in percent; n_rows, the rows compared;
        for each number the ends of its 95 % interval in percent. NaN where undefined.
    """
    rows = [_table_row(result.audit.dataset, result.agreement) for result in results]
    if len(results) > 1:
        ious = np.concatenate([result.ious for result in results])
        rng = np.random.default_rng([result.audit.seed for result in results])
        rows.append(_table_row("Overall", agreement(ious[~np.isnan(ious)], rng=rng)))
    return pd.DataFrame(rows)


def _table_row(name: str, numbers: Agreement) -> dict[str, object]:
    columns = {
        "median_iou": (numbers.median_iou, numbers.median_interval),
        "mean_iou": (numbers.mean_iou, numbers.mean_interval),
        "share_iou_over_90": (numbers.share_good, numbers.share_interval),
    }
    values = {column: 100 * value for column, (value, _) in columns.items()}
    ends = {
        f"{column}_{end}": 100 * interval[place]
        for column, (_, interval) in columns.items()
        for place, end in enumerate(("low", "high"))
    }
    return {"dataset": name, **values, "n_rows": numbers.n, **ends}


def _qualified(table: str) -> str:
    return ", ".join(f"{table}.{column}" for column in coding.MASK_COLUMNS.split(", "))


def _next_version(cursor: duckdb.DuckDBPyConnection, audit_id: str, row_id: int) -> int:
    found = cursor.execute(
        "SELECT count(*) FROM blind_rows WHERE audit_id = ? AND row_id = ?", [audit_id, row_id]
    ).fetchall()
    if not found[0][0]:
        raise InputError(f"row {row_id} is not in the blind audit {audit_id!r}")
    last = cursor.execute(
        "SELECT coalesce(max(version), 0) FROM blind_masks WHERE audit_id = ? AND row_id = ?",
        [audit_id, row_id],
    ).fetchall()
    return int(last[0][0]) + 1
