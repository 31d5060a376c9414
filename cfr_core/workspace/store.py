"""The workspace: one folder, one database, opened by one process at a time."""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pandas as pd

from cfr_core.datasets.records import (
    COLUMNS,
    Annotations,
    DatasetCard,
    Finding,
    ImportReport,
    ImportResult,
    Severity,
)
from cfr_core.errors import InputError, WorkspaceError
from cfr_core.types import Mask, MaskStatus, SilhouetteRole
from cfr_core.workspace.schema import migrate

_DATASET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_LOCK_HOLDER = re.compile(r"PID (\d+)")
_MASK_COLUMNS = "row_id, height, width, counts, source, status, score, prompts, author, created_at"


@dataclass(frozen=True)
class DatasetSummary:
    """One line about a dataset of the workspace."""

    name: str
    silhouette_role: SilhouetteRole
    n_rows: int
    n_identities: int
    n_unknown: int
    n_accepted_masks: int
    imported_at: str


@dataclass(frozen=True)
class RunRecord:
    """A finished audit; its files are in `runs/<run_id>/`."""

    run_id: str
    dataset: str
    encoder: str
    finished_at: str


class Workspace:
    """Datasets, masks and runs of one folder; use it as a context manager."""

    def __init__(self, root: Path) -> None:
        """Open the workspace, making the folder if it is absent.

        Raises:
            WorkspaceError: if another process has it open (its PID is named), if the database is
                damaged, or if a newer version wrote it.
        """
        self.root = root.expanduser().resolve()
        self._connection = _connect(self.root)

    def __enter__(self) -> Self:
        """The workspace itself."""
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the database, so that another process may open it."""
        self._connection.close()

    @property
    def embeddings_dir(self) -> Path:
        """Stored vectors."""
        return self.root / "embeddings"

    @property
    def runs_dir(self) -> Path:
        """One folder a run."""
        return self.root / "runs"

    @property
    def cache_dir(self) -> Path:
        """What can be deleted at any time."""
        return self.root / "cache"

    @property
    def checkpoints_dir(self) -> Path:
        """Model weights; may be filled by hand."""
        return self.root / "checkpoints"

    def add_dataset(self, result: ImportResult, *, replace: bool = False) -> None:
        """Store an import; all of it or nothing.

        Args:
            result: A checked dataset; its row ids are shifted to be unique here.
            replace: Put it in place of a dataset of the same name.

        Raises:
            InputError: if the name is taken and `replace` is off, is no plain name, or if
                replacing would lose masks that were made here.
        """
        name = result.card.name
        if not _DATASET_NAME.fullmatch(name):
            raise InputError(
                f"dataset name {name!r}: use letters, digits, '.', '_' and '-', at most 80"
            )
        self._connection.execute("BEGIN")
        try:
            if self._has_dataset(name):
                self._make_room(name, replace=replace)
            offset = self._scalar("SELECT coalesce(max(row_id) + 1, 0) FROM rows")
            self._insert_rows(name, result.annotations, offset)
            self._insert_masks(
                dataclasses.replace(m, row_id=m.row_id + offset) for m in result.masks
            )
            self._connection.execute(
                "INSERT INTO datasets VALUES (?, ?, ?, ?)",
                [name, _to_json(result.card), _to_json(result.report), _now()],
            )
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def datasets(self) -> list[DatasetSummary]:
        """All datasets, by name."""
        found = self._connection.execute(
            """
            SELECT d.name, d.card->>'silhouette_role', count(r.row_id),
                   count(DISTINCT r.identity) FILTER (r.is_known),
                   count(r.row_id) FILTER (NOT r.is_known),
                   count(m.row_id) FILTER (m.status = 'accepted'), d.imported_at
            FROM datasets d
            LEFT JOIN rows r ON r.dataset = d.name
            LEFT JOIN (SELECT row_id, arg_max(status, version) AS status FROM masks GROUP BY row_id)
                m ON m.row_id = r.row_id
            GROUP BY ALL ORDER BY d.name
            """
        ).fetchall()
        return [DatasetSummary(row[0], SilhouetteRole(row[1]), *row[2:]) for row in found]

    def card(self, name: str) -> DatasetCard:
        """What is known of a dataset beside its rows."""
        fields = json.loads(self._dataset_field(name, "card"))
        return DatasetCard(
            **fields
            | {
                "silhouette_role": SilhouetteRole(fields["silhouette_role"]),
                "unknown_identities": tuple(fields["unknown_identities"]),
                "prompts": tuple(fields["prompts"]),
            }
        )

    def report(self, name: str) -> ImportReport:
        """The report of a dataset's import."""
        fields = json.loads(self._dataset_field(name, "report"))
        findings = tuple(
            Finding(**finding | {"severity": Severity(finding["severity"])})
            for finding in fields["findings"]
        )
        return ImportReport(**fields | {"findings": findings})

    def annotations(self, name: str) -> Annotations:
        """All rows of a dataset, in source order."""
        self._dataset_field(name, "name")
        table = self._connection.execute(
            "SELECT * EXCLUDE (dataset) FROM rows WHERE dataset = ? ORDER BY row_id", [name]
        ).df()
        extras = pd.DataFrame([json.loads(text) for text in table.pop("extras")], dtype="string")
        extras.index = table.index
        for column in ("bbox_x", "bbox_y", "bbox_w", "bbox_h"):
            table[column] = table[column].astype("Int64")
        for column in table.columns:
            if table[column].dtype == object:
                table[column] = table[column].astype("string")
        return Annotations(pd.concat([table[list(COLUMNS)], extras], axis=1))

    def masks(self, name: str) -> dict[int, Mask]:
        """The current mask version of every row that has one, by row id."""
        self._dataset_field(name, "name")
        found = self._connection.execute(
            f"""
            SELECT {_MASK_COLUMNS} FROM masks
            WHERE row_id IN (SELECT row_id FROM rows WHERE dataset = ?)
            QUALIFY row_number() OVER (PARTITION BY row_id ORDER BY version DESC) = 1
            ORDER BY row_id
            """,
            [name],
        ).fetchall()
        return {row[0]: _mask(row) for row in found}

    def register_run(self, run: RunRecord) -> None:
        """Record a finished run; the same run id again replaces its record."""
        self._connection.execute(
            "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", list(dataclasses.astuple(run))
        )

    def runs(self) -> list[RunRecord]:
        """Finished runs, the latest first."""
        found = self._connection.execute(
            "SELECT run_id, dataset, encoder, finished_at FROM runs "
            "ORDER BY finished_at DESC, run_id"
        ).fetchall()
        return [RunRecord(*row) for row in found]

    def _has_dataset(self, name: str) -> bool:
        return bool(self._scalar("SELECT count(*) FROM datasets WHERE name = ?", [name]))

    def _dataset_field(self, name: str, column: str) -> str:
        found = self._connection.execute(
            f"SELECT {column} FROM datasets WHERE name = ?",
            [name],
        ).fetchall()
        if not found:
            names = ", ".join(d.name for d in self.datasets()) or "none yet"
            raise InputError(f"no dataset {name!r} in {self.root}; there: {names}")
        return str(found[0][0])

    def _make_room(self, name: str, *, replace: bool) -> None:
        if not replace:
            raise InputError(f"dataset {name!r} exists; choose another name, or ask to replace it")
        made_here = self._scalar(
            "SELECT count(*) FROM masks JOIN rows USING (row_id) "
            "WHERE dataset = ? AND masks.source <> 'dataset'",
            [name],
        )
        if made_here:
            raise InputError(
                f"dataset {name!r} holds {made_here} masks made in this workspace; replacing it "
                "would lose them: import under another name"
            )
        self._connection.execute(
            "DELETE FROM masks WHERE row_id IN (SELECT row_id FROM rows WHERE dataset = ?)", [name]
        )
        self._connection.execute("DELETE FROM rows WHERE dataset = ?", [name])
        self._connection.execute("DELETE FROM datasets WHERE name = ?", [name])

    def _insert_rows(self, name: str, annotations: Annotations, offset: int) -> None:
        table = annotations.table[list(COLUMNS)].assign(
            row_id=annotations.table["row_id"] + offset,
            dataset=name,
            extras=_extras_json(annotations),
        )
        self._connection.register("new_rows", table)
        self._connection.execute("INSERT INTO rows BY NAME SELECT * FROM new_rows")
        self._connection.unregister("new_rows")

    def _insert_masks(self, masks: Iterable[Mask]) -> None:
        table = pd.DataFrame([_mask_row(mask) for mask in masks])
        if table.empty:
            return
        self._connection.register("new_masks", table)
        self._connection.execute("INSERT INTO masks BY NAME SELECT * FROM new_masks")
        self._connection.unregister("new_masks")

    def _scalar(self, query: str, parameters: list[Any] | None = None) -> int:
        # fetchall, since DuckDB keeps a connection busy until a result is read to its end.
        return int(self._connection.execute(query, parameters or []).fetchall()[0][0])


def _connect(root: Path) -> duckdb.DuckDBPyConnection:
    try:
        root.mkdir(parents=True, exist_ok=True)
        connection = duckdb.connect(str(root / "audit.duckdb"))
    except OSError as error:
        raise WorkspaceError(f"the workspace {root} cannot be made or written: {error}") from error
    except duckdb.IOException as error:
        holder = _LOCK_HOLDER.search(str(error))
        if holder is None:
            raise WorkspaceError(f"the workspace {root} cannot be opened: {error}") from error
        raise WorkspaceError(
            f"the workspace {root} is open in process {holder.group(1)}; close it there first"
        ) from None
    except duckdb.Error as error:
        raise WorkspaceError(f"{root / 'audit.duckdb'} is damaged: {error}") from error
    migrate(connection)
    return connection


def _extras_json(annotations: Annotations) -> list[str]:
    columns = annotations.extra_columns
    if not columns:
        return ["{}"] * len(annotations)
    extras = annotations.table[columns].astype(object)
    extras = extras.where(extras.notna(), None)
    return [json.dumps(row, default=str) for row in extras.to_dict("records")]


def _mask_row(mask: Mask) -> Mapping[str, object]:
    return {
        "row_id": mask.row_id,
        "version": 1,
        "height": mask.size_hw[0],
        "width": mask.size_hw[1],
        "counts": mask.counts,
        "source": mask.source,
        "status": mask.status.value,
        "score": mask.score,
        "prompts": mask.prompts,
        "author": mask.author,
        "created_at": mask.created_at,
    }


def _mask(row: tuple[Any, ...]) -> Mask:
    row_id, height, width, counts, source, status, *rest = row
    return Mask(row_id, (height, width), counts, source, MaskStatus(status), *rest)


def _to_json(record: DatasetCard | ImportReport) -> str:
    return json.dumps(dataclasses.asdict(record))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
