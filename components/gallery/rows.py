"""The rows of a gallery, as columns."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from cfr_core.errors import InputError
from cfr_core.types import IntArray


class TileState(StrEnum):
    """What the frame of a picture tells; each has its own sign and line beside its colour."""

    PLAIN = "plain"
    RIGHT = "right"  # the same individual
    WRONG = "wrong"  # another individual
    QUERY = "query"  # what the others are compared to
    ATTENTION = "attention"  # something is missing or waits for a person


_LETTERS = {state: state[0] for state in TileState}


@dataclass(frozen=True)
class GalleryRows:
    """Rows to show, in this order.

    Attributes:
        row_ids: (N,) int64, the rows; each at most once.
        captions: N texts, the first line under each picture.
        details: N texts, the second line, or None for one line only.
        states: N states, or None where all are plain.
        versions: (N,) int64, raised when the picture of a row has changed (its mask version), or
            None if it cannot.
    """

    row_ids: IntArray
    captions: Sequence[str]
    details: Sequence[str] | None = None
    states: Sequence[TileState] | None = None
    versions: IntArray | None = None

    def __post_init__(self) -> None:
        for name in ("captions", "details", "states", "versions"):
            column = getattr(self, name)
            if column is not None and len(column) != len(self.row_ids):
                raise InputError(f"{len(self.row_ids)} rows, but {len(column)} {name}")
        if len(np.unique(self.row_ids)) != len(self.row_ids):
            raise InputError("a row may be in a gallery once only")

    def __len__(self) -> int:
        return len(self.row_ids)

    @cached_property
    def positions(self) -> dict[int, int]:
        """Place of each row in the gallery."""
        return {int(row_id): place for place, row_id in enumerate(self.row_ids)}

    @cached_property
    def columns(self) -> bytes:
        """The columns as JSON, as the browser reads them."""
        n = len(self)
        states = self.states if self.states is not None else [TileState.PLAIN] * n
        columns = {
            "ids": np.asarray(self.row_ids).tolist(),
            "captions": list(self.captions),
            "details": None if self.details is None else list(self.details),
            # One letter a row, so that a hundred thousand of them stay small.
            "states": "".join(_LETTERS[state] for state in states),
            "versions": None if self.versions is None else np.asarray(self.versions).tolist(),
        }
        return json.dumps(columns, ensure_ascii=False, separators=(",", ":")).encode()

    @cached_property
    def digest(self) -> str:
        """Equal for equal rows."""
        return hashlib.sha256(self.columns).hexdigest()
