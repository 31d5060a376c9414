"""What an audit will take, as earlier runs and stored vectors tell."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.spec import AuditSpec
from cfr_core.errors import InputError
from cfr_core.jobs.estimate import (
    AuditCost,
    KnownEncoder,
    audit_cost,
    cost_stamp,
    known_encoder,
    plan_audit,
    weights_stamp,
)
from cfr_core.types import EncoderSpec, View
from cfr_core.workspace.store import Workspace
from cfr_core.workspace.vectors import VectorStore
from tests.made_dataset import made_dataset
from tests.made_run import made_run

ENCODER = EncoderSpec(
    name="made",
    architecture="made",
    weights_sha256="0" * 64,
    input_size_px=224,
    mean=(0.5, 0.5, 0.5),
    std=(0.5, 0.5, 0.5),
    interpolation="bicubic",
    dim=8,
    licence="none",
)
ENGINE = "onnxruntime-float32-cpu"
N_IMAGES = 9 * len(View)


@pytest.fixture
def workspace(tmp_path: Path):
    with Workspace(tmp_path / "workspace") as opened:
        opened.add_dataset(made_dataset(tmp_path / "photos"))
        yield opened


@pytest.fixture
def past(workspace: Workspace) -> EvidenceProfile:
    """A run of 100 images at 50 a second on the CPU, which took 3 s beside."""
    profile = made_run(workspace, AuditSpec("discs", "made", n_resamples=100))
    return replace(
        profile,
        encoder={**vars(ENCODER), "fingerprint": ENCODER.fingerprint},
        device="cpu",
        n_embedded=100,
        seconds={"load encoder": 2.0, "embed": 2.0, "retrieve": 1.0},
    )


def cost(workspace: Workspace, past: list[EvidenceProfile], device: str = "cpu") -> AuditCost:
    planned = plan_audit(workspace, AuditSpec("discs", "made"))
    return audit_cost(workspace.root, planned, KnownEncoder(ENCODER, 0), device, past)


def remember_engine(workspace: Workspace, device: str = "cpu", speed: float = 100.0) -> None:
    folder = workspace.cache_dir / "engines"
    folder.mkdir(parents=True, exist_ok=True)
    memory = {
        "engine": ENGINE,
        "engines": {ENGINE: {"images_per_s": speed}},
        "setting": {"encoder": ENCODER.fingerprint, "device": device},
    }
    (folder / f"{device}.json").write_text(json.dumps(memory))


def test_rows_are_counted_by_reason(workspace: Workspace) -> None:
    planned = plan_audit(workspace, AuditSpec("discs", "made"))
    assert (planned.n_rows, planned.n_used, planned.n_identities) == (12, 9, 4)
    assert planned.left_out == {"no accepted mask": 2, "unknown identity": 1}
    assert len(set(planned.keys)) == N_IMAGES
    assert not workspace.runs_dir.exists()


def test_the_run_is_the_one_that_would_be_started(workspace: Workspace) -> None:
    spec = AuditSpec("discs", "made", n_resamples=100)
    assert plan_audit(workspace, spec).run_id == made_run(workspace, spec).run_id


def test_without_any_run_the_time_is_not_known(workspace: Workspace) -> None:
    found = cost(workspace, [])
    assert (found.n_images, found.n_stored, found.seconds) == (N_IMAGES, 0, None)
    assert "not known before the first run" in found.speed_source
    assert found.disk_bytes is not None
    assert found.disk_bytes > N_IMAGES * 4 * ENCODER.dim


def test_the_time_follows_an_earlier_run(workspace: Workspace, past: EvidenceProfile) -> None:
    assert cost(workspace, [past]).seconds == pytest.approx(N_IMAGES / 50 + 3)
    assert cost(workspace, [past]).speed_source == "as the run of discs had it"


@pytest.mark.parametrize(
    "change",
    [
        {"device": "cuda"},  # another device
        {"encoder": {"name": "made", "fingerprint": "other weights"}},
        {"n_embedded": 10, "seconds": {"embed": 0.001}},  # too few to tell
    ],
)
def test_a_run_that_says_nothing_is_passed_over(
    workspace: Workspace, past: EvidenceProfile, change: dict
) -> None:
    assert cost(workspace, [replace(past, **change)]).seconds is None
    second = cost(workspace, [replace(past, **change), past])
    assert second.speed_source == "as the run of discs had it"


def test_the_measured_engine_is_the_next_best(workspace: Workspace) -> None:
    remember_engine(workspace, speed=100.0)
    assert cost(workspace, []).seconds == pytest.approx(N_IMAGES / 70)
    assert cost(workspace, [], device="cuda").seconds is None


def test_stored_vectors_are_counted(workspace: Workspace, past: EvidenceProfile) -> None:
    remember_engine(workspace)
    planned = plan_audit(workspace, AuditSpec("discs", "made"))
    store = VectorStore(workspace.embeddings_dir, ENCODER, ENGINE)
    store.append(planned.keys[:16], np.ones((16, ENCODER.dim), np.float32))
    found = cost(workspace, [past])
    assert (found.n_stored, found.n_missing) == (16, N_IMAGES - 16)
    assert found.seconds == pytest.approx((N_IMAGES - 16) / 50 + 3)
    # Those of another engine do not count: engines do not agree to the last digit.
    VectorStore(workspace.embeddings_dir, ENCODER, "torch-float32-cpu").append(
        planned.keys[16:], np.ones((N_IMAGES - 16, ENCODER.dim), np.float32)
    )
    assert cost(workspace, []).n_stored == 16
    store.append(planned.keys[16:], np.ones((N_IMAGES - 16, ENCODER.dim), np.float32))
    assert cost(workspace, []).seconds == 0


def test_a_damaged_memory_of_engines_is_no_memory(workspace: Workspace) -> None:
    remember_engine(workspace)
    (workspace.cache_dir / "engines" / "cpu.json").write_text("{")
    assert cost(workspace, []).seconds is None


def test_what_an_encoder_needs(tmp_path: Path, past: EvidenceProfile) -> None:
    here = known_encoder("effnet-lite0", tmp_path, [])
    assert here.spec is not None
    assert (here.spec.dim, here.download_mb) == (1280, 0)
    absent = known_encoder("megadescriptor-t-224", tmp_path, [])
    assert (absent.spec, absent.download_mb) == (None, 110)
    # What only a run tells is known after the first one.
    assert known_encoder("timm:resnet18", tmp_path, []).spec is None
    run = replace(past, encoder=dict(past.encoder) | {"name": "timm:resnet18"})
    known = known_encoder("timm:resnet18", tmp_path, [past, run])
    assert known.spec is not None
    assert known.spec.fingerprint == ENCODER.fingerprint
    with pytest.raises(InputError, match="no encoder is named"):
        known_encoder("resnet", tmp_path, [])


def test_a_known_encoder_is_the_one_that_a_run_loads(workspace: Workspace) -> None:
    """The fingerprint decides which vectors count as stored."""
    from cfr_core.encoders.encoder import load_encoder

    folder = workspace.checkpoints_dir
    loaded = load_encoder("effnet-lite0", folder, cache_dir=workspace.cache_dir, device="cpu")
    assert known_encoder("effnet-lite0", folder, []).spec == loaded.spec


def test_weights_that_come_are_noticed(tmp_path: Path) -> None:
    assert weights_stamp("megadescriptor-t-224", tmp_path) == ""
    (tmp_path / "megadescriptor-t-224").mkdir()
    file = tmp_path / "megadescriptor-t-224" / "model.safetensors"
    file.write_bytes(b"one")
    first = weights_stamp("megadescriptor-t-224", tmp_path)
    file.write_bytes(b"other")
    assert "" != first != weights_stamp("megadescriptor-t-224", tmp_path)
    assert weights_stamp("timm:resnet18", tmp_path) == ""


def test_the_stamp_changes_when_vectors_are_stored_or_an_engine_is_chosen(
    workspace: Workspace,
) -> None:
    stamps = [cost_stamp(workspace.root)]
    VectorStore(workspace.embeddings_dir, ENCODER, ENGINE).append(
        ["a" * 64], np.ones((1, ENCODER.dim), np.float32)
    )
    stamps.append(cost_stamp(workspace.root))
    remember_engine(workspace)
    stamps.append(cost_stamp(workspace.root))
    assert len(set(stamps)) == 3
    assert cost_stamp(workspace.root) == stamps[-1]
