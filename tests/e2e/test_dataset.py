"""From a folder or a zip to a dataset, in a real browser."""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.made_dataset import write_photos

APP = Path(__file__).parents[2] / "app.py"
_JOB_MS = 240_000


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on an empty workspace."""
    return serve(APP, tmp_path_factory.mktemp("empty") / "workspace")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 rows: three files are missing, one is truncated, one shows an unknown individual."""
    herd = tmp_path_factory.mktemp("photos") / "herd"
    photos = write_photos(herd, 24)
    photos[5].write_bytes(photos[5].read_bytes()[:600])
    lines = ["path,identity,date,site"]
    for i, photo in enumerate(photos):
        name = f"lost{i}.jpg" if i in (2, 9, 17) else photo.name
        who = "unknown" if i == 12 else f"disc {i // 3}"
        lines.append(f"{name},{who},2024-05-{i + 1:02d},river {i % 3}")
    (herd / "metadata.csv").write_text("\n".join(lines) + "\n")
    return herd


def expect_numbers(page: Page, numbers: dict[str, int]) -> None:
    metrics = page.get_by_test_id("stMetric")
    expect(metrics).to_have_count(len(numbers))
    for place, (label, number) in enumerate(numbers.items()):
        expect(metrics.nth(place)).to_have_text(re.compile(rf"^{label}\D*{number}$"))


def name_folder(page: Page, folder: Path) -> None:
    box = page.get_by_role("textbox", name="Folder, table or COCO file")
    box.fill(str(folder))
    box.press("Enter")


def test_a_folder_with_faults_becomes_a_dataset(
    page: Page, new_page: Callable[..., Page], address: str, folder: Path, screenshot: Callable
) -> None:
    page.goto(address)
    page.get_by_role("button", name="Add a dataset").click()
    name_folder(page, folder)
    expect(page.get_by_text("Marked (4)")).to_be_visible()
    expect_numbers(
        page,
        {
            "Rows": 24,
            "Usable": 21,
            "Individuals": 8,
            "Unknown": 1,
            "With mask": 0,
        },
    )
    page.get_by_text("Marked (4)").click()
    page.wait_for_url(re.compile("rows=noticed"))
    screenshot(page, "preview")
    page.get_by_role("button", name="Import", exact=True).click()

    expect(page.get_by_role("heading", name="Dataset", exact=True)).to_be_visible(timeout=_JOB_MS)
    expect_numbers(
        page,
        {
            "Rows": 20,
            "Image files": 20,
            "Individuals": 8,
            "Unknown": 1,
            "In audits": 0,
        },
    )
    expect(page.get_by_text("4 of 24 rows are not in the dataset")).to_have_text(
        re.compile("3 missing file, 1 damaged image")
    )
    screenshot(page, "report")

    page.get_by_text("Photos", exact=True).click()
    expect(page.locator("img.loaded").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"Images .* of 20"))).to_be_visible()
    page.get_by_role("searchbox", name="Search").fill('"river 1" "disc 1"')
    page.get_by_role("searchbox", name="Search").press("Enter")
    expect(page.get_by_text("1 of 20 rows")).to_be_visible()
    screenshot(page, "photos")

    other = new_page(width=1024, scheme="dark")
    other.goto(address)
    card = other.get_by_role("button", name="herd, 20 rows")
    expect(card).to_contain_text("20 rows of 8 individuals · 1 unknown")
    expect(card.locator("img").first).to_be_visible()
    screenshot(other, "overview")
    card.click()
    expect(other.get_by_role("heading", name="Dataset", exact=True)).to_be_visible()
    other.wait_for_url(re.compile("dataset=herd"))


def test_a_zip_is_unpacked_and_read(
    page: Page, address: str, folder: Path, tmp_path: Path, screenshot: Callable
) -> None:
    with zipfile.ZipFile(tmp_path / "herd two.zip", "w") as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, f"herd/{file.name}")
    page.goto(f"{address}/add_dataset?from=zip")
    page.locator("input[type=file]").set_input_files(tmp_path / "herd two.zip")
    expect(page.get_by_text("Marked (4)")).to_be_visible()
    path = page.get_by_role("textbox", name="Folder, table or COCO file")
    expect(path).to_have_value(re.compile(r"uploads/herd-two-\w{10}/herd$"))
    expect(page.get_by_role("textbox", name="Name of the dataset")).to_have_value("herd")
    screenshot(page)


def test_a_zip_that_leads_elsewhere_is_told(page: Page, address: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("../../evil.txt", "x")
    page.goto(f"{address}/add_dataset?from=zip")
    page.locator("input[type=file]").set_input_files(tmp_path / "evil.zip")
    expect(page.get_by_text("leads out of its folder")).to_be_visible()


def test_a_column_is_given_another_meaning(page: Page, address: str, folder: Path) -> None:
    page.goto(f"{address}/add_dataset")
    name_folder(page, folder)
    page.get_by_text("What the columns mean").click()
    page.get_by_role("combobox", name="Identity").click()
    page.get_by_role("option", name="site", exact=True).click()
    page.wait_for_url(re.compile("column-identity=site"))
    expect(page.get_by_test_id("stMetric").nth(2)).to_contain_text("3")
