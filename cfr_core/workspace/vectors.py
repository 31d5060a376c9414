"""Stored embeddings: append-only blocks of float32 vectors, found by fingerprint.

A key covers everything that made its vector, so views, masks, models and engines never mix, and
an edited mask asks for its three masked views only. A block is a pair of .npy files; the keys are
renamed into place last, so that a block half written by a killed run does not exist.
"""

import logging
import secrets
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cfr_core.errors import WorkspaceError
from cfr_core.fingerprint import fingerprint
from cfr_core.types import BoolArray, CropRequest, EncoderSpec, Float32Array, ViewSpec
from cfr_core.workspace.files import write_atomically

_LOG = logging.getLogger(__name__)
_KEYS_SUFFIX = ".keys.npy"
_VECTORS_SUFFIX = ".vectors.npy"


def vector_key(crop: CropRequest, view: ViewSpec) -> str:
    """Fingerprint of the pixels that a view of a row shows.

    The full view does not depend on the mask, and its key does not either.
    """
    return fingerprint(
        image=crop.file_sha256,
        bbox=list(crop.bbox_xywh) if crop.bbox_xywh else None,
        mask=crop.mask.fingerprint if crop.mask is not None and view.needs_mask else None,
        view=view.fingerprint,
    )


class VectorStore:
    """Vectors of one encoder run by one engine; several processes may append at once."""

    def __init__(self, embeddings_dir: Path, encoder: EncoderSpec, engine: str) -> None:
        """Open, or make, the store below the workspace's embeddings folder."""
        # Engines agree to 0.9999 only, so one matrix never holds vectors of two.
        self._folder = embeddings_dir / fingerprint(encoder=encoder.fingerprint, engine=engine)[:24]
        self._dim = encoder.dim
        self._places: dict[bytes, tuple[str, int]] = {}
        self._blocks_read: set[str] = set()

    def append(self, keys: Sequence[str], vectors: Float32Array) -> None:
        """Store vectors; on return they are on disk.

        Args:
            keys: N fingerprints.
            vectors: (N, dim) float32.

        Raises:
            WorkspaceError: if the shapes do not fit, or a vector is not finite.
        """
        if vectors.shape != (len(keys), self._dim) or vectors.dtype != np.float32:
            raise WorkspaceError(
                f"expected ({len(keys)}, {self._dim}) float32, got {vectors.shape} {vectors.dtype}"
            )
        if not np.isfinite(vectors).all():
            raise WorkspaceError("a vector that is not finite must not be stored")
        if not keys:
            return
        block = secrets.token_hex(8)
        key_array = np.array([key.encode("ascii") for key in keys])
        _save(self._folder / f"{block}{_VECTORS_SUFFIX}", vectors)
        _save(self._folder / f"{block}{_KEYS_SUFFIX}", key_array)

    def contains(self, keys: Sequence[str]) -> BoolArray:
        """(N,) bool, True where a vector is stored."""
        self._refresh()
        return np.array([key.encode("ascii") in self._places for key in keys], np.bool_)

    def load(self, keys: Sequence[str]) -> Float32Array:
        """(N, dim) float32 vectors in the order of the keys.

        Raises:
            WorkspaceError: if one is not stored.
        """
        self._refresh()
        rows_by_block: dict[str, list[tuple[int, int]]] = {}
        for target, key in enumerate(keys):
            place = self._places.get(key.encode("ascii"))
            if place is None:
                raise WorkspaceError(f"no stored vector for key {key[:12]}; run the audit again")
            rows_by_block.setdefault(place[0], []).append((target, place[1]))
        out = np.empty((len(keys), self._dim), np.float32)
        for block, pairs in rows_by_block.items():
            targets, rows = np.array(pairs).T
            vectors = np.load(
                self._folder / f"{block}{_VECTORS_SUFFIX}", mmap_mode="r", allow_pickle=False
            )
            out[targets] = vectors[rows]
        return out

    def find(self, keys: Collection[str]) -> dict[str, Float32Array]:
        """The vectors of a few keys, (dim,) float32 each; those that are not stored are left out.

        Quicker than `load` for a few of very many, since no index of all keys is made.
        """
        found: dict[str, Float32Array] = {}
        missing = {key.encode("ascii") for key in keys}
        for path in sorted(self._folder.glob(f"*{_KEYS_SUFFIX}")):
            if not missing:
                break
            known = _block_keys(path, self._dim)
            places = np.flatnonzero(np.isin(known, list(missing)))
            if not len(places):
                continue
            # Equal photos have equal keys, so one key may stand in many rows.
            here, firsts = np.unique(known[places], return_index=True)
            vectors = np.load(_vectors_path(path), mmap_mode="r", allow_pickle=False)
            for key, row in zip(here.tolist(), places[firsts], strict=True):
                found[key.decode("ascii")] = np.array(vectors[row])
            missing.difference_update(here.tolist())
        return found

    def _refresh(self) -> None:
        for path in sorted(self._folder.glob(f"*{_KEYS_SUFFIX}")):
            block = path.name.removesuffix(_KEYS_SUFFIX)
            if block in self._blocks_read:
                continue
            self._blocks_read.add(block)
            for row, key in enumerate(_block_keys(path, self._dim).tolist()):
                self._places.setdefault(key, (block, row))


def _save(path: Path, array: np.ndarray) -> None:
    def write(temporary: Path) -> None:
        with temporary.open("wb") as stream:
            np.save(stream, array, allow_pickle=False)

    write_atomically(path, write)


def _block_keys(path: Path, dim: int) -> NDArray[np.bytes_]:
    """(N,) keys of a block, or none if it is damaged: its vectors are then computed again."""
    try:
        keys = np.load(path, allow_pickle=False)
        shape = np.load(_vectors_path(path), mmap_mode="r", allow_pickle=False).shape
    except (OSError, ValueError, EOFError) as error:
        _LOG.warning("embedding block %s is damaged and is ignored (%s)", path.name, error)
        return np.empty(0, np.bytes_)
    if shape != (len(keys), dim):
        _LOG.warning("embedding block %s has shape %s and is ignored", path.name, shape)
        return np.empty(0, np.bytes_)
    return np.asarray(keys, np.bytes_)


def _vectors_path(keys_path: Path) -> Path:
    return keys_path.with_name(keys_path.name.removesuffix(_KEYS_SUFFIX) + _VECTORS_SUFFIX)
