"""The registry of mask engines: what each can do, where its weights come from, what is here."""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from cfr_core.encoders.cards import HubWeights, UrlWeights
from cfr_core.encoders.weights import address, checkpoint_folder, find_weights
from cfr_core.errors import InputError

SegmenterKind: TypeAlias = Literal["grabcut", "sam", "sam2", "sam3"]
"""What code runs it: OpenCV, the segment-anything package, or transformers."""

GRABCUT = "grabcut"
_MAX_NAMES_OFFERED = 3


@dataclass(frozen=True)
class ModelFile:
    """One of the files that an engine needs.

    Attributes:
        name: Name of the engine, which the folder below checkpoints/ has too.
        weights: Where the file is published.
    """

    name: str
    weights: HubWeights | UrlWeights


@dataclass(frozen=True)
class SegmenterCard:
    """What is known of a mask engine before its weights are there.

    Attributes:
        name: Name in the registry.
        kind: What code runs it.
        architecture: Which model of its kind; "" where there is only one.
        licence: Licence of the weights, as their publisher states it.
        weights: The files that it needs, the model itself first; none for GrabCut.
        input_size_px: Longest side that the model sees; 0 where it has none.
        reads_text: True if it finds animals by a name.
        is_light: True if a computer without a graphics card encodes a crop in a few seconds.
    """

    name: str
    kind: SegmenterKind
    architecture: str
    licence: str
    weights: tuple[ModelFile, ...]
    input_size_px: int
    reads_text: bool = False
    is_light: bool = False

    @property
    def download_mb(self) -> int:
        """Size of all its files in round megabytes."""
        return sum(file.weights.download_mb or 0 for file in self.weights)


@dataclass(frozen=True)
class SegmenterStatus:
    """A mask engine of the registry, for people.

    Attributes:
        card: The engine.
        is_present: True if all it needs is on this machine.
        needs: What is needed to use it, or "".
    """

    card: SegmenterCard
    is_present: bool
    needs: str


def _sam(name: str, architecture: str, weights: UrlWeights, *, is_light: bool) -> SegmenterCard:
    return SegmenterCard(
        name=name,
        kind="sam",
        architecture=architecture,
        licence="Apache 2.0",
        weights=(ModelFile(name, weights),),
        input_size_px=1024,
        is_light=is_light,
    )


def _official_sam(size: str, digits: str, megabytes: int, sha256: str) -> SegmenterCard:
    url = f"https://dl.fbaipublicfiles.com/segment_anything/sam_vit_{size}_{digits}.pth"
    weights = UrlWeights(url, sha256, megabytes)
    return _sam(f"sam-vit-{size}", f"vit_{size}", weights, is_light=False)


def _hub_files(
    name: str, repo: str, model_mb: int, others: tuple[str, ...]
) -> tuple[ModelFile, ...]:
    """The model of a Hugging Face repository, and the small files that transformers reads."""
    model = ModelFile(name, HubWeights(repo, ("model.safetensors",), model_mb))
    return (model, *(ModelFile(name, HubWeights(repo, (other,))) for other in others))


def _sam2(size: str, megabytes: int, *, is_light: bool) -> SegmenterCard:
    name = f"sam2-{size}"
    return SegmenterCard(
        name=name,
        kind="sam2",
        architecture="",
        licence="Apache 2.0",
        weights=_hub_files(name, f"facebook/sam2.1-hiera-{size}", megabytes, ("config.json",)),
        input_size_px=1024,
        is_light=is_light,
    )


_ALL_CARDS = (
    SegmenterCard(
        name=GRABCUT,
        kind="grabcut",
        architecture="",
        licence="Apache 2.0",
        weights=(),
        input_size_px=0,
        is_light=True,
    ),
    _sam(
        "mobile-sam",
        "vit_t",
        UrlWeights(
            "https://github.com/ChaoningZhang/MobileSAM/raw/"
            "f706ad9c4eb7f219c00d9050e46328518ffb65d2/weights/mobile_sam.pt",
            "6dbb90523a35330fedd7f1d3dfc66f995213d81b29a5ca8108dbcdd4e37d6c2f",
            41,
        ),
        is_light=True,
    ),
    _sam2("tiny", 156, is_light=True),
    _sam2("small", 184, is_light=True),
    _official_sam(
        "b", "01ec64", 375, "ec2df62732614e57411cdcf32a23ffdf28910380d03139ee0f4fcbe91eb8c912"
    ),
    _sam2("base-plus", 324, is_light=False),
    _official_sam(
        "l", "0b3195", 1250, "3adcc4315b642a4d2101128f611684e8734c41232a17c648ed1693702a49a622"
    ),
    _official_sam(
        "h", "4b8939", 2565, "a7bf3b02f3ebf1267aba913ff637d9a2d5c33d3173bb679e46d9f338c26f262e"
    ),
    _sam2("large", 898, is_light=False),
    SegmenterCard(
        name="sam3",
        kind="sam3",
        architecture="",
        licence="SAM License (Meta): accept it on the model's page, then set HF_TOKEN",
        weights=_hub_files(
            "sam3",
            "facebook/sam3",
            3440,
            ("config.json", "tokenizer.json", "tokenizer_config.json"),
        ),
        input_size_px=1008,
        reads_text=True,
    ),
)
SEGMENTERS: dict[str, SegmenterCard] = {card.name: card for card in _ALL_CARDS}
"""All engines by name, from the one that does with least to the one that finds most."""


def find_segmenter(name: str) -> SegmenterCard:
    """The card of an engine by its name.

    Raises:
        InputError: if there is none; the message offers the nearest names.
    """
    if name not in SEGMENTERS:
        near = difflib.get_close_matches(name.lower(), SEGMENTERS, n=_MAX_NAMES_OFFERED)
        offer = f" (nearest: {', '.join(near)})" if near else ""
        raise InputError(
            f"no mask engine is named {name!r}{offer}; there are {', '.join(SEGMENTERS)}"
        )
    return SEGMENTERS[name]


def available_segmenters(checkpoints_dir: Path) -> list[SegmenterStatus]:
    """All engines of the registry, in its order; nothing is downloaded or read.

    Args:
        checkpoints_dir: Folder of model weights.
    """
    return [_status(card, checkpoints_dir) for card in SEGMENTERS.values()]


def default_segmenter(checkpoints_dir: Path) -> str:
    """Name of the engine to offer first: the best whose weights are here, GrabCut without any."""
    present = [status for status in available_segmenters(checkpoints_dir) if status.is_present]
    return present[-1].card.name


def _status(card: SegmenterCard, checkpoints_dir: Path) -> SegmenterStatus:
    missing = [file for file in card.weights if find_weights(file, checkpoints_dir) is None]
    if not missing:
        return SegmenterStatus(card, is_present=True, needs="")
    addresses = [address(file.weights, file.weights.filenames[0]) for file in missing]
    megabytes = sum(file.weights.download_mb or 0 for file in missing)
    size = f" of {megabytes} MB" if megabytes else ""
    needs = (
        f"a download{size} at first use; or by hand {', '.join(addresses)} into "
        f"{checkpoint_folder(missing[0], checkpoints_dir)}"
    )
    return SegmenterStatus(card, is_present=False, needs=needs)
