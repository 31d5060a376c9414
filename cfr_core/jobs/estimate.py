"""What an audit will take, before it is started: rows, images, seconds, bytes.

Nothing here needs PyTorch: what is not written down by an earlier run is not known, and said so.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cfr_core.audit.job import plan
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.spec import AuditSpec
from cfr_core.encoders.cards import CARDS, FILE_PREFIX, TIMM_PREFIX, HubWeights, find_card
from cfr_core.encoders.weights import find_weights
from cfr_core.errors import WeightsError
from cfr_core.fingerprint import file_sha256
from cfr_core.types import EncoderSpec, View
from cfr_core.workspace.store import Workspace
from cfr_core.workspace.vectors import VectorStore, vector_key

_FEW_IMAGES = 50
"""A run that embedded fewer says little about the speed."""
_PIPELINE_SHARE = 0.7
"""Of the bare speed of an engine, decoding and drawing leave at least so much."""
_BYTES_A_KEY = 64
_BYTES_A_RESULT = 24
_NEIGHBOURS_KEPT = 20


@dataclass(frozen=True)
class PlannedAudit:
    """The rows of an audit.

    Attributes:
        run_id: The run that it would be.
        n_rows: All rows of the dataset.
        n_used: Rows that would be in the four views.
        n_identities: Individuals on them.
        left_out: The other rows, counted by reason.
        keys: Keys of the vectors that are needed.
    """

    run_id: str
    n_rows: int
    n_used: int
    n_identities: int
    left_out: Mapping[str, int]
    keys: tuple[str, ...]


@dataclass(frozen=True)
class KnownEncoder:
    """What is known of an encoder without loading it.

    Attributes:
        spec: Everything that makes its vectors, or None where only a run tells.
        download_mb: Megabytes to fetch first; 0 if the weights are here, None if not known.
    """

    spec: EncoderSpec | None
    download_mb: int | None


@dataclass(frozen=True)
class AuditCost:
    """What is still to be done.

    Attributes:
        n_images: Images that the audit needs, each row in each view.
        n_stored: Of these, embedded by an earlier run.
        seconds: How long it will take about, or None if nothing is known of the speed.
        speed_source: Where the speed comes from, in words.
        disk_bytes: What it will add to the workspace about, or None if the encoder is not known.
    """

    n_images: int
    n_stored: int
    seconds: float | None
    speed_source: str
    disk_bytes: int | None

    @property
    def n_missing(self) -> int:
        """Images to embed."""
        return self.n_images - self.n_stored


def plan_audit(workspace: Workspace, spec: AuditSpec) -> PlannedAudit:
    """The rows of an audit; nothing is written.

    Raises:
        InputError: if it cannot be asked, or no row is left.
    """
    job = plan(workspace, spec)
    reasons = job.left_out["reason"].value_counts()
    return PlannedAudit(
        run_id=job.run_id,
        n_rows=job.n_rows,
        n_used=len(job.table),
        n_identities=int(job.table["identity"].nunique()),
        left_out={str(reason): int(count) for reason, count in reasons.items()},
        keys=tuple(vector_key(crop, view) for crop in job.crops for view in crop.views),
    )


def known_encoder(
    name: str, checkpoints_dir: Path, past: Iterable[EvidenceProfile]
) -> KnownEncoder:
    """What an encoder is, from its card and weights, or else from earlier runs.

    Args:
        name: Name in the registry.
        checkpoints_dir: Folder of weights.
        past: Finished runs, the latest first.

    Raises:
        InputError: if there is no encoder of that name, or a file that it names is not there.
    """
    if _is_of_timm(name):
        _check_file(name)
        return KnownEncoder(_spec_of_past_run(name, past), None)
    card = find_card(name)
    path = find_weights(card, checkpoints_dir)
    if path is None:
        weights = card.weights
        return KnownEncoder(None, weights.download_mb if isinstance(weights, HubWeights) else None)
    if card.dim is None:
        return KnownEncoder(_spec_of_past_run(name, past), 0)
    spec = EncoderSpec(
        name=card.name,
        architecture=card.architecture,
        weights_sha256=file_sha256(path),
        input_size_px=card.input_size_px,
        mean=card.mean,
        std=card.std,
        interpolation=card.interpolation,
        dim=card.dim,
        licence=card.licence,
    )
    return KnownEncoder(spec, 0)


def weights_stamp(name: str, checkpoints_dir: Path) -> str:
    """Another text when the weights of an encoder have come, gone or changed.

    Raises:
        InputError: if there is no encoder of that name, or a file that it names is not there.
    """
    path = None if _is_of_timm(name) else find_weights(find_card(name), checkpoints_dir)
    if path is None:
        return ""
    facts = path.stat()
    return f"{path} {facts.st_size} {facts.st_mtime_ns}"


def cost_stamp(root: Path) -> str:
    """Another text when vectors were stored, or engines chosen: `audit_cost` may say other numbers.

    Args:
        root: The workspace.
    """
    # Blocks and choices are files of their own, which are never changed in place.
    n_blocks = sum(1 for _ in (root / "embeddings").glob("*/*.npy"))
    chosen = (path.stat().st_mtime_ns for path in (root / "cache" / "engines").glob("*.json"))
    return f"{n_blocks} {max(chosen, default=0)}"


def audit_cost(
    root: Path,
    planned: PlannedAudit,
    encoder: KnownEncoder,
    device: str,
    past: Sequence[EvidenceProfile],
) -> AuditCost:
    """What is still to be done for an audit.

    Args:
        root: The workspace.
        planned: Its rows.
        encoder: Its encoder.
        device: Where it will run: "cuda", "mps" or "cpu".
        past: Finished runs, the latest first.
    """
    spec = encoder.spec
    engine = _remembered_engine(root / "cache" / "engines", spec, device)
    n_stored = 0
    if spec is not None and engine is not None:
        stored = VectorStore(root / "embeddings", spec, engine.name).contains(planned.keys)
        n_stored = int(stored.sum())
    n_missing = len(planned.keys) - n_stored
    images_per_s, source = _speed(spec, engine, device, past)
    seconds = None
    if images_per_s is not None or not n_missing:
        embedding_s = n_missing / images_per_s if images_per_s else 0.0
        seconds = embedding_s + _other_seconds(spec, device, past)
    disk_bytes = None
    if spec is not None:
        results = planned.n_used * len(View) * _NEIGHBOURS_KEPT * _BYTES_A_RESULT
        disk_bytes = n_missing * (4 * spec.dim + _BYTES_A_KEY) + results
    return AuditCost(len(planned.keys), n_stored, seconds, source, disk_bytes)


@dataclass(frozen=True)
class _Engine:
    """An engine that was chosen for an encoder on this machine.

    Attributes:
        name: Its name.
        images_per_s: Its bare speed when it was chosen.
    """

    name: str
    images_per_s: float


def _is_of_timm(name: str) -> bool:
    """True where the card comes from timm, and with it PyTorch."""
    if name.startswith(FILE_PREFIX):
        return name.removeprefix(FILE_PREFIX).partition(":")[0] not in CARDS
    return name.startswith(TIMM_PREFIX)


def _check_file(name: str) -> None:
    """Raise for a file of one's own that is not there."""
    _, _, path = name.removeprefix(FILE_PREFIX).partition(":")
    if name.startswith(FILE_PREFIX) and not Path(path).expanduser().is_file():
        raise WeightsError(f"{path or name}: no such weights file")


def _spec_of_past_run(name: str, past: Iterable[EvidenceProfile]) -> EncoderSpec | None:
    fields = next((dict(run.encoder) for run in past if run.encoder["name"] == name), None)
    if fields is None:
        return None
    fields.pop("fingerprint")
    return EncoderSpec(**fields | {name: tuple(fields[name]) for name in ("mean", "std")})


def _remembered_engine(folder: Path, spec: EncoderSpec | None, device: str) -> _Engine | None:
    """The engine chosen last for an encoder on a device, as `engine_choice` has written it."""
    if spec is None:
        return None
    for memory in sorted(folder.glob("*.json"), key=lambda path: -path.stat().st_mtime):
        try:
            found = json.loads(memory.read_text(encoding="utf-8"))
            setting, name = found["setting"], found["engine"]
            if setting["encoder"] == spec.fingerprint and setting["device"] == device:
                return _Engine(name, found["engines"][name]["images_per_s"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # damaged: it is measured anew when the audit runs
    return None


def _of_encoder(
    spec: EncoderSpec | None, device: str, past: Iterable[EvidenceProfile]
) -> list[EvidenceProfile]:
    return [
        run
        for run in past
        if spec is not None
        and run.device == device
        and run.encoder.get("fingerprint") == spec.fingerprint
    ]


def _speed(
    spec: EncoderSpec | None,
    engine: _Engine | None,
    device: str,
    past: Sequence[EvidenceProfile],
) -> tuple[float | None, str]:
    """Images a second through the whole pipeline, and where that is known from."""
    for run in _of_encoder(spec, device, past):
        if run.n_embedded >= _FEW_IMAGES:
            return run.images_per_s, f"as the run of {run.dataset} had it"
    if engine is not None:
        return _PIPELINE_SHARE * engine.images_per_s, "by the speed of the encoder alone"
    return None, "not known before the first run with this encoder on this device"


def _other_seconds(spec: EncoderSpec | None, device: str, past: Sequence[EvidenceProfile]) -> float:
    """Loading, retrieving and measuring in the last run with this encoder; 0 if there is none."""
    runs = _of_encoder(spec, device, past)
    return sum(s for stage, s in runs[0].seconds.items() if stage != "embed") if runs else 0.0
