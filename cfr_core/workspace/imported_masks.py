"""Masks that were made elsewhere, as versions of the rows' masks."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as changed

from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace.store import Workspace


@dataclass(frozen=True)
class ImportCounts:
    """What became of imported masks.

    Attributes:
        n_added: Stored and accepted, each as the newest version of its row.
        n_unchanged: Rows whose mask has these pixels and is accepted already.
        n_kept: Rows that have another mask, which was not to be replaced.
    """

    n_added: int
    n_unchanged: int
    n_kept: int


def add_imported(
    workspace: Workspace, masks: Mapping[int, Mask], *, source: str, author: str, replace: bool
) -> ImportCounts:
    """Store masks from files as a person's work, which bulk runs leave alone.

    Args:
        workspace: Open workspace.
        masks: Masks by row id, each of its crop's size.
        source: Name of the file or folder, for the record.
        author: Who made them; "" if not said.
        replace: Also where a row has a mask; the older version stays in its history.

    Raises:
        MaskError: if a mask does not fit its row; those before it are stored.
    """
    n_added = n_unchanged = n_kept = 0
    history = workspace.mask_history
    for row_id, mask in masks.items():
        version, old = history.current(row_id)
        if old is not None and _is_same(old, mask):
            n_unchanged += 1
        elif old is not None and not replace:
            n_kept += 1
        else:
            made = changed(
                mask,
                source="human",
                author=author,
                status=MaskStatus.ACCEPTED,
                prompts=json.dumps({"file": source}, ensure_ascii=False),
            )
            history.add(made, based_on=version)
            n_added += 1
    return ImportCounts(n_added, n_unchanged, n_kept)


def _is_same(old: Mask, new: Mask) -> bool:
    return old.fingerprint == new.fingerprint and old.status is MaskStatus.ACCEPTED
