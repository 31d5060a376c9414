"""Stored vectors: what was put in comes out, by what made it, and half a block is no block."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cfr_core.errors import WorkspaceError
from cfr_core.types import CropRequest, EncoderSpec, Mask, MaskStatus, View, ViewSpec
from cfr_core.workspace.vectors import VectorStore, vector_key

SPEC = EncoderSpec("tiny", "tiny", "0" * 64, 32, (0.5,) * 3, (0.5,) * 3, "bicubic", 4, "MIT")
MASK = Mask(0, (2, 2), "04", "human", MaskStatus.ACCEPTED)
OTHER_MASK = Mask(0, (2, 2), "13", "human", MaskStatus.ACCEPTED)


def key(mask: Mask | None = MASK, view: View = View.FOREGROUND, image: str = "a" * 64) -> str:
    return vector_key(CropRequest(0, "a.jpg", None, mask, (), image), ViewSpec(view))


def test_vectors_come_back_in_the_order_asked(tmp_path: Path) -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(3, 4)
    store = VectorStore(tmp_path, SPEC, "torch")
    store.append(["k0", "k1"], vectors[:2])
    store.append(["k2"], vectors[2:])

    reopened = VectorStore(tmp_path, SPEC, "torch")

    assert reopened.contains(["k2", "absent", "k0"]).tolist() == [True, False, True]
    np.testing.assert_array_equal(reopened.load(["k2", "k0"]), vectors[[2, 0]])


def test_a_few_vectors_are_found_among_all_blocks(tmp_path: Path) -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(3, 4)
    store = VectorStore(tmp_path, SPEC, "torch")
    store.append(["k0", "longer"], vectors[:2])
    store.append(["k2"], vectors[2:])
    found = store.find(["k2", "absent", "longer"])
    assert sorted(found) == ["k2", "longer"]
    np.testing.assert_array_equal(found["longer"], vectors[1])
    np.testing.assert_array_equal(found["k2"], vectors[2])
    assert VectorStore(tmp_path, SPEC, "other").find(["k2"]) == {}


def test_a_vector_that_many_rows_share_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = VectorStore(tmp_path, SPEC, "torch")
    store.append(["same"] * 50, np.ones((50, 4), np.float32))
    store.append(["same"], np.ones((1, 4), np.float32))
    opened = []
    load = np.load

    def counted(path: Path, **options: object) -> np.ndarray:
        opened.append(path)
        return load(path, **options)

    monkeypatch.setattr(np, "load", counted)
    np.testing.assert_array_equal(store.find(["same"])["same"], np.ones(4))
    assert len(opened) == 3, "the keys and the shape of a block, then its vectors"


def test_a_vector_that_another_process_appends_is_seen(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, SPEC, "torch")
    assert not store.contains(["k"])[0]
    VectorStore(tmp_path, SPEC, "torch").append(["k"], np.ones((1, 4), np.float32))
    assert store.contains(["k"])[0]


def test_another_engine_or_encoder_shares_nothing(tmp_path: Path) -> None:
    VectorStore(tmp_path, SPEC, "torch").append(["k"], np.ones((1, 4), np.float32))
    assert not VectorStore(tmp_path, SPEC, "onnxruntime").contains(["k"])[0]


@pytest.mark.parametrize("damage", ["truncated keys", "no vectors"])
def test_a_damaged_block_is_ignored(tmp_path: Path, damage: str) -> None:
    VectorStore(tmp_path, SPEC, "torch").append(["k"], np.ones((1, 4), np.float32))
    if damage == "no vectors":
        next(tmp_path.rglob("*.vectors.npy")).unlink()
    else:
        keys = next(tmp_path.rglob("*.keys.npy"))
        keys.write_bytes(keys.read_bytes()[:-1])

    assert not VectorStore(tmp_path, SPEC, "torch").contains(["k"])[0]


def test_what_must_not_be_stored_is_refused(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, SPEC, "torch")
    with pytest.raises(WorkspaceError, match="not finite"):
        store.append(["k"], np.full((1, 4), np.nan, np.float32))
    with pytest.raises(WorkspaceError, match="float32"):
        store.append(["k"], np.ones((1, 5), np.float32))
    with pytest.raises(WorkspaceError, match="no stored vector"):
        store.load(["k"])


def test_an_edited_mask_changes_the_three_masked_views_only() -> None:
    changed = {view for view in View if key(MASK, view) != key(OTHER_MASK, view)}
    assert changed == {View.FOREGROUND, View.SHORTCUT, View.SILHOUETTE}


def test_every_ingredient_is_in_the_key() -> None:
    crop = CropRequest(0, "a.jpg", None, MASK, (), "a" * 64)
    boxed = replace(crop, bbox_xywh=(0, 0, 1, 1))
    keys = {
        key(),
        key(image="b" * 64),
        key(OTHER_MASK),
        key(view=View.SHORTCUT),
        vector_key(boxed, ViewSpec(View.FOREGROUND)),
        vector_key(crop, ViewSpec(View.FOREGROUND, fill_rgb=(0, 0, 0))),
    }
    assert len(keys) == 6
