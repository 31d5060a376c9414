"""Loads a mask engine by name; what it needs is imported and fetched only then."""

from pathlib import Path

from cfr_core.encoders.weights import WeightsFile, get_weights
from cfr_core.segmenters.cards import GRABCUT, SegmenterCard, find_segmenter
from cfr_core.segmenters.segmenter import Segmenter
from cfr_core.types import DeviceChoice, OnProgress, no_progress


def load_segmenter(
    name: str,
    checkpoints_dir: Path,
    device: DeviceChoice = "auto",
    on_progress: OnProgress = no_progress,
) -> Segmenter:
    """A mask engine, ready to use.

    Args:
        name: Name in the registry.
        checkpoints_dir: Folder of weights, which can be filled by hand.
        device: Where to run; "auto" takes a GPU that works, else the CPU. GrabCut has no choice.
        on_progress: Told the bytes of a download.

    Raises:
        InputError: if the name is not known.
        WeightsError: if weights are not here and cannot be had, or do not fit.
        DeviceError: if the device cannot be used, or its memory does not hold the engine.
    """
    card = find_segmenter(name)
    if card.kind == GRABCUT:
        from cfr_core.segmenters.grabcut import GrabCut

        return GrabCut()
    files = [get_weights(file, checkpoints_dir, on_progress=on_progress) for file in card.weights]
    return _load_on_torch(card, files, device)


def _load_on_torch(
    card: SegmenterCard, files: list[WeightsFile], device: DeviceChoice
) -> Segmenter:
    from cfr_core.encoders.devices import resolve_device
    from cfr_core.segmenters.on_torch import memory_explained

    target = resolve_device(device)
    with memory_explained(card.name, target):
        if card.kind == "sam":
            from cfr_core.segmenters.sam import load_sam

            return load_sam(card, files[0], target)
        if card.kind == "sam2":
            from cfr_core.segmenters.sam2 import load_sam2

            return load_sam2(card, files, target)
        from cfr_core.segmenters.sam3 import load_sam3

        return load_sam3(card, files, target)
