"""The engine that needs no weights to be fetched: it learns an animal's looks from the crop itself.

A box, clicks or a mask to start from give a guess at a bounded size (`guesses`); GrabCut (Rother
et al. 2004) then finds the edge beside it. A click corrects the mask at hand where it is wrong,
and the rest of that mask keeps its pixels.
"""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from cfr_core.errors import InputError
from cfr_core.masks.grabcut import mask_from_taps
from cfr_core.segmenters.appearance import appearance, appearance_fingerprint
from cfr_core.segmenters.cards import GRABCUT
from cfr_core.segmenters.frame import Frame, frame_of
from cfr_core.segmenters.guesses import corrected, guess_in_box
from cfr_core.segmenters.on_torch import check_prompts
from cfr_core.segmenters.scene import Scene, scene_of
from cfr_core.segmenters.segmenter import Candidates, EncodedImage, Prompts
from cfr_core.types import BoolArray, Float32Array, ImageArray

_GUESS_PX = 256
"""Longest side at which the animal is guessed."""
_EDGE_PX = 480
"""Longest side at which its edge is found."""
_BAND_PX = 4
"""How far the edge may lie from the guess."""
_ROUNDS = 2
_NO_BOX = (0, 0, 1, 1)
"""OpenCV wants a box even where the labels say all; it is not read."""


class GrabCut:
    """An engine for machines without weights; one proposal, without a score of its own."""

    name = GRABCUT
    reads_text = False

    @property
    def fingerprint(self) -> str:
        """Digest of what changes a feature."""
        return appearance_fingerprint()

    def encode(self, images: Sequence[ImageArray]) -> list[EncodedImage]:
        """Look at crops, one after another."""
        return [EncodedImage(image, appearance(image), self.fingerprint) for image in images]

    def propose(self, image: EncodedImage, prompts: Prompts) -> Candidates:
        """The mask that fits a box, clicks and a mask to start from; each may be absent.

        Raises:
            InputError: as `Segmenter.propose`; or if all clicks say where the animal is not, and
                neither a box nor a mask says where it is.
        """
        check_prompts(image, prompts, self)
        has_animal_click = bool(prompts.is_animal.any())
        if prompts.box_xyxy is None and prompts.prior is None and not has_animal_click:
            raise InputError("click on the animal first; then click away what is too much")
        frame = frame_of(image, prompts, _GUESS_PX)
        scene = scene_of(image, prompts, frame)
        before, n_known = _start(image, prompts.prior, frame, scene)
        after = _corrected_by_all(scene, before, n_known)
        mask = np.zeros(image.size_hw, np.bool_)
        frame.cut(mask)[...] = _with_edge(image, frame, after)
        if prompts.prior is not None:
            _keep_elsewhere(mask, prompts.prior, frame, (before > 0.5) != (after > 0.5))
        _obey(mask, prompts)
        return Candidates(mask[None], np.full(1, np.nan, np.float32))


def _start(
    image: EncodedImage, prior: BoolArray | None, frame: Frame, scene: Scene
) -> tuple[Float32Array, int]:
    """What is taken for the animal before its clicks correct it, and how many are known by then."""
    if prior is not None:
        return frame.shares(prior), len(scene.clicks)
    if scene.box_xyxy is not None:
        return guess_in_box(scene, scene.box_xyxy), 0
    taps = [scene.pixel(click)[::-1] for click in scene.clicks if click.is_animal]
    mask = mask_from_taps(frame.picture(image.pixels), taps)
    return mask.astype(np.float32), len(scene.clicks)


def _corrected_by_all(scene: Scene, shares: Float32Array, n_known: int) -> Float32Array:
    """A mask with the clicks that contradict it, as if they came one after another.

    Args:
        scene: With all clicks.
        shares: (h, w) float32, the mask.
        n_known: Clicks that have led to the mask.
    """
    for number, click in enumerate(scene.clicks, start=1):
        if (shares[scene.pixel(click)] > 0.5) != click.is_animal:
            known = scene.clicks[: max(number, n_known)]
            shares = corrected(replace(scene, clicks=known), shares, click)
    return shares


def _with_edge(image: EncodedImage, frame: Frame, shares: Float32Array) -> BoolArray:
    """The guess at the frame's full size in the crop, with its edge where the picture has one."""
    large = replace(frame, size_hw=_edge_size(frame))
    guess = cv2.resize(shares, large.size_hw[::-1], interpolation=cv2.INTER_LINEAR) > 0.5
    return large.enlarged(_grab(large.picture(image.pixels), np.asarray(guess)))


def _edge_size(frame: Frame) -> tuple[int, int]:
    height, width = frame.bottom - frame.top, frame.right - frame.left
    scale = min(1.0, _EDGE_PX / max(height, width))
    return max(1, round(height * scale)), max(1, round(width * scale))


def _grab(picture: ImageArray, guess: BoolArray) -> BoolArray:
    """The guess with its edge moved by GrabCut within a band."""
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _BAND_PX + 1, 2 * _BAND_PX + 1))
    inner = cv2.erode(guess.astype(np.uint8), disc) > 0
    outer = cv2.dilate(guess.astype(np.uint8), disc) > 0
    if not inner.any() or outer.all():
        return guess
    labels = np.where(guess, np.uint8(cv2.GC_PR_FGD), np.uint8(cv2.GC_PR_BGD))
    labels[inner], labels[~outer] = cv2.GC_FGD, cv2.GC_BGD
    models = np.zeros((2, 1, 65))
    # OpenCV draws random numbers for its clusters; the same prompts give the same mask.
    cv2.setRNGSeed(0)
    bgr = np.ascontiguousarray(picture[..., ::-1])
    cv2.grabCut(bgr, labels, _NO_BOX, models[0], models[1], _ROUNDS, cv2.GC_INIT_WITH_MASK)
    return np.isin(labels, (cv2.GC_FGD, cv2.GC_PR_FGD))


def _keep_elsewhere(mask: BoolArray, prior: BoolArray, frame: Frame, changed: BoolArray) -> None:
    """Put the pixels of the mask to start from back where no click changed anything, in place."""
    if not changed.any():
        mask[...] = prior
        return
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _BAND_PX + 1, 2 * _BAND_PX + 1))
    zone = frame.enlarged(cv2.dilate(changed.astype(np.uint8), disc) > 0)
    whole = np.zeros_like(mask)
    frame.cut(whole)[...] = zone
    mask[~whole] = prior[~whole]


def _obey(mask: BoolArray, prompts: Prompts) -> None:
    """Nothing outside the box, and every clicked pixel as the click says, in place."""
    height, width = mask.shape
    if prompts.box_xyxy is not None:
        left, top, right, bottom = prompts.box_xyxy
        y, x = np.ogrid[:height, :width]
        mask &= (x + 1 > left) & (x < right) & (y + 1 > top) & (y < bottom)
    for (x_px, y_px), is_animal in zip(prompts.points_xy.tolist(), prompts.is_animal, strict=True):
        mask[min(int(y_px), height - 1), min(int(x_px), width - 1)] = is_animal
