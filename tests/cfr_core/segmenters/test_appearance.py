"""What the network that ships sees: maps that keep to the crop."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfr_core.masks.files import read_mask_file
from cfr_core.segmenters.appearance import ANIMAL, LAYERS, appearance


@pytest.mark.parametrize("size", [(48, 64), (1, 1), (5, 300)])
def test_maps_cover_the_crop_in_its_own_shape(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    maps = appearance(rng.integers(0, 256, (*size, 3), np.uint8))
    assert maps.keys() == {ANIMAL, *(f"layer{block}" for block in LAYERS)}
    height, width = maps[ANIMAL].shape
    assert height / width == pytest.approx(max(size[0] / size[1], 1 / 20), rel=0.1)
    for block, n_kept in LAYERS.items():
        layer = maps[f"layer{block}"]
        assert layer.shape[2] == n_kept
        assert layer.shape[0] % height == 0
        assert layer.dtype == np.float32
        if size != (1, 1):  # a plain crop does not vary
            assert layer.var(axis=(0, 1)).sum() == pytest.approx(4, rel=0.05)


def test_a_real_animal_is_told_from_its_ground(shared_data: Path) -> None:
    folder = shared_data / "davis_animals"
    image = np.asarray(Image.open(folder / "images/camel/00074.jpg").convert("RGB"))
    truth = read_mask_file(folder / "masks/camel/00074.png")
    odds = appearance(image)[ANIMAL]
    height, width = odds.shape
    share = truth[: truth.shape[0] // height * height, : truth.shape[1] // width * width]
    share = share.reshape(height, share.shape[0] // height, width, -1).mean(axis=(1, 3))
    assert odds[share > 0.9].mean() > odds[share < 0.1].mean() + 1
