"""The editor's routes: what they store, what they refuse, and who may ask."""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags, Image
from pycocotools import mask as coco

from cfr_core.datasets.check import check
from cfr_core.datasets.sources import read_source
from cfr_core.images import apply_exif
from cfr_core.masks import rle
from cfr_core.types import MaskStatus
from cfr_core.workspace.location import VARIABLE
from server import asked
from server import workspace as served
from tests.made_dataset import disc, made_dataset, write_photos
from tests.server.asking import Answer, get, post

HEIGHT, WIDTH = 90, 120
INVERSE = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6}
"""EXIF orientation that undoes another."""


pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


@pytest.fixture(scope="module", autouse=True)
def shared_workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Rows 0 to 11; row 1 has no mask, that of row 2 waits for review."""
    folder = tmp_path_factory.mktemp("segmentation")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(folder / "workspace"))
        served.workspace().add_dataset(made_dataset(folder / "photos"))
        yield
        served.close()


@pytest.fixture
def first(tmp_path: Path) -> int:
    """First of 12 rows like those, for a test that changes them; their photos are in tmp_path."""
    name = f"photos-{tmp_path.name}"
    served.workspace().add_dataset(made_dataset(tmp_path, name))
    return int(served.workspace().browse(name)["row_id"].min())


def content(answer: Answer, status: int = 200) -> dict:
    assert answer.status == status, answer.body
    assert answer.headers["cache-control"] == "no-store"
    return json.loads(answer.body)


def decoded(counts: list[int]) -> np.ndarray:
    """By pycocotools alone."""
    compressed = coco.frPyObjects({"size": [HEIGHT, WIDTH], "counts": counts}, HEIGHT, WIDTH)
    return coco.decode(compressed).astype(bool)


def square(left: int = 10, size: int = 20) -> np.ndarray:
    pixels = np.zeros((HEIGHT, WIDTH), bool)
    pixels[left : left + size, left : left + size] = True
    return pixels


def mask(pixels: np.ndarray, **changed: object) -> dict:
    return {
        "size_hw": list(pixels.shape),
        "counts": rle.run_lengths(pixels),
        "status": "proposed",
        "author": "anna",
        "based_on": 0,
    } | changed


def test_the_current_mask_is_sent_without_loss() -> None:
    answer = content(get("/api/rows/4/mask"))
    yy, xx = np.mgrid[:HEIGHT, :WIDTH]
    np.testing.assert_array_equal(decoded(answer["counts"]), disc(xx, yy, 4))
    assert (answer["version"], answer["status"]) == (1, "accepted")
    assert answer["source"] == "dataset"


def test_a_row_without_a_mask_starts_empty_in_the_size_of_its_crop() -> None:
    answer = content(get("/api/rows/1/mask"))
    assert answer["version"] == 0
    assert answer["size_hw"] == [HEIGHT, WIDTH]
    assert not decoded(answer["counts"]).any()


def test_a_mask_is_saved_as_a_version_with_what_is_known_of_it(first: int) -> None:
    notes = json.dumps({"engine": "grabcut", "steps": {"brush": 2}})
    saved = content(post(f"/api/rows/{first + 1}/mask", mask(square(), prompts=notes, score=0.5)))
    assert saved == {"version": 1, "status": "proposed"}
    version, stored = served.workspace().mask_history.current(first + 1)
    assert (version, stored.source, stored.author, stored.score) == (1, "human", "anna", 0.5)
    assert stored.prompts == notes
    np.testing.assert_array_equal(rle.decode(stored), square())
    read = content(get(f"/api/rows/{first + 1}/mask"))
    np.testing.assert_array_equal(decoded(read["counts"]), square())


def test_a_decision_on_the_same_pixels_keeps_where_they_came_from(first: int) -> None:
    current = content(get(f"/api/rows/{first + 2}/mask"))
    sent = mask(decoded(current["counts"]), status="rejected", reason="a leg", based_on=1)
    assert content(post(f"/api/rows/{first + 2}/mask", sent))["version"] == 2
    _, stored = served.workspace().mask_history.current(first + 2)
    assert (stored.status, stored.reason, stored.source) == (
        MaskStatus.REJECTED,
        "a leg",
        "dataset",
    )


def test_the_second_of_two_is_told_who_was_first_and_nothing_is_lost(first: int) -> None:
    content(post(f"/api/rows/{first + 1}/mask", mask(square())))
    refused = content(post(f"/api/rows/{first + 1}/mask", mask(square(30), author="ben")), 409)
    assert refused["version"] == 1
    assert refused["author"] == "anna"
    assert refused["created_at"]
    assert "anna saved version 1" in refused["message"]
    versions = served.workspace().mask_history.versions(first + 1)
    assert [stored.author for _, stored in versions] == ["anna"]
    content(post(f"/api/rows/{first + 1}/mask", mask(square(30), author="ben", based_on=1)))
    assert [m.author for _, m in served.workspace().mask_history.versions(first + 1)] == [
        "anna",
        "ben",
    ]


def test_an_engine_proposes_from_points_and_from_a_box() -> None:
    asked = {"engine": "grabcut", "size_hw": [HEIGHT, WIDTH]}
    yy, xx = np.mgrid[:HEIGHT, :WIDTH]
    truth = disc(xx, yy, 4)
    point = {"points": [[65.0, 45.0]], "labels": [True]}
    box = {"box": [42.0, 22.0, 90.0, 68.0]}
    for prompts in (point, box, point | {"prior": rle.run_lengths(truth)}):
        answer = content(post("/api/rows/4/propose", asked | prompts))
        found = decoded(answer["candidates"][answer["best"]]["counts"])
        assert (found & truth).sum() / (found | truth).sum() > 0.8
        assert answer["engine_ms"] > 0


def test_a_photo_that_exif_turns_is_edited_as_it_is_seen(tmp_path: Path) -> None:
    """Prompts, masks and the picture share the upright pixels, whatever the file stores."""
    folder = tmp_path / "turned"
    upright = write_photos(folder, 1)[0]
    with Image.open(upright) as photo:
        pixels = photo.copy()
    upright.unlink()
    for orientation in range(1, 9):
        stored = apply_exif(pixels, INVERSE[orientation])
        exif = Image.Exif()
        exif[ExifTags.Base.Orientation] = orientation
        stored.save(folder / f"{orientation}.png", exif=exif)
    table = "\n".join(f"{o}.png,a" for o in range(1, 9))
    (folder / "metadata.csv").write_text(f"path,identity\n{table}\n")
    opened = served.workspace()
    opened.add_dataset(check(read_source(folder), name="turned"))
    truth = disc(*np.mgrid[:HEIGHT, :WIDTH][::-1], 0)
    asked = {"engine": "grabcut", "size_hw": [HEIGHT, WIDTH], "box": [25.0, 25.0, 65.0, 65.0]}
    for row_id in opened.browse("turned")["row_id"].tolist():
        assert content(get(f"/api/rows/{row_id}/mask"))["size_hw"] == [HEIGHT, WIDTH]
        with Image.open(BytesIO(get(f"/api/rows/{row_id}/image?size=320").body)) as shown:
            assert shown.size == (WIDTH, HEIGHT)
        answer = content(post(f"/api/rows/{row_id}/propose", asked))
        found = decoded(answer["candidates"][answer["best"]]["counts"])
        assert (found & truth).sum() / (found | truth).sum() > 0.8


def test_a_clean_up_is_shown_and_not_stored() -> None:
    with_speck_and_hole = square(10, 40)
    with_speck_and_hole[80, 80] = True
    with_speck_and_hole[30, 30] = False
    answer = content(post("/api/rows/1/clean", mask(with_speck_and_hole)))
    cleaned = decoded(answer["counts"])
    assert not cleaned[80, 80]
    assert cleaned[30, 30]
    assert answer["changes"] == (cleaned != with_speck_and_hole).sum()
    assert "1 loose part dropped, 1 hole filled" in answer["words"]
    assert served.workspace().mask_history.current(1) == (0, None)


@pytest.mark.parametrize(
    ("changed", "status", "words"),
    [
        ({"counts": [5]}, 422, "run lengths cover 5 pixels"),
        ({"counts": "!"}, 422, "character '!'"),
        ({"counts": None}, 422, '"counts"'),
        ({"size_hw": [HEIGHT]}, 422, '"size"'),
        ({"size_hw": [1, 1], "counts": [1]}, 422, "its crop 120 x 90 px"),
        ({"status": "good"}, 400, "status must be one of proposed, accepted, rejected"),
        ({"status": "accepted", "counts": [HEIGHT * WIDTH]}, 422, "is empty"),
        ({"based_on": -1}, 400, "based_on must be a whole number"),
        ({"based_on": True}, 400, "based_on must be a whole number"),
        ({"based_on": 3}, 422, "no version 3"),
        ({"author": 7}, 400, "author must be a text"),
        ({"author": "x" * 3000}, 400, "at most 2,000"),
        ({"score": "high"}, 400, "expected 1 numbers"),
    ],
)
def test_a_mask_that_cannot_be_is_refused_in_a_line(changed: dict, status: int, words: str) -> None:
    message = content(post("/api/rows/1/mask", mask(square(), **changed)), status)["message"]
    assert words in message
    assert "\n" not in message
    assert served.workspace().mask_history.current(1) == (0, None)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"points": [[500, 5]], "labels": [True]}, "outside the picture of 120 x 90 px"),
        ({"points": [[5, float("inf")]], "labels": [True]}, "expected 2 numbers"),
        ({"points": [[5, 5]], "labels": []}, "0 labels for points"),
        ({"points": [[5, 5]], "labels": [1]}, "labels must be true or false"),
        ({"points": "here"}, "must be lists"),
        ({"box": [1, 2, 3]}, "expected 4 numbers"),
        ({"box": [9, 9, 3, 3]}, "has no area"),
        ({"points": [[5, 5]], "labels": [True], "engine": "sam-x"}, "'sam-x'"),
        (
            {"points": [[5, 5]], "labels": [True], "engine": "sam-vit-b"},
            "the weights of sam-vit-b are not here yet",
        ),
        ({"prior": [3]}, "run lengths cover 3 pixels"),
    ],
)
def test_prompts_that_cannot_be_are_refused(changed: dict, words: str) -> None:
    asked = {"engine": "grabcut", "size_hw": [HEIGHT, WIDTH]} | changed
    answer = post("/api/rows/1/propose", asked)
    assert answer.status in (400, 422)
    assert words in json.loads(answer.body)["message"]


@pytest.mark.parametrize("row", ["99", "x", "-1", "1e3", "%2e%2e"])
def test_rows_that_are_not_there(row: str) -> None:
    content(get(f"/api/rows/{row}/mask"), 404)
    content(post(f"/api/rows/{row}/mask", mask(square())), 404)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://elsewhere"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_pages_of_other_sites_cannot_save(headers: dict[str, str], status: int) -> None:
    content(post("/api/rows/1/mask", mask(square()), headers), status)
    assert served.workspace().mask_history.current(1) == (0, None)


def test_a_request_is_bounded_and_must_be_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    content(post("/api/rows/1/mask", [1, 2]), 400)
    monkeypatch.setattr(asked, "MAX_BYTES", 100)
    content(post("/api/rows/1/mask", mask(square(), reason="x" * 200)), 413)


def test_an_image_that_is_gone_stops_the_engine_but_not_saving(first: int, tmp_path: Path) -> None:
    (tmp_path / "00004.jpg").unlink()
    content(get(f"/api/rows/{first + 4}/mask"))
    asked = {"engine": "grabcut", "points": [[50, 50]], "labels": [True]}
    message = content(post(f"/api/rows/{first + 4}/propose", asked), 422)["message"]
    assert "00004.jpg: no such file" in message
    assert content(post(f"/api/rows/{first + 4}/mask", mask(square(), based_on=1)))["version"] == 2


def test_rows_that_come_next_are_named_without_waiting() -> None:
    asked = {"engine": "grabcut", "rows": [4, 5]}
    assert content(post("/api/segmenters/ahead", asked)) == {"rows": 2}
    content(post("/api/segmenters/ahead", {"engine": "grabcut", "rows": list(range(100))}), 400)
    content(post("/api/segmenters/ahead", {"engine": "grabcut", "rows": [99]}), 404)


def test_rows_are_only_asked_by_get_or_post() -> None:
    assert get("/api/rows/1/propose").status in (404, 405)


def test_in_a_blind_audit_the_mask_of_the_dataset_is_never_sent(first: int, tmp_path: Path) -> None:
    audits = served.workspace().blind_audits
    audit = audits.draw(f"photos-{tmp_path.name}", 11, seed=1, author="anna").audit_id
    row = first + 4
    url = f"/api/blind/{audit}/rows/{row}/mask"
    before = content(get(url))
    assert not decoded(before["counts"]).any()
    assert (before["version"], before["status"]) == (0, "")
    content(post(url, mask(square(), status="accepted")))
    after = content(get(url))
    np.testing.assert_array_equal(decoded(after["counts"]), square())
    assert row not in audits.to_do(audit)
    # The dataset's own mask is as it was.
    assert served.workspace().mask_history.current(row)[0] == 1
    # Nobody sees an animal: that is an answer too.
    content(post(url, mask(np.zeros((HEIGHT, WIDTH), bool), status="accepted")))
    content(get(f"/api/blind/{audit}/rows/0/mask"), 404)
    content(get(f"/api/blind/nothing/rows/{row}/mask"), 404)
    content(post(url, mask(square()), {"origin": "http://elsewhere"}), 403)
