"""The frame: places and maps keep to the crop's coordinates at any size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr_core.segmenters.frame import frame_of
from cfr_core.segmenters.segmenter import EncodedImage, Prompts


def image(height: int, width: int) -> EncodedImage:
    return EncodedImage(np.zeros((height, width, 3), np.uint8), {}, "1")


@given(
    st.integers(1, 900),
    st.integers(1, 900),
    st.tuples(*[st.floats(0, 1)] * 4).filter(lambda s: s[0] < s[2] and s[1] < s[3]),
)
def test_a_frame_holds_its_box_and_is_bounded(
    height: int, width: int, sides: tuple[float, ...]
) -> None:
    left, top, right, bottom = (
        side * length for side, length in zip(sides, (width, height) * 2, strict=True)
    )
    if not (left < right and top < bottom):
        return
    frame = frame_of(image(height, width), Prompts(box_xyxy=(left, top, right, bottom)), 256)
    assert 0 <= frame.left <= left
    assert right <= frame.right <= width
    assert 0 <= frame.top <= top
    assert bottom <= frame.bottom <= height
    assert max(frame.size_hw) <= 256
    corners = frame.to_frame([(frame.left, frame.top), (frame.right, frame.bottom)])
    assert corners == pytest.approx(np.array([(0, 0), frame.size_hw[::-1]]), abs=1e-3)


def test_a_map_is_looked_up_where_it_is() -> None:
    # A map of a value for 4 px that says where it is: x and y of its middle.
    x, y = np.meshgrid(np.arange(50) * 4 + 2.0, np.arange(30) * 4 + 2.0)
    values = np.dstack([x, y, x, y, x]).astype(np.float32)
    frame = frame_of(image(120, 200), Prompts(box_xyxy=(60, 40, 130, 90)), 64)
    found = frame.look_up(values, (120, 200))
    x_px, y_px = (1 / scale for scale in frame.scale_xy)
    expected_x = frame.left + (np.arange(frame.size_hw[1]) + 0.5) * x_px
    expected_y = frame.top + (np.arange(frame.size_hw[0]) + 0.5) * y_px
    # OpenCV reads between pixels in steps of a 32nd.
    assert found[3, :, 4] == pytest.approx(expected_x, abs=4 / 32 + 0.01)
    assert found[:, 5, 1] == pytest.approx(expected_y, abs=4 / 32 + 0.01)
    assert frame.look_up(values[..., 0], (120, 200)).shape == frame.size_hw
