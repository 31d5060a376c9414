"""A job folder: everything an audit needs, as files, so that any process can run it.

The database belongs to one process at a time, and a long job must not hold it. So the opener of
the workspace writes `runs/<run_id>/` with spec.json and the rows; whoever runs the job reads
these and writes files only; the opener then registers the run.
"""

import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pandas as pd

from cfr_core.audit.selection import LeftOut, select_rows
from cfr_core.audit.spec import AuditSpec
from cfr_core.fingerprint import fingerprint
from cfr_core.types import CropRequest, Mask, MaskStatus, SilhouetteRole
from cfr_core.workspace.files import read_json, write_json, write_parquet
from cfr_core.workspace.store import Workspace

SPEC_FILE = "spec.json"
ROWS_FILE = "rows.parquet"
LEFT_OUT_FILE = "left_out.parquet"
PROFILE_FILE = "profile.json"
"""The result, written last: a folder without it is a run that has not finished."""

BBOX_COLUMNS = ("bbox_x", "bbox_y", "bbox_w", "bbox_h")


@dataclass(frozen=True)
class AuditJob:
    """An audit ready to run.

    Attributes:
        folder: `runs/<run_id>` of a workspace.
        spec: What is asked.
        root: Folder that the rows' paths start from.
        silhouette_role: Role of the outline, fixed at the import.
        role_source: Where the role comes from.
        n_rows: All rows of the dataset.
        table: Benchmark rows, index 0..N-1.
        masks: Their masks, in the same order.
        left_out: row_id, path, reason of the other rows.
    """

    folder: Path
    spec: AuditSpec
    root: Path
    silhouette_role: SilhouetteRole
    role_source: str
    n_rows: int
    table: pd.DataFrame
    masks: tuple[Mask, ...]
    left_out: pd.DataFrame

    @property
    def run_id(self) -> str:
        """The same for the same question asked of the same rows."""
        return self.folder.name

    @property
    def workspace_root(self) -> Path:
        """The workspace that the folder belongs to."""
        return self.folder.parents[1]

    @cached_property
    def crops(self) -> tuple[CropRequest, ...]:
        """The rows as the embedding asks for them, in all views; a row's place is its number."""
        columns, views = ("row_id", "path", "file_sha256", *BBOX_COLUMNS), self.spec.views
        values = zip(*(self.table[column].tolist() for column in columns), strict=True)
        return tuple(
            CropRequest(
                row_id=row_id,
                path=str(self.root / path),
                file_sha256=sha256,
                bbox_xywh=None if pd.isna(bbox[0]) else (bbox[0], bbox[1], bbox[2], bbox[3]),
                mask=mask,
                views=views,
            )
            for (row_id, path, sha256, *bbox), mask in zip(values, self.masks, strict=True)
        )

    def only(self, rows: Sequence[int]) -> "AuditJob":
        """The job with some of its benchmark rows alone.

        Args:
            rows: Their numbers 0..N-1, ascending.
        """
        return dataclasses.replace(
            self,
            table=self.table.iloc[list(rows)].reset_index(drop=True),
            masks=tuple(self.masks[row] for row in rows),
        )

    def without(self, failed: Mapping[int, LeftOut]) -> "AuditJob":
        """The job with some of its benchmark rows among those left out.

        Args:
            failed: Why a row is left out, by its number 0..N-1.
        """
        if not failed:
            return self
        kept = [row for row in range(len(self.table)) if row not in failed]
        rows = sorted(failed)
        more = self.table.loc[rows, ["row_id", "path"]].assign(
            reason=[failed[row].value for row in rows]
        )
        left_out = pd.concat([self.left_out, more], ignore_index=True)
        return dataclasses.replace(self.only(kept), left_out=left_out)

    def write(self) -> None:
        """Write the folder; `read` gives an equal job in any process."""
        with_masks = self.table.assign(
            mask_h=[mask.size_hw[0] for mask in self.masks],
            mask_w=[mask.size_hw[1] for mask in self.masks],
            mask_counts=[mask.counts for mask in self.masks],
            mask_source=[mask.source for mask in self.masks],
        )
        write_parquet(self.folder / ROWS_FILE, with_masks)
        write_parquet(self.folder / LEFT_OUT_FILE, self.left_out)
        write_json(
            self.folder / SPEC_FILE,
            {
                "spec": self.spec.to_json(),
                "root": str(self.root),
                "silhouette_role": self.silhouette_role.value,
                "role_source": self.role_source,
                "n_rows": self.n_rows,
            },
        )

    @classmethod
    def read(cls, folder: Path, row_ids: Collection[int] | None = None) -> Self:
        """The job of a folder that `write` has written.

        Args:
            folder: `runs/<run_id>` of a workspace.
            row_ids: Only these of its benchmark rows, or None for all.
        """
        header = read_json(folder / SPEC_FILE)
        filters = None if row_ids is None else [("row_id", "in", list(row_ids))]
        table = pd.read_parquet(folder / ROWS_FILE, filters=filters)
        mask_columns = [table.pop(f"mask_{name}") for name in ("h", "w", "counts", "source")]
        masks = tuple(
            Mask(int(row_id), (int(h), int(w)), counts, source, MaskStatus.ACCEPTED)
            for row_id, h, w, counts, source in zip(table["row_id"], *mask_columns, strict=True)
        )
        return cls(
            folder=folder,
            spec=AuditSpec.from_json(header["spec"]),
            root=Path(header["root"]),
            silhouette_role=SilhouetteRole(header["silhouette_role"]),
            role_source=header["role_source"],
            n_rows=header["n_rows"],
            table=table,
            masks=masks,
            left_out=pd.read_parquet(folder / LEFT_OUT_FILE),
        )


def prepare(workspace: Workspace, spec: AuditSpec) -> AuditJob:
    """Choose the benchmark rows of an audit and write its job folder; errors as of `plan`."""
    job = plan(workspace, spec)
    _drop_other_result(job)
    job.write()
    return job


def _drop_other_result(job: AuditJob) -> None:
    """Take away a result of other masks: a run that followed edits goes on under its old name."""
    profile, rows = job.folder / PROFILE_FILE, job.folder / ROWS_FILE
    if not (profile.is_file() and rows.is_file()):
        return
    table = pd.read_parquet(rows, columns=["row_id", "mask_counts"])
    pixels = [(mask.row_id, mask.counts) for mask in job.masks]
    if list(zip(table["row_id"], table["mask_counts"], strict=True)) != pixels:
        profile.unlink()


def plan(workspace: Workspace, spec: AuditSpec) -> AuditJob:
    """Choose the benchmark rows of an audit; nothing is written.

    Raises:
        InputError: if the dataset, a column or a label is not there, or no row is left.
    """
    job = plan_in(workspace.runs_dir, workspace, spec)
    return dataclasses.replace(job, folder=workspace.runs_dir / _run_id(job))


def plan_in(folder: Path, workspace: Workspace, spec: AuditSpec) -> AuditJob:
    """The same in a folder that is there: a run goes on under its name with other masks.

    Args:
        folder: `runs/<run_id>` of the workspace.
        workspace: Open workspace.
        spec: The audit.

    Raises:
        InputError: as of `plan`.
    """
    card = workspace.card(spec.dataset)
    annotations = workspace.annotations(spec.dataset)
    selection = select_rows(annotations, workspace.masks(spec.dataset), spec)
    return AuditJob(
        folder=folder,
        spec=spec,
        root=Path(card.root),
        silhouette_role=card.silhouette_role,
        role_source=card.role_source,
        n_rows=len(annotations),
        table=selection.table,
        masks=selection.masks,
        left_out=selection.left_out,
    )


def _run_id(job: AuditJob) -> str:
    spec = job.spec
    rows: dict[str, Any] = {
        "row_ids": job.table["row_id"].tolist(),
        "identities": job.table["identity"].tolist(),
        "files": job.table["file_sha256"].tolist(),
        "masks": [mask.fingerprint for mask in job.masks],
    }
    digest = fingerprint(spec=dataclasses.asdict(spec), role=job.silhouette_role.value, rows=rows)
    encoder = re.sub(r"[^A-Za-z0-9._-]+", "-", spec.encoder)[-60:]
    return f"{spec.dataset}-{encoder}-{digest[:10]}"
