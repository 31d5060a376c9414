"""What a table on a page shows, and what a button saves, once the page has run."""

import csv
from pathlib import Path

from playwright.sync_api import Locator, Page, expect


def has_run(page: Page) -> None:
    """Wait until nothing of the page is about to be drawn anew."""
    expect(page.locator(".stApp[data-test-script-state='notRunning']")).to_be_visible()


def cells(page: Page, alt: str) -> list[list[str]]:
    """Texts of a table's cells that are in sight, line by line, without its header.

    Numbers are as the table has them, not rounded as it paints them.
    """
    # A table is painted; its texts lie in the canvas, for those who cannot see it.
    lines = page.get_by_role("region", name=alt, exact=True).locator("canvas tbody tr")
    expect(lines.first).to_be_attached()
    return lines.evaluate_all(
        "lines => lines.map(line => [...line.querySelectorAll('td')].map(td => td.textContent))"
    )


def save(page: Page, button: Locator, folder: Path) -> Path:
    """Press a button that saves a file, and wait until the file is in the folder."""
    # A button that is drawn anew while its file is made gives none.
    has_run(page)
    with page.expect_download() as waiting:
        button.click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def save_csv(page: Page, button: Locator, folder: Path) -> list[dict[str, str]]:
    """Press a button that saves a table; its lines by column."""
    with save(page, button, folder).open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))
