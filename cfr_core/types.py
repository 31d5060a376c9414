"""The values that travel through an audit; arrays are checked once, on construction.

Words follow Upadhyay et al., "CounterFactual Retrieval for Evidence-Aware Individual Animal
Identification" (arXiv 2611.06864), cited below as CFR. Suffixes carry units and order:
`_px` pixels, `_hw` (height, width), `_xywh` (left, top, width, height), `_s` seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cfr_core.errors import InputError
from cfr_core.fingerprint import fingerprint

RGB: TypeAlias = tuple[int, int, int]
FloatArray: TypeAlias = npt.NDArray[np.floating]
Float32Array: TypeAlias = npt.NDArray[np.float32]
IntArray: TypeAlias = npt.NDArray[np.integer]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ImageArray: TypeAlias = npt.NDArray[np.uint8]
"""(H, W, 3) uint8, RGB, upright (EXIF orientation applied)."""

IMAGENET_MEAN_RGB: RGB = (124, 116, 104)
BLACK_RGB: RGB = (0, 0, 0)


DeviceChoice: TypeAlias = Literal["auto", "cuda", "mps", "cpu"]
"""Where to compute; "auto" takes a GPU that works, else the CPU."""


class View(StrEnum):
    """The four counterfactual views of a crop (CFR sec. 3.2)."""

    FULL = "full"
    FOREGROUND = "foreground"
    SHORTCUT = "shortcut"
    SILHOUETTE = "silhouette"


class SilhouetteRole(StrEnum):
    """Whether the body outline counts as biometric evidence or as a shortcut (CFR sec. 3.5, S1).

    SHORTCUT: the outline is no biometric. IDENTITY: it is (flukes, fins). AMBIGUOUS: both
    readings are reported and the stricter one is the headline.
    """

    SHORTCUT = "shortcut"
    IDENTITY = "identity"
    AMBIGUOUS = "ambiguous"


class MaskStatus(StrEnum):
    """State of one mask version in review; only ACCEPTED masks enter an audit."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class Region(StrEnum):
    """The quarter of the CFR-SSI plane a profile lies in, split at 0.5 / 0.5 (CFR sec. 3.6)."""

    WEAK = "weak retrieval"
    FOREGROUND_DRIVEN = "foreground-driven"
    SHORTCUT_DRIVEN = "shortcut-driven"
    LEAKAGE = "dataset leakage"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class ViewSpec:
    """A view with the colours that draw it.

    Attributes:
        view: Which of the four views.
        fill_rgb: Colour in place of what the view removes; each channel 0 to 255.
        silhouette_rgb: Colour of the animal in the silhouette view; each channel 0 to 255.
    """

    view: View
    fill_rgb: RGB = IMAGENET_MEAN_RGB
    silhouette_rgb: RGB = BLACK_RGB

    def __post_init__(self) -> None:
        for name, rgb in (("fill_rgb", self.fill_rgb), ("silhouette_rgb", self.silhouette_rgb)):
            if len(rgb) != 3 or any(not 0 <= channel <= 255 for channel in rgb):
                raise InputError(f"{name} must be three numbers from 0 to 255, got {rgb}")

    @property
    def needs_mask(self) -> bool:
        """True for every view but the full image."""
        return self.view is not View.FULL

    @cached_property
    def fingerprint(self) -> str:
        """Digest of what this view depends on: the colours count only where they are drawn."""
        return fingerprint(
            view=self.view.value,
            fill=list(self.fill_rgb) if self.needs_mask else None,
            silhouette=list(self.silhouette_rgb) if self.view is View.SILHOUETTE else None,
        )


@dataclass(frozen=True)
class EncoderSpec:
    """An encoder with the preprocessing it was trained with.

    Attributes:
        name: Name in the registry, such as "effnet-lite0".
        architecture: Architecture that the weights belong to, such as "tf_efficientnet_lite0".
        weights_sha256: Digest of the weights file.
        input_size_px: Side of the square input; the whole crop is resized to it, no centre crop.
        mean: Per-channel mean on the 0..1 scale, RGB.
        std: Per-channel standard deviation on the 0..1 scale, RGB.
        interpolation: Resampling filter of the resize.
        dim: Length of an embedding.
        licence: Licence of the weights, as their publisher states it.
    """

    name: str
    architecture: str
    weights_sha256: str
    input_size_px: int
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    interpolation: Literal["bicubic", "bilinear"]
    dim: int
    licence: str

    @property
    def fingerprint(self) -> str:
        """Digest of everything that changes a vector; name and licence do not."""
        return fingerprint(
            architecture=self.architecture,
            weights=self.weights_sha256,
            input_size_px=self.input_size_px,
            mean=list(self.mean),
            std=list(self.std),
            interpolation=self.interpolation,
        )


@dataclass(frozen=True)
class RetrievalTask:
    """Who may be retrieved for whom; the same in all four views (CFR sec. 3.3).

    Row numbers index the rows of an embedding matrix of N benchmark rows (identity known, mask
    accepted). The gallery of query q is `gallery_rows` less q itself less every row that shares
    a known exclusion code with q.

    Attributes:
        identity_codes: (N,) int64, equal for rows of one individual; never negative.
        query_rows: (Q,) int64, ascending row numbers.
        gallery_rows: (G,) int64, ascending row numbers.
        exclusion_codes: (N, C) int64, a column for each exclusion rule (file, encounter, date,
            camera, ...); -1 where the value is unknown, which excludes nothing.
    """

    identity_codes: IntArray
    query_rows: IntArray
    gallery_rows: IntArray
    exclusion_codes: IntArray

    def __post_init__(self) -> None:
        n_rows = len(self.identity_codes)
        if self.exclusion_codes.ndim != 2 or len(self.exclusion_codes) != n_rows:
            raise InputError(
                f"exclusion_codes must be ({n_rows}, C), got {self.exclusion_codes.shape}"
            )
        if n_rows and self.identity_codes.min() < 0:
            raise InputError("identity_codes must not be negative: drop unknown identities first")
        for name, rows in (("query_rows", self.query_rows), ("gallery_rows", self.gallery_rows)):
            if len(rows) and (rows.min() < 0 or rows.max() >= n_rows or (np.diff(rows) <= 0).any()):
                raise InputError(f"{name} must be ascending row numbers below {n_rows}")

    @property
    def is_leave_one_out(self) -> bool:
        """True if every row queries all the others, so that the similarity matrix is symmetric."""
        n_rows = len(self.identity_codes)
        return len(self.query_rows) == len(self.gallery_rows) == n_rows


@dataclass(frozen=True)
class Neighbours:
    """The nearest gallery rows of each query in one view, nearest first; ties to the lower row.

    Attributes:
        query_rows: (Q,) int64, row number of each query.
        rows: (Q, K) int32, row numbers of the neighbours; -1 past the end of a short gallery.
        scores: (Q, K) float32, cosine similarities; NaN past the end.
        first_hit_rank: (Q,) int32, place of the first positive in the order of the whole gallery,
            ties to the lower row: at most k exactly where the k nearest hold a positive; 0 where
            the query has none.
        first_hit_row: (Q,) int32, row number of that positive; -1 where there is none.
        n_positives: (Q,) int32, gallery rows of the query's identity.
        n_gallery: (Q,) int32, size of the query's gallery.
    """

    query_rows: IntArray
    rows: IntArray
    scores: Float32Array
    first_hit_rank: IntArray
    first_hit_row: IntArray
    n_positives: IntArray
    n_gallery: IntArray


@dataclass(frozen=True)
class Mask:
    """One version of the animal's mask on its crop.

    Attributes:
        row_id: The row it belongs to.
        size_hw: Size of the crop, (height, width) in pixels.
        counts: COCO compressed run lengths, ASCII, column-major order.
        source: "human", "dataset", or the name of the engine that made it.
        status: State in review.
        score: The engine's own score from 0 to 1, or None.
        prompts: What the engine was asked, as JSON text; empty if nothing.
        author: Who made it; empty if not said.
        created_at: ISO 8601 time with zone; empty if not said.
        reason: Why it was rejected, in a person's words; empty if not said.
    """

    row_id: int
    size_hw: tuple[int, int]
    counts: str
    source: str
    status: MaskStatus
    score: float | None = None
    prompts: str = ""
    author: str = ""
    created_at: str = ""
    reason: str = ""

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the pixels alone: two people who draw the same mask share one digest."""
        return fingerprint(size_hw=list(self.size_hw), counts=self.counts)


@dataclass(frozen=True)
class Progress:
    """How far a long task is.

    Attributes:
        stage: What is being done, in words for the screen.
        done: Finished units.
        total: All units, or 0 if not known.
        unit: What is counted, in the plural.
    """

    stage: str
    done: int
    total: int
    unit: str = "images"


OnProgress: TypeAlias = Callable[[Progress], None]


def no_progress(_: Progress) -> None:
    """Ignore progress; the default where nobody watches."""


@dataclass(frozen=True)
class CropRequest:
    """One row to embed: where its pixels are and which views are missing.

    Attributes:
        row_id: The row.
        path: Absolute path of the image file.
        bbox_xywh: Crop in upright pixels, or None for the whole image.
        mask: The accepted mask, of the crop's size.
        views: The views wanted.
        file_sha256: Digest of the file at its import; another content is refused. None skips that.
    """

    row_id: int
    path: str
    bbox_xywh: tuple[int, int, int, int] | None
    mask: Mask | None
    views: tuple[ViewSpec, ...] = ()
    file_sha256: str | None = None
