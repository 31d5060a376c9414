"""Every version of every mask: who made it, from what, and which one counts.

The last version of a row is its current one. Nothing is overwritten or deleted; a review or a
return to an older version is a new version. An edit names the version that it started from, so
that of two people at one mask the second is told, and neither loses work.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from cfr_core.errors import MaskError
from cfr_core.masks.rle import area_px
from cfr_core.types import Mask, MaskStatus
from cfr_core.workspace import coding
from cfr_core.workspace.database import Database
from cfr_core.workspace.mask_rules import check_pixels, conflict, empty_words
from cfr_core.workspace.mask_table import (
    CANDIDATE_COLUMNS,
    MaskCandidate,
    candidate_from_row,
    check_sizes,
    current_masks,
    store_candidates,
    store_versions,
)


@dataclass(frozen=True)
class ProposalCounts:
    """What became of the masks of a bulk run.

    Attributes:
        n_accepted: Stored, and in use.
        n_proposed: Stored, and waiting for a person.
        n_rejected: Stored, and not in use.
        n_kept: Not stored, since the row's mask is a person's work or came with the dataset.
        n_unchanged: Not stored, since the row's mask is the same already.
    """

    n_accepted: int = 0
    n_proposed: int = 0
    n_rejected: int = 0
    n_kept: int = 0
    n_unchanged: int = 0


@dataclass(frozen=True)
class ReviewOutcome:
    """What became of a review of many masks.

    Attributes:
        changed: New version of each row that was changed, by row id.
        refused: Why a row was left as it was, by row id; a sentence for people.
    """

    changed: Mapping[int, int]
    refused: Mapping[int, str]


class MaskHistory:
    """Mask versions of a workspace, numbered from 1 in each row; threads may share it."""

    def __init__(self, database: Database) -> None:
        """Keep the versions in an open database."""
        self._database = database

    def current(self, row_id: int) -> tuple[int, Mask | None]:
        """Version and mask that count for a row; 0 and None where it has none."""
        versions = self._read(row_id)
        return max(versions, key=lambda version: version[0]) if versions else (0, None)

    def versions(self, row_id: int) -> list[tuple[int, Mask]]:
        """All versions of a row, the oldest first."""
        return sorted(self._read(row_id), key=lambda version: version[0])

    def of_dataset(self, name: str) -> dict[int, Mask]:
        """The current mask of every row of a dataset that has one, by row id."""
        found = self._database.read(
            f"""
            SELECT {coding.MASK_COLUMNS} FROM masks
            WHERE row_id IN (SELECT row_id FROM rows WHERE dataset = ?)
            QUALIFY row_number() OVER (PARTITION BY row_id ORDER BY version DESC) = 1
            ORDER BY row_id
            """,
            [name],
        )
        return {row[0]: coding.mask_from_row(row) for row in found}

    def add(self, mask: Mask, *, based_on: int) -> int:
        """Store a person's mask as the next version of its row.

        Args:
            mask: Of the crop's size. Its time is set to now unless it has one.
            based_on: The version that the person started from; 0 for none.

        Returns:
            The number of the new version.

        Raises:
            UnknownRowError: if there is no such row.
            MaskError: if the mask is of another size than the crop, its run lengths do not fill
                that size, or it is accepted without a pixel.
            MaskConflictError: if `based_on` is not the current version; nothing is stored then.
        """
        check_pixels(mask)
        with self._database.transaction() as cursor:
            check_sizes(cursor, [mask])
            version = _next_version(cursor, mask.row_id, based_on)
            store_versions(cursor, [(version, mask)], by_person=True)
        return version

    def review(
        self, row_id: int, status: MaskStatus, *, author: str, based_on: int, reason: str = ""
    ) -> int:
        """Accept or reject the current mask, or put it back to proposed: same pixels, new version.

        Args:
            row_id: The row.
            status: What the person decided.
            author: Who decided.
            based_on: The version that the person saw.
            reason: Why, in the person's words.

        Returns:
            The number of the new version.

        Raises:
            MaskError: if the row has no mask, or an empty one is accepted.
            MaskConflictError: if `based_on` is not the current version.
        """
        version, mask = self.current(row_id)
        if mask is None:
            raise MaskError(f"row {row_id} has no mask to review; make one first")
        if version != based_on:
            raise conflict(mask, version, based_on)
        reviewed = _as_reviewed(mask, status, author=author, reason=reason)
        return self.add(reviewed, based_on=based_on)

    def restore(self, row_id: int, version: int, *, author: str, based_on: int) -> int:
        """Make an older version count again, as a new version with its pixels and status.

        Args:
            row_id: The row.
            version: The version to go back to.
            author: Who decided.
            based_on: The version that the person saw as current.

        Returns:
            The number of the new version.

        Raises:
            MaskError: if the row has no such version.
            MaskConflictError: if `based_on` is not the current version.
        """
        mask = dict(self.versions(row_id)).get(version)
        if mask is None:
            raise MaskError(f"row {row_id} has no version {version} of its mask")
        return self.add(replace(mask, author=author, created_at=""), based_on=based_on)

    def review_many(
        self,
        row_ids: Sequence[int],
        status: MaskStatus,
        *,
        author: str,
        reason: str = "",
        seen: Mapping[int, int] | None = None,
    ) -> ReviewOutcome:
        """Give one decision for the current masks of many rows, all in one transaction.

        Args:
            row_ids: The rows. Those whose mask has this status already are left as they are.
            status: What the person decided.
            author: Who decided.
            reason: Why, in the person's words.
            seen: The version that the person saw, by row; a row that has another by now is
                refused. None takes the current ones as seen.

        Returns:
            The new versions, and why other rows were refused.
        """
        with self._database.transaction() as cursor:
            current = current_masks(cursor, row_ids)
            refused = {
                row_id: why
                for row_id in row_ids
                if (why := _why_not(row_id, current.get(row_id), status, seen))
            }
            changed = {
                row_id: (version + 1, _as_reviewed(mask, status, author=author, reason=reason))
                for row_id, (version, mask, _) in current.items()
                if row_id not in refused and mask.status is not status
            }
            store_versions(cursor, changed.values(), by_person=True)
        return ReviewOutcome({row_id: new for row_id, (new, _) in changed.items()}, refused)

    def add_proposals(
        self, proposals: Iterable[Mask], candidates: Iterable[MaskCandidate] = ()
    ) -> ProposalCounts:
        """Store the masks of a bulk run where no person has worked, all of them or none.

        A row is left alone if a person drew, reviewed or restored its mask, or if the mask came
        with the dataset. The same proposals again change nothing.

        Args:
            proposals: At most one mask a row, each of its crop's size.
            candidates: All masks that the run chose among, kept beside the versions.

        Raises:
            UnknownRowError, MaskError: as `add`.
        """
        masks = {mask.row_id: mask for mask in proposals}
        for mask in masks.values():
            check_pixels(mask)
        with self._database.transaction() as cursor:
            check_sizes(cursor, list(masks.values()))
            current = current_masks(cursor, list(masks))
            kept = {i for i, (_, old, is_human) in current.items() if is_human or _came_with(old)}
            same = {i for i, (_, old, _) in current.items() if _says_the_same(old, masks[i])}
            new = [mask for i, mask in masks.items() if i not in kept | same]
            numbered = [(current[m.row_id][0] + 1 if m.row_id in current else 1, m) for m in new]
            store_versions(cursor, numbered, by_person=False)
            store_candidates(cursor, candidates)
        n_by_status = {status: sum(m.status is status for m in new) for status in MaskStatus}
        return ProposalCounts(
            n_by_status[MaskStatus.ACCEPTED],
            n_by_status[MaskStatus.PROPOSED],
            n_by_status[MaskStatus.REJECTED],
            n_kept=len(kept),
            n_unchanged=len(same - kept),
        )

    def candidates(self, row_id: int) -> list[MaskCandidate]:
        """What bulk runs chose among for a row, and why they took or left each; by run."""
        found = self._database.read(
            f"SELECT {CANDIDATE_COLUMNS} FROM mask_candidates WHERE row_id = ? "
            "ORDER BY job, number",
            [row_id],
        )
        return [candidate_from_row(row) for row in found]

    def _read(self, row_id: int) -> list[tuple[int, Mask]]:
        # In any order: for a single row, ORDER BY takes longer than the rest.
        found = self._database.read(
            f"SELECT version, {coding.MASK_COLUMNS} FROM masks WHERE row_id = ?", [row_id]
        )
        return [(version, coding.mask_from_row(tuple(row))) for version, *row in found]


def _next_version(cursor: duckdb.DuckDBPyConnection, row_id: int, based_on: int) -> int:
    current = current_masks(cursor, [row_id]).get(row_id)
    if current is not None and current[0] != based_on:
        raise conflict(current[1], current[0], based_on)
    if current is None and based_on:
        raise MaskError(f"row {row_id} has no mask, so no version {based_on} to start from")
    return based_on + 1


def _why_not(
    row_id: int,
    current: tuple[int, Mask, bool] | None,
    status: MaskStatus,
    seen: Mapping[int, int] | None,
) -> str:
    if current is None:
        return f"row {row_id} has no mask to review; make one first"
    version, mask, _ = current
    if seen is not None and seen.get(row_id) != version:
        return str(conflict(mask, version, seen.get(row_id, 0)))
    if status is MaskStatus.ACCEPTED and not area_px(mask):
        return empty_words(row_id)
    return ""


def _as_reviewed(mask: Mask, status: MaskStatus, *, author: str, reason: str) -> Mask:
    return replace(mask, status=status, author=author, reason=reason, created_at="")


def _came_with(mask: Mask) -> bool:
    return mask.source == "dataset"


def _says_the_same(old: Mask, new: Mask) -> bool:
    """True if a proposal differs from a stored one in its time at most."""
    return replace(old, created_at=new.created_at) == new
