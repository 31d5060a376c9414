"""The workspace: one folder, one database, opened by one process at a time."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import pandas as pd

from cfr_core.datasets.records import Annotations, DatasetCard, ImportReport, ImportResult
from cfr_core.errors import InputError, UnknownRowError
from cfr_core.types import CropRequest, Mask, MaskStatus, SilhouetteRole
from cfr_core.workspace import coding
from cfr_core.workspace.blind_audit import BlindAudits
from cfr_core.workspace.database import Database, insert, now
from cfr_core.workspace.mask_checks import MaskChecks
from cfr_core.workspace.mask_history import MaskHistory
from cfr_core.workspace.review_queue import ReviewQueue
from cfr_core.workspace.room import check_room, clear_room


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
    """Datasets, masks and runs of one folder; use it as a context manager.

    Threads may share it. Another process may open the folder once this one has closed it.
    """

    def __init__(self, root: Path) -> None:
        """Open the workspace, making the folder if it is absent.

        Raises:
            WorkspaceError: if another process has it open (its PID is named), if the database is
                damaged, or if a newer version wrote it.
        """
        self.root = root.expanduser().resolve()
        self._database = Database(self.root / "audit.duckdb")
        self.mask_history = MaskHistory(self._database)
        self.mask_checks = MaskChecks(self._database)
        self.blind_audits = BlindAudits(self._database)

    def __enter__(self) -> Self:
        """The workspace itself."""
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the workspace."""
        self.close()

    def close(self) -> None:
        """Let go of the database, so that another process may open it."""
        self._database.close()

    @property
    def revision(self) -> int:
        """Another number after each change: a key for what is kept in memory."""
        return self._database.revision

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
        with self._database.transaction() as cursor:
            check_room(cursor, name, replace=replace)
            # Before room is made, so that an id never comes to mean another picture.
            # Read to its end, since DuckDB keeps a connection busy until then.
            ((offset,),) = cursor.execute(
                "SELECT coalesce(max(row_id) + 1, 0) FROM rows"
            ).fetchall()
            clear_room(cursor, name)
            rows = coding.rows_table(result.annotations, name, offset)
            insert(cursor, "rows", rows)
            insert(cursor, "masks", coding.masks_table(result.masks, offset))
            cursor.execute(
                "INSERT INTO datasets VALUES (?, ?, ?, ?)",
                [name, coding.to_json(result.card), coding.to_json(result.report), now()],
            )

    def check_room(self, name: str, *, replace: bool = False) -> None:
        """Refuse what `add_dataset` would refuse, before hours are spent on an import.

        Raises:
            InputError: as `add_dataset`.
        """
        with self._database.transaction() as cursor:
            check_room(cursor, name, replace=replace)

    def datasets(self) -> list[DatasetSummary]:
        """All datasets, by name."""
        found = self._database.read(
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
        )
        return [DatasetSummary(row[0], SilhouetteRole(row[1]), *row[2:]) for row in found]

    def card(self, name: str) -> DatasetCard:
        """What is known of a dataset beside its rows."""
        return coding.card_from_json(self._dataset_field(name, "card"))

    def report(self, name: str) -> ImportReport:
        """The report of a dataset's import."""
        return coding.report_from_json(self._dataset_field(name, "report"))

    def annotations(self, name: str) -> Annotations:
        """All rows of a dataset, in source order."""
        self._dataset_field(name, "name")
        table = self._database.read_table(
            "SELECT * EXCLUDE (dataset) FROM rows WHERE dataset = ? ORDER BY row_id", [name]
        )
        return coding.annotations_from_table(table)

    def browse(self, name: str) -> pd.DataFrame:
        """Rows of a dataset as lists and filters need them, in source order.

        Returns:
            row_id, path, identity, is_known, captured_at, encounter, camera, orientation, split
            and species as in `Annotations`; mask_status, "" where a row has no mask; mask_version,
            which counts the masks of a row and is 0 where it has none.
        """
        self._dataset_field(name, "name")
        return self._database.read_table(
            """
            SELECT r.row_id, path, identity, is_known, captured_at, encounter, camera, orientation,
                   split, species, coalesce(m.status, '') AS mask_status,
                   coalesce(m.version, 0) AS mask_version
            FROM rows r
            LEFT JOIN (
                SELECT row_id, arg_max(status, version) AS status, max(version) AS version
                FROM masks GROUP BY row_id
            ) m ON m.row_id = r.row_id
            WHERE dataset = ? ORDER BY r.row_id
            """,
            [name],
        )

    def crop(self, row_id: int) -> CropRequest:
        """Where the picture of a row is, with its mask if the current one is accepted.

        Raises:
            UnknownRowError: if there is no such row.
        """
        found = self._database.read(
            """
            SELECT d.card->>'root', path, file_sha256, bbox_x, bbox_y, bbox_w, bbox_h
            FROM rows JOIN datasets d ON d.name = dataset WHERE row_id = ?
            """,
            [row_id],
        )
        if not found:
            raise UnknownRowError(
                f"there is no row {row_id} in this workspace; its dataset may have been replaced"
            )
        root, path, file_sha256, *bbox = found[0]
        _, mask = self.mask_history.current(row_id)
        return CropRequest(
            row_id=row_id,
            path=str(Path(root) / path),
            bbox_xywh=None if bbox[0] is None else (bbox[0], bbox[1], bbox[2], bbox[3]),
            mask=mask if mask is not None and mask.status is MaskStatus.ACCEPTED else None,
            file_sha256=file_sha256,
        )

    def masks(self, name: str) -> dict[int, Mask]:
        """The current mask version of every row that has one, by row id."""
        self._dataset_field(name, "name")
        return self.mask_history.of_dataset(name)

    def review_queue(self, name: str) -> ReviewQueue:
        """The rows of a dataset with their masks' states and defects, to be reviewed.

        What `mask_checks.update` has not measured yet has no score and no flag.
        """
        self._dataset_field(name, "name")
        return ReviewQueue(self.mask_checks.table(name))

    def register_run(self, run: RunRecord) -> None:
        """Record a finished run; the same run id again replaces its record."""
        with self._database.transaction() as cursor:
            cursor.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", dataclasses.astuple(run)
            )

    def runs(self) -> list[RunRecord]:
        """Finished runs, the latest first."""
        found = self._database.read(
            "SELECT run_id, dataset, encoder, finished_at FROM runs "
            "ORDER BY finished_at DESC, run_id"
        )
        return [RunRecord(*row) for row in found]

    def _dataset_field(self, name: str, column: str) -> str:
        found = self._database.read(f"SELECT {column} FROM datasets WHERE name = ?", [name])
        if not found:
            names = ", ".join(d.name for d in self.datasets()) or "none yet"
            raise InputError(f"no dataset {name!r} in {self.root}; there: {names}")
        return str(found[0][0])
