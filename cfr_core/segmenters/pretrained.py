"""Loads models of transformers from a folder of files; nothing is fetched, no code is run."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

from safetensors import SafetensorError
from transformers import PreTrainedModel
from transformers.utils import logging as chat

from cfr_core.errors import WeightsError
from cfr_core.segmenters.on_torch import is_out_of_memory

_KEYS_SHOWN = 3
_TWINS = {
    "prompt_encoder.shared_embedding.positional_embedding": (
        "shared_image_embedding.positional_embedding"
    )
}
"""Tensors that a file may leave out, since it holds the same ones under another name."""
_Model = TypeVar("_Model", bound=PreTrainedModel)


def load_pretrained(
    model_class: type[_Model], folder: Path, *, expected: tuple[str, ...]
) -> _Model:
    """A model in evaluation mode, on the CPU, in float32.

    Args:
        model_class: Class of the model, or of a part of what the folder holds.
        folder: Holds config.json and model.safetensors.
        expected: The kinds of model that config.json may name.

    Raises:
        WeightsError: if a file is damaged, or belongs to another model; some of the keys that do
            not fit are in the message.
    """
    _check_kind(folder / "config.json", expected)
    weights = folder / "model.safetensors"
    load: Any = model_class.from_pretrained
    try:
        with _quiet():
            model, info = load(
                folder, local_files_only=True, use_safetensors=True, output_loading_info=True
            )
    except (SafetensorError, OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        if is_out_of_memory(error):
            raise
        first = str(error).strip().splitlines()[:1]
        raise WeightsError(
            f"{weights}: damaged, or of another model than config.json beside it says "
            f"({''.join(first)[:200]}); delete both and get them again"
        ) from error
    _check_keys(_without_twins(model, info["missing_keys"]), weights, expected[0])
    loaded: _Model = model.float().eval().requires_grad_(False)
    return loaded


def _check_kind(config: Path, expected: tuple[str, ...]) -> None:
    try:
        kind = json.loads(config.read_text(encoding="utf-8")).get("model_type")
    except (OSError, ValueError, AttributeError) as error:
        raise WeightsError(
            f"{config}: not a model's description; get it again ({error})"
        ) from error
    if kind not in expected:
        raise WeightsError(f"{config}: describes a model of kind {kind!r}, not {expected[0]!r}")


def _without_twins(model: PreTrainedModel, missing: set[str]) -> set[str]:
    """Fill in what the file holds under another name; returns what it lacks in truth."""
    tensors = model.state_dict()
    filled = {key for key, twin in _TWINS.items() if key in missing and twin not in missing}
    for key in filled:
        tensors[key].copy_(tensors[_TWINS[key]])
    return missing - filled


def _check_keys(missing: set[str], weights: Path, kind: str) -> None:
    """What the file lacks would stay random; what it has besides serves films or training."""
    if missing:
        shown = ", ".join(sorted(missing)[:_KEYS_SHOWN])
        raise WeightsError(f"{weights}: not weights of {kind}: it lacks {len(missing)} ({shown})")


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bar and no chat of transformers on the terminal, for this load only."""
    verbosity, bars = chat.get_verbosity(), cast("Any", chat)
    had_bar = bars.is_progress_bar_enabled()
    chat.set_verbosity(logging.CRITICAL)
    bars.disable_progress_bar()
    try:
        yield
    finally:
        chat.set_verbosity(verbosity)
        if had_bar:
            bars.enable_progress_bar()
