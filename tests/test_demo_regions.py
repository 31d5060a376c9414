"""The demo datasets under a whole audit: each preset in its region, and what the knobs do."""

from dataclasses import replace
from pathlib import Path

import pytest

from cfr_core.audit.job import prepare
from cfr_core.audit.profile import RatesAtK
from cfr_core.audit.run import run_audit
from cfr_core.audit.spec import AuditSpec
from cfr_core.datasets.check import check
from cfr_core.datasets.sources import read_source
from cfr_core.demo.generate import generate
from cfr_core.demo.presets import PRESETS, DemoSpec
from cfr_core.types import Region, SilhouetteRole
from cfr_core.workspace.store import Workspace

MARGIN = 0.04
"""How far inside its region a preset must be, on both axes: two standard errors are 0.04 to 0.08,
and the seeds are fixed, so a smaller distance would only say that the seed was lucky."""


def audited(spec: DemoSpec, folder: Path) -> RatesAtK:
    """Generate a dataset, import and audit it with the default encoder; its rates at k = 1."""
    photos = folder / "photos"
    generate(spec, photos)
    result = check(read_source(photos), name=spec.name, role=spec.silhouette_role)
    with Workspace(folder / "workspace") as workspace:
        workspace.add_dataset(result)
        job = prepare(workspace, AuditSpec(spec.name, "effnet-lite0"))
    return run_audit(job.folder).by_k[1]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_lands_well_inside_its_region(name: str, tmp_path: Path) -> None:
    spec = PRESETS[name]
    rates = audited(spec, tmp_path)
    assert rates.region is spec.region
    high_cfr = spec.region in (Region.FOREGROUND_DRIVEN, Region.LEAKAGE)
    high_ssi = spec.region in (Region.SHORTCUT_DRIVEN, Region.LEAKAGE)
    assert (rates.cfr > 0.5 + MARGIN) if high_cfr else (rates.cfr < 0.5 - MARGIN)
    assert (rates.ssi > 0.5 + MARGIN) if high_ssi else (rates.ssi < 0.5 - MARGIN)
    if spec.silhouette_role is SilhouetteRole.IDENTITY:
        assert rates.ssi == rates.ssi_context
        assert rates.ssi_with_silhouette > 0.9  # the same numbers in the other role


def test_more_identity_in_the_scene_means_a_higher_ssi(tmp_path: Path) -> None:
    small = replace(PRESETS["leaky"], n_identities=12, n_photos=4, size_hw=(168, 224))
    shares = (0.0, 0.5, 0.9, 1.0)
    ssi = [audited(replace(small, scene=s), tmp_path / str(s)).ssi for s in shares]
    assert ssi == sorted(ssi)
    assert ssi[0] < 0.2
    assert ssi[-1] > 0.6
