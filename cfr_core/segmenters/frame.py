"""The part of a crop that an engine works on, at a bounded size."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from cfr_core.segmenters.segmenter import EncodedImage, Prompts
from cfr_core.types import BoolArray, Float32Array, ImageArray

_MARGIN = 0.3
"""How much ground is seen around a box, of its longer side."""


@dataclass(frozen=True)
class Frame:
    """A rectangle of a crop and the size that it is worked on at.

    Attributes:
        left, top, right, bottom: The rectangle, in whole pixels of the crop.
        size_hw: Size that it is worked on at, (height, width) in pixels.
    """

    left: int
    top: int
    right: int
    bottom: int
    size_hw: tuple[int, int]

    @property
    def scale_xy(self) -> tuple[float, float]:
        """Pixels of the frame for one of the crop's."""
        height, width = self.size_hw
        return width / (self.right - self.left), height / (self.bottom - self.top)

    def to_frame(self, places_xy: npt.ArrayLike) -> Float32Array:
        """(P, 2) places on the crop as places on the frame."""
        places = np.asarray(places_xy, np.float32).reshape(-1, 2)
        return np.asarray((places - (self.left, self.top)) * self.scale_xy, np.float32)

    def picture(self, pixels: ImageArray) -> ImageArray:
        """The crop's pixels in the frame, (h, w, 3) uint8."""
        part = np.ascontiguousarray(self.cut(pixels))
        return np.asarray(cv2.resize(part, self.size_hw[::-1], interpolation=cv2.INTER_AREA))

    def shares(self, mask: BoolArray) -> Float32Array:
        """(h, w) float32 from 0 to 1: how much of each place of the frame a mask covers."""
        part = self.cut(mask).astype(np.float32)
        resized = cv2.resize(part, self.size_hw[::-1], interpolation=cv2.INTER_AREA)
        return np.asarray(resized, np.float32)

    def look_up(self, values: Float32Array, crop_hw: tuple[int, int]) -> Float32Array:
        """A map that covers the whole crop, at the frame's places.

        Args:
            values: (a, b) or (a, b, C) float32.
            crop_hw: Size of the crop.

        Returns:
            (h, w) or (h, w, C) float32, by linear interpolation.
        """
        x_step, y_step = values.shape[1] / crop_hw[1], values.shape[0] / crop_hw[0]
        x_px, y_px = (1 / side for side in self.scale_xy)
        # Pixels of OpenCV have their centre at a whole number.
        x_offset = (self.left + x_px / 2) * x_step - 0.5
        y_offset = (self.top + y_px / 2) * y_step - 0.5
        places = np.array([[x_px * x_step, 0, x_offset], [0, y_px * y_step, y_offset]], np.float32)
        planes = [self._warp(plane, places) for plane in _by_four(np.atleast_3d(values))]
        joined = np.concatenate(planes, axis=2)
        return joined if values.ndim == 3 else joined[..., 0]

    def cut(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The rectangle of an array of the crop's size."""
        return array[self.top : self.bottom, self.left : self.right]

    def enlarged(self, mask: BoolArray) -> BoolArray:
        """A mask of the frame's size at the rectangle's own size in the crop."""
        size_wh = self.right - self.left, self.bottom - self.top
        way = cv2.INTER_LINEAR
        return np.asarray(cv2.resize(mask.astype(np.float32), size_wh, interpolation=way) > 0.5)

    def _warp(self, plane: Float32Array, places: Float32Array) -> Float32Array:
        way = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        size_wh = self.size_hw[::-1]
        warped = cv2.warpAffine(plane, places, size_wh, flags=way, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(np.atleast_3d(warped), np.float32)


def frame_of(image: EncodedImage, prompts: Prompts, longest_px: int) -> Frame:
    """The frame for prompts: around their box, or the whole crop.

    Args:
        image: The crop.
        prompts: Inside the crop.
        longest_px: Longest side of the frame; it is not enlarged.
    """
    height, width = image.size_hw
    left, top, right, bottom = prompts.box_xyxy or (0, 0, width, height)
    margin = _MARGIN * max(right - left, bottom - top)
    x0, y0 = max(0, int(left - margin)), max(0, int(top - margin))
    x1, y1 = min(width, int(right + margin) + 1), min(height, int(bottom + margin) + 1)
    scale = min(1.0, longest_px / max(x1 - x0, y1 - y0))
    size_hw = max(1, round((y1 - y0) * scale)), max(1, round((x1 - x0) * scale))
    return Frame(x0, y0, x1, y1, size_hw)


def _by_four(values: Float32Array) -> list[Float32Array]:
    """Channels in groups of at most four, as OpenCV takes them."""
    n_channels = values.shape[2]
    return [np.ascontiguousarray(values[..., at : at + 4]) for at in range(0, n_channels, 4)]
