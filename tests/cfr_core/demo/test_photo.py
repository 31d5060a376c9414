"""Photos: the mask is exactly where the animal is seen."""

import numpy as np
import pytest
from scipy import ndimage

from cfr_core.demo.photo import Photo, Sources, take_photo
from cfr_core.demo.species import SPECIES
from cfr_core.demo.traits import Traits

SIZE_HW = (120, 160)


def only(*seed: int) -> Traits:
    return Traits(((1.0, seed),))


def photo(
    species: str, *, coat: int = 1, outline: int = 2, scene: int = 3, moment: int = 4
) -> Photo:
    sources = Sources(only(coat), only(outline), only(scene), only(moment))
    return take_photo(sources, SPECIES[species], SIZE_HW)


@pytest.mark.parametrize("species", SPECIES)
@pytest.mark.parametrize("moment", [4, 5])
def test_another_coat_changes_the_pixels_of_the_mask_and_no_others(
    species: str, moment: int
) -> None:
    one, other = (photo(species, coat=coat, moment=moment) for coat in (1, 2))
    np.testing.assert_array_equal(one.mask, other.mask)
    change = np.abs(one.rgb.astype(int) - other.rgb).max(axis=2)
    assert change[~one.mask].max() <= 1  # a trace below 1/255 of a pixel can turn a rounding
    if species != "whale":  # whales are about equally dark
        assert (change[one.mask] > 0).mean() > 0.5  # hooves, eyes and muzzles are alike


@pytest.mark.parametrize("species", SPECIES)
def test_another_scene_changes_the_pixels_around_the_mask(species: str) -> None:
    one, other = photo(species, scene=3), photo(species, scene=9)
    assert (one.rgb != other.rgb).any(axis=2)[~(one.mask | other.mask)].mean() > 0.95


@pytest.mark.parametrize("species", SPECIES)
def test_an_animal_is_large_whole_and_inside_the_picture(species: str) -> None:
    for moment in range(4):
        mask = photo(species, moment=moment).mask
        assert 0.05 < mask.mean() < 0.40
        labels, n = ndimage.label(mask)
        assert np.bincount(labels.ravel())[1:].max() > 0.97 * mask.sum(), n
        assert not mask[0].any()
        assert not mask[-1].any()


def test_the_outline_moves_the_mask_and_the_coat_does_not() -> None:
    plain = photo("whale").mask
    np.testing.assert_array_equal(photo("whale", coat=9).mask, plain)
    assert (photo("whale", outline=9).mask != plain).mean() > 0.01


def test_a_photo_is_as_large_as_asked() -> None:
    taken = photo("deer")
    assert taken.rgb.shape == (*SIZE_HW, 3)
    assert taken.rgb.dtype == np.uint8
    assert taken.mask.shape == SIZE_HW
