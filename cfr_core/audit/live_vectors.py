"""Vectors of a few edited rows, by an encoder that stays loaded."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cfr_core.audit.job import AuditJob
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.rankings import Keys
from cfr_core.audit.selection import LeftOut
from cfr_core.errors import InputError
from cfr_core.types import DeviceChoice, OnProgress, View
from cfr_core.workspace.vectors import VectorStore, vector_key

if TYPE_CHECKING:
    from cfr_core.encoders.encoder import Encoder

_CPU = "cpu"


@dataclass(frozen=True)
class EditedVectors:
    """Vectors of some rows of an audit.

    Attributes:
        keys: Fingerprints of the stored vectors in each view, (n,) for the n rows that have them.
        failures: Why a row has none, by its number among those asked for.
        n_computed: Vectors that were not stored before.
    """

    keys: Mapping[View, Keys]
    failures: Mapping[int, LeftOut]
    n_computed: int


class LiveVectors:
    """Embeds rows as a run did, with its encoder kept loaded."""

    def __init__(self, workspace_root: Path, device: DeviceChoice) -> None:
        """Embed for the runs of a workspace; nothing is loaded yet."""
        self._root = workspace_root
        self._choice: DeviceChoice = device
        self._encoder: Encoder | None = None

    @property
    def device(self) -> str:
        """Where the encoder is: "cpu", "cuda" or "mps"; the CPU as long as none is loaded."""
        return self._encoder.device if self._encoder is not None else _CPU

    def store(self, profile: EvidenceProfile) -> VectorStore:
        """Where the vectors of a run are."""
        return VectorStore(self._root / "embeddings", profile.encoder_spec, profile.engine)

    def embed(
        self,
        job: AuditJob,
        profile: EvidenceProfile,
        store: VectorStore,
        on_progress: OnProgress,
    ) -> EditedVectors:
        """Compute what is not stored yet.

        Args:
            job: The audit with the rows that are asked for alone.
            profile: The run.
            store: Its vectors.
            on_progress: Told the images done.

        Raises:
            InputError: if this machine does not embed as the run was embedded.
            WeightsError, DeviceError: if the encoder cannot be loaded.
        """
        keys = {
            spec.view: [vector_key(crop, spec) for crop in job.crops] for spec in job.spec.views
        }
        if all(store.contains(view_keys).all() for view_keys in keys.values()):
            return EditedVectors(_as_arrays(keys), {}, 0)
        # Imports PyTorch, which a program does without as long as all vectors are stored.
        from cfr_core.audit.embedding import embed_missing

        encoder = self._loaded(job, profile, on_progress)
        found = embed_missing(job, encoder, store, batch_size=None, on_progress=on_progress)
        return EditedVectors(_as_arrays(found.keys), found.failures, found.n_computed)

    def _loaded(
        self, job: AuditJob, profile: EvidenceProfile, on_progress: OnProgress
    ) -> "Encoder":
        from cfr_core.audit.embedding import calibration_requests
        from cfr_core.encoders.encoder import load_encoder

        if self._encoder is None or self._encoder.spec.name != profile.encoder["name"]:
            self._encoder = load_encoder(
                job.spec.encoder,
                self._root / "checkpoints",
                cache_dir=self._root / "cache",
                device=self._choice,
                on_progress=on_progress,
                calibration=calibration_requests(job),
            )
        ours = (self._encoder.spec.fingerprint, self._encoder.engine)
        if ours != (profile.encoder_spec.fingerprint, profile.engine):
            raise InputError(
                f"run {profile.run_id} was embedded by {profile.encoder['name']} on "
                f"{profile.engine}, this machine would use {self._encoder.spec.name} on "
                f"{self._encoder.engine}, whose vectors are not quite the same: run the audit again"
            )
        return self._encoder


def _as_arrays(keys: Mapping[View, list[str]]) -> dict[View, Keys]:
    return {view: np.array(view_keys, dtype="U64") for view, view_keys in keys.items()}
