"""Runs of the demo on the plane, in a real browser.

The demo datasets are drawn smaller than they ship, so that auditing them takes seconds.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from cfr_core.audit.demo import checked_demo, demo_dataset_name
from cfr_core.audit.job import prepare
from cfr_core.audit.profile import EvidenceProfile
from cfr_core.audit.run import register, run_audit
from cfr_core.audit.spec import AuditSpec
from cfr_core.demo.presets import PRESETS
from cfr_core.workspace.store import Workspace
from tests.made_run import SCENERY, made_run

APP = Path(__file__).parents[2] / "app.py"
ENCODER = "effnet-lite0"
SMALL = {"n_identities": 6, "n_photos": 4}
_PLOT_MS = 60_000
"""The browser reads five megabytes of Plotly before the first plot."""


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, EvidenceProfile]]:
    """A workspace with the demo audited, and a made run of one dataset; profiles by dataset."""
    folder = tmp_path_factory.mktemp("evidence")
    profiles = {}
    with Workspace(folder) as workspace:
        for name, preset in PRESETS.items():
            workspace.add_dataset(checked_demo(replace(preset, **SMALL), folder, lambda _: None))
            job = prepare(workspace, AuditSpec(demo_dataset_name(name), ENCODER))
            profiles[name] = run_audit(job.folder, device="cpu")
            register(workspace, profiles[name])
        made = AuditSpec("demo-shortcut", "made", ks=(1,), n_resamples=100)
        made_run(workspace, made, SCENERY)
    return folder, profiles


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], audited: tuple[Path, dict[str, EvidenceProfile]]) -> str:
    """The Evidence page on that workspace."""
    return f"{serve(APP, audited[0])}/evidence"


def plane(page: Page) -> Locator:
    return page.locator(".st-key-plane .js-plotly-plot")


def point(page: Page, run_id: str) -> Locator:
    """The point of a run on the plane."""
    expect(plane(page).locator(".scatterlayer .point").first).to_be_visible(timeout=_PLOT_MS)
    curve, number = plane(page).evaluate(
        "(plot, id) => plot.data.flatMap((trace, curve) => (trace.customdata ?? [])"
        ".map(([run], number) => [run, curve, number])).find(([run]) => run === id).slice(1)",
        run_id,
    )
    points = plane(page).locator(".scatterlayer .trace").nth(curve).locator(".point")
    return points.nth(number)


def test_every_run_stands_in_its_place(
    page: Page, address: str, audited: tuple[Path, dict[str, EvidenceProfile]], screenshot: Callable
) -> None:
    page.goto(address)
    numbers, places = [], []
    for profile in audited[1].values():
        box = point(page, profile.run_id).bounding_box()
        rates = profile.by_k[1]
        numbers.append((rates.cfr, rates.ssi))
        places.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    screenshot(page)
    # Pixels are a straight line of the numbers: across with CFR, up with SSI.
    for axis, sign in ((0, 1), (1, -1)):
        number, place = (np.array(pairs)[:, axis] for pairs in (numbers, places))
        slope, start = np.polyfit(number, place, 1)
        assert slope * sign > 100
        assert np.abs(start + slope * number - place).max() < 3
