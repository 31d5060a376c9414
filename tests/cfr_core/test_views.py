"""The four views against the formulas of CFR sec. 3.2, written out pixel by pixel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cfr_core.errors import MaskError, MissingMaskError
from cfr_core.types import View, ViewSpec
from cfr_core.views import render, render_views

sizes = st.tuples(st.integers(1, 12), st.integers(1, 12))
colours = st.tuples(*[st.integers(0, 255)] * 3)


@st.composite
def crops(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    height, width = draw(sizes)
    image = draw(hnp.arrays(np.uint8, (height, width, 3)))
    mask = draw(hnp.arrays(np.bool_, (height, width)))
    mask[draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))] = True
    return image, mask


@given(crops(), colours, colours)
def test_views_follow_the_formulas(
    crop: tuple[np.ndarray, np.ndarray], fill: tuple[int, ...], silhouette: tuple[int, ...]
) -> None:
    image, mask = crop
    m, x = mask[..., None].astype(int), image.astype(int)
    c, s = np.array(fill), np.array(silhouette)
    expected = {
        View.FULL: x,
        View.FOREGROUND: m * x + (1 - m) * c,
        View.SHORTCUT: (1 - m) * x + m * c,
        View.SILHOUETTE: m * s + (1 - m) * c,
    }
    specs = [ViewSpec(view, fill, silhouette) for view in View]
    for spec, drawn in zip(specs, render_views(image, mask, specs), strict=True):
        assert drawn.dtype == np.uint8
        np.testing.assert_array_equal(drawn, expected[spec.view])


@given(crops())
def test_foreground_and_shortcut_add_up_to_the_image_plus_one_fill(
    crop: tuple[np.ndarray, np.ndarray],
) -> None:
    image, mask = crop
    foreground = render(image, mask, ViewSpec(View.FOREGROUND)).astype(int)
    shortcut = render(image, mask, ViewSpec(View.SHORTCUT)).astype(int)
    np.testing.assert_array_equal(foreground + shortcut, image.astype(int) + (124, 116, 104))


def test_a_masked_view_without_a_mask_raises() -> None:
    image = np.zeros((4, 4, 3), np.uint8)
    assert render(image, None, ViewSpec(View.FULL)) is image
    for view in (View.FOREGROUND, View.SHORTCUT, View.SILHOUETTE):
        with pytest.raises(MissingMaskError):
            render(image, None, ViewSpec(view))


def test_an_empty_or_ill_sized_mask_raises() -> None:
    image = np.zeros((4, 4, 3), np.uint8)
    with pytest.raises(MaskError, match="empty"):
        render(image, np.zeros((4, 4), bool), ViewSpec(View.SHORTCUT))
    with pytest.raises(MaskError, match="crop"):
        render(image, np.ones((4, 5), bool), ViewSpec(View.SHORTCUT))


def test_column_major_masks_from_run_lengths_are_drawn_alike() -> None:
    rng = np.random.default_rng(1)
    image = rng.integers(0, 255, (9, 7, 3), dtype=np.uint8)
    mask = rng.random((9, 7)) < 0.5
    spec = ViewSpec(View.FOREGROUND)
    np.testing.assert_array_equal(
        render(image, np.asfortranarray(mask), spec), render(image, mask, spec)
    )


def test_fingerprint_counts_only_the_colours_that_are_drawn() -> None:
    red = (255, 0, 0)
    assert ViewSpec(View.FULL, red).fingerprint == ViewSpec(View.FULL).fingerprint
    assert (
        ViewSpec(View.FOREGROUND, silhouette_rgb=red).fingerprint
        == ViewSpec(View.FOREGROUND).fingerprint
    )
    assert ViewSpec(View.FOREGROUND, red).fingerprint != ViewSpec(View.FOREGROUND).fingerprint
    assert (
        ViewSpec(View.SILHOUETTE, silhouette_rgb=red).fingerprint
        != ViewSpec(View.SILHOUETTE).fingerprint
    )
