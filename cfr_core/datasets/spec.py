"""An import as plain values: what to read and how to take it, so that any process can do it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from cfr_core.datasets.check import check
from cfr_core.datasets.records import UNKNOWN_IDENTITIES, ImportResult, SourceTable
from cfr_core.datasets.sources import SourceKind, read_source
from cfr_core.datasets.wildlife import read_wildlife
from cfr_core.types import OnProgress, SilhouetteRole, no_progress


@dataclass(frozen=True)
class SourceSpec:
    """Where a dataset is and how to read it; arguments of `read_source` as plain values.

    Attributes:
        path: Folder, table or COCO file.
        table: Which table of the folder, where there are several.
        kind: What the source is; None: found out.
        wildlife: Class of wildlife-datasets that reads the folder, in place of our own readers.
        columns: Role -> column, where a person says what a column means; "" for no column.
        masks: Folder of mask files, or a table of run lengths; None: the usual places.
    """

    path: str
    table: str | None = None
    kind: SourceKind | None = None
    wildlife: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    masks: str | None = None

    def read(self) -> SourceTable:
        """Read the source without opening an image; errors as of `read_source`."""
        path = Path(self.path).expanduser()
        if self.wildlife is not None:
            return read_wildlife(self.wildlife, path, self.columns)
        masks = Path(self.masks).expanduser() if self.masks else None
        are_files = masks is not None and masks.is_dir()
        return read_source(
            path,
            table=self.table,
            kind=self.kind,
            columns=self.columns,
            mask_dir=masks if are_files else None,
            mask_table=None if are_files else masks,
        )


@dataclass(frozen=True)
class ImportSpec:
    """A source and what is decided about it before it is stored; see `check`.

    Attributes:
        source: What to read.
        name: Name in the workspace.
        role: Role of the outline; None: the published one, else ambiguous.
        unknown_identities: Names that stand for "nobody knows".
        replace: Put it in place of a dataset of the same name.
    """

    source: SourceSpec
    name: str
    role: SilhouetteRole | None = None
    unknown_identities: tuple[str, ...] = UNKNOWN_IDENTITIES
    replace: bool = False

    def run(self, on_progress: OnProgress = no_progress) -> ImportResult:
        """Read and check; nothing is stored. Errors as of `read_source`."""
        return check(
            self.source.read(),
            name=self.name,
            role=self.role,
            unknown_identities=self.unknown_identities,
            on_progress=on_progress,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"role": self.role.value if self.role else None}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The spec that `to_json` wrote."""
        role = value["role"]
        return cls(
            source=SourceSpec(**value["source"]),
            name=value["name"],
            role=SilhouetteRole(role) if role else None,
            unknown_identities=tuple(value["unknown_identities"]),
            replace=value["replace"],
        )
