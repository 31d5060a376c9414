"""Choosing rows of a dataset by what is known of them."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pandas as pd

from cfr_core.datasets.facts import NO_MASK

Knowledge: TypeAlias = Literal["any", "known", "unknown"]

SEARCHED = ("path", "identity", "encounter", "camera", "orientation", "split", "species")
"""Columns that a search looks into."""


_WORDS = re.compile(r'"([^"]+)"|(\S+)')


@dataclass(frozen=True)
class RowFilter:
    """Which rows to keep; the parts all have to hold.

    Attributes:
        search: Words, or "several words" in quotes, each of which must be part of some text of the
            row; case does not count.
        mask: State of the mask, or `NO_MASK`; "" for any.
        identity: Whether the individual is known.
    """

    search: str = ""
    mask: str = ""
    identity: Knowledge = "any"

    def apply(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows to keep, in their order.

        Args:
            rows: As of `Workspace.browse`.
        """
        kept = rows
        if self.mask:
            kept = kept[kept["mask_status"] == ("" if self.mask == NO_MASK else self.mask)]
        if self.identity != "any":
            kept = kept[kept["is_known"] == (self.identity == "known")]
        words = [quoted or word for quoted, word in _WORDS.findall(self.search.casefold())]
        if not words or kept.empty:
            return kept
        text = kept[SEARCHED[0]].fillna("")
        for name in SEARCHED[1:]:
            text = text + "\n" + kept[name].fillna("").astype("string")
        text = text.str.casefold()
        for word in words:
            text = text[text.str.contains(word, regex=False)]
        return kept.loc[text.index]
