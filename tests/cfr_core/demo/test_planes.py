"""Pictures that keep a plane for each channel."""

import numpy as np
import pytest

from cfr_core.demo.planes import black_planes, coloured


@pytest.mark.parametrize("shape", [(5,), (4, 5)])
def test_a_field_times_a_colour(shape: tuple[int, ...]) -> None:
    field = np.random.default_rng(0).random(shape, np.float32)
    colour = np.array([0.2, 0.5, 0.9], np.float32)
    picture = coloured(field, colour)
    assert picture.dtype == np.float32
    for channel in range(3):
        np.testing.assert_array_equal(picture[..., channel], field * colour[channel])


def test_each_channel_lies_in_one_piece_and_stays_so_in_a_blend() -> None:
    picture = black_planes((4, 5), 3)
    assert picture.shape == (4, 5, 3)
    assert not picture.any()
    cover = np.full((4, 5), 0.5, np.float32)
    blended = picture + cover[..., None] * (np.ones(3, np.float32) - picture)
    np.testing.assert_array_equal(blended, np.full((4, 5, 3), 0.5))
    assert all(blended[..., channel].flags.c_contiguous for channel in range(3))
