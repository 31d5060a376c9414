"""The page for a dataset's owner: a photo of one's own, asked of a run with the real encoder."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from scipy.ndimage import distance_transform_edt

from cfr_core.audit.job import prepare
from cfr_core.audit.run import register, run_audit
from cfr_core.audit.spec import AuditSpec
from cfr_core.datasets.check import check
from cfr_core.datasets.sources import read_source
from cfr_core.demo.generate import generate
from cfr_core.demo.presets import PRESETS
from cfr_core.types import View
from cfr_core.workspace.store import Workspace

APP = Path(__file__).parents[2] / "app.py"
PHONE = {"width": 390, "height": 844}
TIMEOUT_MS = 120_000  # PyTorch and the encoder are loaded for the first photo


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Two photos each of four zebras, whose run is in the workspace beside them."""
    recipe = replace(PRESETS["leaky"], n_identities=4, n_photos=2, size_hw=(240, 320))
    photos = tmp_path / "photos"
    generate(recipe, photos)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.add_dataset(check(read_source(photos), name="zebras"))
        job = prepare(workspace, AuditSpec("zebras", "effnet-lite0"))
    profile = run_audit(job.folder)
    with Workspace(tmp_path / "workspace") as workspace:
        register(workspace, profile)
    return photos


def test_a_photo_of_ones_own_is_tapped_and_asked(
    serve: Callable[..., str], new_page: Callable[..., Page], photos: Path, screenshot: Callable
) -> None:
    page = new_page(**PHONE)
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(serve(APP, photos.parent / "workspace") + "/demo/")
    expect(page.locator(".four:visible img")).to_have_count(len(View), timeout=TIMEOUT_MS)
    page.get_by_role("tab", name="Your own").click()
    file = min((photos / "images").iterdir())
    page.locator("input[type=file]").first.set_input_files(file)
    shown = page.get_by_role("tabpanel").locator("img:visible").first
    expect(shown).to_have_js_property("complete", value=True)

    tap(shown, *middle(photos / "masks" / f"{file.stem}.png"))
    expect(page.locator(".strip:visible")).to_have_count(len(View), timeout=TIMEOUT_MS)
    nearest = page.locator(".strip:visible figure:first-child")
    # The very photo is in the dataset, so the full image is most similar to itself.
    expect(nearest.first).to_contain_text(f"{file.stem.partition('_')[0]}, 1.00")
    expect(page.locator(".prose.said:visible")).to_contain_text("animal")

    picture = page.locator("img[alt='Shortcut']")
    animal = np.asarray(Image.open(photos / "masks" / f"{file.stem}.png")) > 0
    before = np.asarray(Image.open(file).convert("RGB"), dtype=float)
    after = pixels(page, picture, before.shape[:2])
    changed = np.abs(after - before).max(axis=2) > 24
    # A rough mask, but of the animal: most of it is hidden, and most of the rest is not.
    assert changed[animal].mean() > 0.5
    assert changed[~animal].mean() < 0.1
    screenshot(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_an_empty_workspace_says_what_to_do(
    serve: Callable[..., str], page: Page, tmp_path: Path
) -> None:
    page.goto(serve(APP, tmp_path / "empty") + "/demo/")
    expect(page.get_by_text("holds no finished run yet")).to_be_visible(timeout=TIMEOUT_MS)


def middle(mask: Path) -> tuple[float, float]:
    """The place deepest inside the animal, as shares of the photo's width and height."""
    animal = np.asarray(Image.open(mask)) > 0
    depth = distance_transform_edt(animal)
    row, column = np.unravel_index(depth.argmax(), depth.shape)
    return (column + 0.5) / animal.shape[1], (row + 0.5) / animal.shape[0]


def tap(image: Locator, u: float, v: float) -> None:
    """Tap on a place of a photo that is shown whole in its box."""
    image.scroll_into_view_if_needed()
    natural = image.evaluate("image => [image.naturalWidth, image.naturalHeight]")
    box = image.bounding_box()
    scale = min(box["width"] / natural[0], box["height"] / natural[1])
    left = (box["width"] - scale * natural[0]) / 2
    top = (box["height"] - scale * natural[1]) / 2
    place = {"x": left + u * scale * natural[0], "y": top + v * scale * natural[1]}
    image.click(position=place)


def pixels(page: Page, image: Locator, size_hw: tuple[int, int]) -> np.ndarray:
    """(H, W, 3) float pixels of a picture of the page, at that size."""
    answer = page.request.get(image.evaluate("image => image.src"))
    picture = Image.open(io.BytesIO(answer.body())).convert("RGB")
    return np.asarray(picture.resize(size_hw[::-1]), dtype=float)
