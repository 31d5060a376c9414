"""What encoders there are, and which can be used at once: the list behind `cfr models`."""

from dataclasses import dataclass
from pathlib import Path

from cfr_core.encoders.cards import CARDS, EncoderCard, HubWeights
from cfr_core.encoders.weights import checkpoint_folder, find_weights, hub_url
from cfr_core.errors import WeightsError


@dataclass(frozen=True)
class EncoderStatus:
    """An encoder of the registry, for people.

    Attributes:
        name: Name to call it by.
        licence: Licence of the weights, as their publisher states it.
        input_size_px: Side of its square input.
        dim: Length of an embedding.
        is_present: True if the weights are on this machine.
        needs: What is needed to use it, or "".
    """

    name: str
    licence: str
    input_size_px: int
    dim: int
    is_present: bool
    needs: str


def available_encoders(checkpoints_dir: Path) -> list[EncoderStatus]:
    """All encoders of the registry, in its order; nothing is downloaded or read.

    Args:
        checkpoints_dir: Folder of model weights.
    """
    return [_status(card, checkpoints_dir) for card in CARDS.values()]


def _status(card: EncoderCard, checkpoints_dir: Path) -> EncoderStatus:
    try:
        is_present = find_weights(card, checkpoints_dir) is not None
        needs = "" if is_present else _needs(card, checkpoints_dir)
    except WeightsError as error:
        is_present, needs = False, str(error)
    return EncoderStatus(
        name=card.name,
        licence=card.licence,
        input_size_px=card.input_size_px,
        dim=card.dim or 0,
        is_present=is_present,
        needs=needs,
    )


def _needs(card: EncoderCard, checkpoints_dir: Path) -> str:
    weights = card.weights
    if not isinstance(weights, HubWeights):
        return ""
    return (
        f"a download of {weights.download_mb} MB at first use; or by hand "
        f"{hub_url(weights, weights.filenames[-1])} into {checkpoint_folder(card, checkpoints_dir)}"
    )
