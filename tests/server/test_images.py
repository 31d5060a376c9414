"""The picture route: what it sends, what it refuses, and what the browser may keep."""

import asyncio
import io
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfr_core.types import View
from cfr_core.workspace.location import VARIABLE
from server import images
from server import workspace as served
from tests.made_dataset import made_dataset
from tests.server.asking import Answer, ask, get

pytestmark = pytest.mark.usefixtures("photos")


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Folder of the photos of a dataset in the served workspace: rows 0 to 11."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "workspace"))
    served.workspace().add_dataset(made_dataset(tmp_path / "photos"))
    yield tmp_path / "photos"
    served.close()


def pixels(answer: Answer) -> np.ndarray:
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "image/jpeg"
    with Image.open(io.BytesIO(answer.body)) as image:
        return np.asarray(image).astype(int)


def test_every_view_is_sent() -> None:
    views = {
        view: pixels(get(images.image_url(0, view=view, fill_rgb=(255, 0, 255))))
        for view in (*View, images.PHOTO)
    }
    assert {view.shape for view in views.values()} == {(90, 120, 3)}
    np.testing.assert_allclose(views[View.FOREGROUND][2, 2], (255, 0, 255), atol=6)
    np.testing.assert_allclose(views[View.SHORTCUT][45, 45], (255, 0, 255), atol=6)
    np.testing.assert_allclose(views[View.SILHOUETTE][45, 45], (0, 0, 0), atol=6)
    np.testing.assert_array_equal(views[View.FULL], views[images.PHOTO])


def test_sizes_are_kept_and_bounded() -> None:
    assert pixels(get("/api/rows/0/image?size=64")).shape == (48, 64, 3)
    assert get("/api/rows/0/image?size=63").status == 400


def test_the_browser_is_told_when_it_has_the_picture() -> None:
    first = get("/api/rows/0/image?view=foreground")
    assert first.headers["cache-control"] == "private, no-cache"
    assert first.headers["cross-origin-resource-policy"] == "same-origin"
    tag = first.headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = get("/api/rows/0/image?view=foreground", {"If-None-Match": known})
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    assert get("/api/rows/4/image?view=foreground", {"If-None-Match": tag}).status == 200


def test_another_mask_is_another_picture() -> None:
    before = {view: get(images.image_url(0, view=view)) for view in View}
    with served.workspace()._database.transaction() as cursor:
        cursor.execute(
            "INSERT INTO masks SELECT * REPLACE (2 AS version, (SELECT counts FROM masks "
            "WHERE row_id = 4) AS counts) FROM masks WHERE row_id = 0"
        )
    for view, answer in before.items():
        again = get(images.image_url(0, view=view), {"If-None-Match": answer.headers["etag"]})
        assert again.status == (304 if view is View.FULL else 200)


def test_a_picture_is_drawn_once_and_kept(photos: Path) -> None:
    first = get("/api/rows/0/image")
    for path in photos.iterdir():
        path.unlink()
    assert get("/api/rows/0/image").body == first.body
    missing = get("/api/rows/0/image?size=100")
    assert (missing.status, missing.headers["cache-control"]) == (422, "no-store")
    assert b"no such file" in missing.body


@pytest.mark.parametrize(
    ("url", "status", "words"),
    [
        ("/api/rows/12/image", 404, "no row 12"),  # one past the last
        ("/api/rows/-1/image", 404, "asked by its number"),
        ("/api/rows/..%2f..%2fetc/image", 404, "asked by its number"),  # never a path
        ("/api/rows/99999999999999999999/image", 404, "asked by its number"),  # no 64-bit number
        ("/api/rows/1/image?view=foreground", 409, "row 1 has no accepted mask"),
        ("/api/rows/2/image?view=silhouette", 409, "row 2 has no accepted mask"),  # unreviewed
        ("/api/rows/0/image?view=back", 400, "view must be one of full, foreground"),
        ("/api/rows/0/image?size=big", 400, "whole number of pixels"),
        ("/api/rows/0/image?size=1e3", 400, "whole number of pixels"),
        ("/api/rows/0/image?fill=red", 400, "six hexadecimal digits"),
        ("/api/rows/0/image?viev=full", 400, "unknown parameter 'viev'"),
        ("/api/rows/0", 404, "nothing at /api/rows/0"),
    ],
)
def test_what_cannot_be_sent_is_said_in_words(url: str, status: int, words: str) -> None:
    answer = get(url)
    assert (answer.status, words in answer.body.decode()) == (status, True), answer
    assert answer.headers["content-type"].startswith("text/plain")


def test_rows_without_a_mask_are_seen_whole() -> None:
    assert get("/api/rows/1/image?view=full").status == 200


def test_a_workspace_that_cannot_be_opened_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    answer = get("/api/rows/0/image")
    assert (answer.status, b"cannot be" in answer.body) == (503, True), answer


def test_another_workspace_is_served_when_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "other"))
    assert get("/api/rows/0/image").status == 404


def test_drawing_does_not_hold_up_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    may_draw = threading.Event()
    draw = images.picture

    def slow(*args: object) -> bytes:
        assert may_draw.wait(10)
        return draw(*args)

    monkeypatch.setattr(images, "picture", slow)

    async def both() -> tuple[int, int]:
        drawing = asyncio.create_task(ask("/api/rows/0/image"))
        refused = await ask("/api/rows/12/image")  # is answered while the other one is drawn
        assert not drawing.done()
        may_draw.set()
        return refused.status, (await drawing).status

    assert asyncio.run(both()) == (404, 200)


def test_a_mask_that_waits_is_drawn_on_its_crop() -> None:
    plain = pixels(get(images.image_url(2)))
    waits = pixels(get(images.image_url(2, view=images.OUTLINE)))
    assert waits.shape == plain.shape
    assert waits[2, 2].mean() < 0.6 * plain[2, 2].mean()
    none = pixels(get(images.image_url(1, view=images.OUTLINE)))
    np.testing.assert_allclose(none, pixels(get(images.image_url(1))), atol=8)
