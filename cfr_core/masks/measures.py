"""What is measured on a mask to find faulty ones: parts, holes, borders, edge, box.

Parts of a mask touch at sides or corners, and holes at sides only: so a diagonal line of the mask
parts the background on its two sides (Rosenfeld 1970).
"""

from dataclasses import dataclass

import cv2
import numpy as np

from cfr_core.types import BoolArray

NAN = float("nan")

_EDGE_PX = 256
"""The animal's longer side while its edge is measured; finer steps are no matter of shape."""

_EDGE_BLUR = 0.02
"""Blur of the smooth edge that an edge is compared with, of the square root of the area."""

_FRAME = 0.02
"""Width of the crop's border, of its shorter side, at least a pixel."""


@dataclass(frozen=True)
class MaskMeasures:
    """Numbers of one mask; NaN where the mask is empty, which leaves them undefined.

    Attributes:
        area_share: Share of the crop that is the animal.
        n_islands: Parts beside the largest one.
        island_share: Their share of the mask.
        n_holes: Holes.
        hole_share: Their share of the mask with its holes filled.
        left_share: Share of the crop's left side that the mask touches; so for the other sides.
        top_share: As above.
        right_share: As above.
        bottom_share: As above.
        box_x: Left of the mask's bounding box in pixels of the crop; so for the other three.
        box_y: As above.
        box_w: As above.
        box_h: As above.
        roughness: How much longer the largest part's outline is than a smooth one; 0.1 is 10 %.
        frame_share: Share of the crop's border, 2 % wide, that the mask covers.
        centre_share: Share of the middle ninth of the crop that the mask covers.
    """

    area_share: float
    n_islands: int = 0
    island_share: float = NAN
    n_holes: int = 0
    hole_share: float = NAN
    left_share: float = NAN
    top_share: float = NAN
    right_share: float = NAN
    bottom_share: float = NAN
    box_x: float = NAN
    box_y: float = NAN
    box_w: float = NAN
    box_h: float = NAN
    roughness: float = NAN
    frame_share: float = NAN
    centre_share: float = NAN


def measure_mask(pixels: BoolArray) -> MaskMeasures:
    """Numbers of a mask.

    Args:
        pixels: (H, W) bool, of the crop's size, True on the animal.
    """
    box_xywh = bounding_box(pixels)
    if box_xywh is None:
        return MaskMeasures(area_share=0.0)
    x, y, w, h = box_xywh
    body = np.ascontiguousarray(pixels[y : y + h, x : x + w])
    n_px = int(np.count_nonzero(body))
    part_of, part_px = parts(body)
    _, label_px, is_hole = _background(body)
    hole_px = label_px[is_hole]
    return MaskMeasures(
        area_share=n_px / pixels.size,
        n_islands=len(part_px) - 1,
        island_share=1 - float(part_px.max()) / n_px,
        n_holes=len(hole_px),
        hole_share=float(hole_px.sum() / (n_px + hole_px.sum())),
        left_share=float(pixels[:, 0].mean()),
        top_share=float(pixels[0].mean()),
        right_share=float(pixels[:, -1].mean()),
        bottom_share=float(pixels[-1].mean()),
        box_x=x,
        box_y=y,
        box_w=w,
        box_h=h,
        roughness=_roughness(part_of == 1 + int(part_px.argmax())),
        frame_share=_frame_share(pixels),
        centre_share=_centre_share(pixels),
    )


def bounding_box(pixels: BoolArray) -> tuple[int, int, int, int] | None:
    """Smallest box around a mask, (x, y, w, h) in pixels; None if it is empty."""
    rows, columns = np.flatnonzero(pixels.any(axis=1)), np.flatnonzero(pixels.any(axis=0))
    if not len(rows):
        return None
    x, y = int(columns[0]), int(rows[0])
    return x, y, int(columns[-1]) - x + 1, int(rows[-1]) - y + 1


def parts(pixels: BoolArray) -> tuple[np.ndarray, np.ndarray]:
    """Connected parts of a mask.

    Args:
        pixels: (H, W) bool.

    Returns:
        (H, W) int32 part of each pixel, from 1, and 0 outside; (P,) int64 pixels of each part.
    """
    _, labels, stats, _ = cv2.connectedComponentsWithStats(
        np.ascontiguousarray(pixels).view(np.uint8), connectivity=8
    )
    return labels, stats[1:, cv2.CC_STAT_AREA].astype(np.int64)


def holes(pixels: BoolArray) -> tuple[np.ndarray, np.ndarray]:
    """Parts of the background that a mask encloses; what is open to the picture's border is none.

    Args:
        pixels: (H, W) bool.

    Returns:
        (H, W) int32 hole of each pixel, from 1, and 0 outside; (P,) int64 pixels of each hole.
    """
    labels, label_px, is_hole = _background(pixels)
    number = np.zeros(len(is_hole), np.int32)
    number[is_hole] = np.arange(1, is_hole.sum() + 1)
    return number[labels], label_px[is_hole]


def _background(pixels: BoolArray) -> tuple[np.ndarray, np.ndarray, BoolArray]:
    """(H, W) int32 label of each pixel, pixels of each label, and whether it is a hole."""
    outside = np.pad(~pixels, 1, constant_values=True).view(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(outside, connectivity=4)
    # Label 0 is the mask; one other label is the frame that was put around.
    is_hole = np.arange(len(stats)) != labels[0, 0]
    is_hole[0] = False
    return labels[1:-1, 1:-1], stats[:, cv2.CC_STAT_AREA].astype(np.int64), is_hole


def outline_length(pixels: BoolArray) -> float:
    """Length of a mask's outline in pixels, by its crossings with lines in four directions.

    Cauchy-Crofton: pi / 2 times the mean over the directions of crossings times the distance of
    the lines, which is 1 for rows and columns and 1 / sqrt(2) for diagonals. Counting the sides of
    pixels instead would make a slanted edge up to 41 % too long.

    Args:
        pixels: (H, W) bool; the outline runs along the array's border as well.
    """
    m = np.pad(pixels, 1)
    straight = np.count_nonzero(m[:, 1:] != m[:, :-1]) + np.count_nonzero(m[1:] != m[:-1])
    slanted = np.count_nonzero(m[1:, 1:] != m[:-1, :-1]) + np.count_nonzero(
        m[1:, :-1] != m[:-1, 1:]
    )
    return float(np.pi / 8 * (straight + slanted / np.sqrt(2)))


def _roughness(part: BoolArray) -> float:
    """How much longer the outline of a part, its holes filled, is than that of a blurred one."""
    scale = min(1.0, _EDGE_PX / max(part.shape))
    if scale < 1:
        size_wh = [max(1, round(side * scale)) for side in part.shape[::-1]]
        grey = np.negative(part.view(np.uint8))  # 255 on the animal
        part = np.asarray(cv2.resize(grey, size_wh, interpolation=cv2.INTER_AREA) > 127)
    solid = part | (holes(part)[0] > 0)
    sigma = max(0.8, _EDGE_BLUR * float(np.sqrt(np.count_nonzero(solid))))
    room = np.pad(solid, int(4 * sigma) + 2).astype(np.float32)
    smooth = _half_or_more(cv2.GaussianBlur(room, (0, 0), sigma))
    length = outline_length(smooth)
    # A hair of a mask is gone when it is blurred, so there is nothing to compare it with.
    return outline_length(solid) / length - 1 if length else NAN


def _half_or_more(values: np.ndarray) -> BoolArray:
    return np.asarray(values >= 0.5)


def _frame_share(pixels: BoolArray) -> float:
    width = max(1, round(_FRAME * min(pixels.shape)))
    inner = pixels[width:-width, width:-width]
    n_frame = pixels.size - inner.size
    return float((np.count_nonzero(pixels) - np.count_nonzero(inner)) / n_frame)


def _centre_share(pixels: BoolArray) -> float:
    height, width = pixels.shape
    middle = pixels[height // 3 : -(height // 3) or None, width // 3 : -(width // 3) or None]
    return float(middle.mean())
