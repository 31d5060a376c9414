"""The benchmark table: its head, and a row with its bound; both print as Markdown."""

from dataclasses import dataclass
from typing import Literal

HEADER = """\
| what | ours | compared with | ratio | target | holds |
|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Row:
    """A ratio measured side by side, with the bound it must keep.

    Attributes:
        what: What is measured, with its sizes, such as "top 10, N = 12,000, D = 1536".
        ours: Our measurement with its unit, such as "1.77 s".
        other: What it is compared with and its measurement, such as "faiss IndexFlatIP 3.60 s".
        ratio: The quotient that the target speaks of.
        bound: Which side of the target is right: "at most" or "at least".
        target: The ratio that is promised.
    """

    what: str
    ours: str
    other: str
    ratio: float
    bound: Literal["at most", "at least"]
    target: float

    @property
    def holds(self) -> bool:
        """True if the ratio keeps its bound; a NaN keeps none."""
        if self.bound == "at most":
            return self.ratio <= self.target
        return self.ratio >= self.target

    def __str__(self) -> str:
        cells = (
            self.what,
            self.ours,
            self.other,
            f"{self.ratio:.2f}",
            f"{self.bound} {self.target:.2f}",
            "yes" if self.holds else "NO",
        )
        return f"| {' | '.join(cells)} |"
