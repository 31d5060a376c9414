"""Jobs that read and check a source of photos, and add it to the workspace as a dataset."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from cfr_core.datasets.check import check
from cfr_core.datasets.records import (
    UNKNOWN_IDENTITIES,
    ImportResult,
    Severity,
    SourceTable,
)
from cfr_core.datasets.sources import SourceKind, read_source
from cfr_core.datasets.wildlife import read_wildlife
from cfr_core.errors import InputError
from cfr_core.jobs.folder import JobFolder
from cfr_core.jobs.import_files import load_import, save_import
from cfr_core.jobs.kind import Kind, Stored
from cfr_core.jobs.records import JobOrder, NewJob
from cfr_core.types import OnProgress, SilhouetteRole
from cfr_core.workspace.store import Workspace

KIND = "import"


@dataclass(frozen=True)
class ImportSpec:
    """A source and how to read it.

    Attributes:
        source: Folder, table or COCO file; with `wildlife` the folder of that dataset.
        name: Name of the dataset in the workspace.
        role: Whether the outline is a biometric; None for the published role, else ambiguous.
        unknown_identities: Names that stand for "nobody knows".
        table: Which table of the folder to read, where there are several.
        kind: What the source is; None: found out.
        columns: Role -> column, where a person says what a column means; "" for no column.
        masks: Folder of mask files, or table of run lengths; None for what the source has.
        wildlife: Class of wildlife-datasets that reads the source, or None.
        replace: Take the place of a dataset of the same name.
    """

    source: str
    name: str
    role: SilhouetteRole | None = None
    unknown_identities: tuple[str, ...] = UNKNOWN_IDENTITIES
    table: str | None = None
    kind: SourceKind | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    masks: str | None = None
    wildlife: str | None = None
    replace: bool = False

    def read(self) -> SourceTable:
        """The source as parsed; no image is opened.

        Raises:
            InputError: if it cannot be read as asked.
        """
        if self.wildlife is not None:
            return read_wildlife(self.wildlife, Path(self.source), self.columns)
        masks = Path(self.masks) if self.masks else None
        is_folder = masks is not None and masks.is_dir()
        return read_source(
            Path(self.source),
            table=self.table,
            kind=self.kind,
            columns=self.columns,
            mask_dir=masks if is_folder else None,
            mask_table=None if is_folder else masks,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values, as `from_json` reads them."""
        return dataclasses.asdict(self) | {"columns": dict(self.columns)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The spec that `to_json` wrote."""
        return cls(
            **{
                **value,
                "role": SilhouetteRole(value["role"]) if value["role"] else None,
                "unknown_identities": tuple(value["unknown_identities"]),
            }
        )


def import_job(workspace: Workspace, spec: ImportSpec) -> NewJob:
    """An import to be queued.

    Raises:
        InputError: if the name is taken or is no plain name.
    """
    workspace.check_room(spec.name, replace=spec.replace)
    return NewJob(KIND, f"{KIND} {spec.name}", f"Import of {spec.name}", spec.to_json())


def store_import(workspace: Workspace, result: ImportResult, *, replace: bool) -> None:
    """Add a checked dataset, unless this very import is there already."""
    name = result.card.name
    if name in {summary.name for summary in workspace.datasets()}:
        there = (workspace.card(name), workspace.report(name))
        if there == (result.card, result.report):
            return
    workspace.add_dataset(result, replace=replace)


def _work(folder: JobFolder, order: JobOrder, on_progress: OnProgress) -> dict[str, Any]:
    spec = ImportSpec.from_json(order.spec)
    result = check(
        spec.read(),
        name=spec.name,
        role=spec.role,
        unknown_identities=spec.unknown_identities,
        on_progress=on_progress,
    )
    save_import(folder.result_dir, result)
    if not result.report.n_used:
        reasons = "; ".join(
            f"{count} {reason}"
            for reason, count in result.report.counts(Severity.SET_ASIDE).items()
        )
        raise InputError(
            f"no row of {spec.source} can be used, so nothing is stored ({reasons or 'no rows'})"
        )
    return {"dataset": spec.name}


def _store(workspace: Workspace, folder: JobFolder, order: JobOrder) -> Stored:
    result = load_import(folder.result_dir)
    store_import(workspace, result, replace=bool(order.spec["replace"]))
    return Stored(in_words(result), {"dataset": result.card.name})


def in_words(result: ImportResult) -> str:
    """One line about an import."""
    report, table = result.report, result.annotations.table
    n_identities = table["identity"][table["is_known"]].nunique()
    words = f"{report.n_used:,} rows of {n_identities:,} individuals, {report.n_masks:,} masks"
    return f"{words}; {report.n_set_aside:,} rows set aside" if report.n_set_aside else words


IMPORT = Kind(_work, _store)
