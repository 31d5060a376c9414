import hashlib
import socket
from pathlib import Path

import numpy as np
import pytest

from cfr_core.encoders import download as module
from cfr_core.encoders.download import RemoteFile, RemoteFileMissingError, download
from cfr_core.errors import WeightsError
from cfr_core.types import Progress, no_progress
from tests.cfr_core.encoders.conftest import Hub

CONTENT = np.random.default_rng(0).bytes(1_000_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAUSE_S", 0.0)


def fetch(hub: Hub, target: Path, *, sha256: str | None = None, token: str | None = None) -> None:
    remote = RemoteFile(f"{hub.url}/resolve/main/model.bin", sha256, token)
    download(remote, target, label="model", on_progress=no_progress)


def ranges_asked(hub: Hub) -> list[str | None]:
    return [headers.get("Range") for _, headers in hub.requests]


def test_a_file_arrives_whole_and_progress_counts_its_bytes(hub: Hub, tmp_path: Path) -> None:
    hub.content = CONTENT
    seen: list[Progress] = []
    target = tmp_path / "new" / "model.bin"
    download(RemoteFile(f"{hub.url}/model.bin"), target, label="model", on_progress=seen.append)
    assert target.read_bytes() == CONTENT
    assert [path.name for path in target.parent.iterdir()] == ["model.bin"]
    assert seen[-1] == Progress("Downloading model", len(CONTENT), len(CONTENT), "B")
    assert len(seen) > 1


def test_a_connection_that_breaks_off_is_resumed_where_it_ended(hub: Hub, tmp_path: Path) -> None:
    hub.content = CONTENT
    hub.break_after = [300_000, 300_000]
    fetch(hub, tmp_path / "model.bin", sha256=SHA256)
    assert (tmp_path / "model.bin").read_bytes() == CONTENT
    assert ranges_asked(hub) == [None, "bytes=300000-", "bytes=600000-"]


def test_the_next_run_goes_on_with_what_a_dead_connection_left(hub: Hub, tmp_path: Path) -> None:
    hub.content = CONTENT
    hub.break_after = [400_000, 0]
    with pytest.raises(WeightsError, match="400000 bytes are kept, run again"):
        fetch(hub, tmp_path / "model.bin")
    assert not (tmp_path / "model.bin").exists()
    fetch(hub, tmp_path / "model.bin")
    assert (tmp_path / "model.bin").read_bytes() == CONTENT
    assert ranges_asked(hub)[-1] == "bytes=400000-"


def test_a_server_without_ranges_starts_over(hub: Hub, tmp_path: Path) -> None:
    hub.content, hub.ranges = CONTENT, False
    hub.break_after = [400_000]
    fetch(hub, tmp_path / "model.bin", sha256=SHA256)
    assert (tmp_path / "model.bin").read_bytes() == CONTENT


def test_a_file_that_changed_meanwhile_is_not_mixed_with_the_old_part(
    hub: Hub, tmp_path: Path
) -> None:
    hub.content = CONTENT
    hub.break_after = [400_000, 0]
    with pytest.raises(WeightsError):
        fetch(hub, tmp_path / "model.bin")
    hub.content, hub.tag = CONTENT[::-1], '"v2"'
    fetch(hub, tmp_path / "model.bin")
    assert (tmp_path / "model.bin").read_bytes() == CONTENT[::-1]


def test_a_part_without_tag_or_digest_is_not_trusted(hub: Hub, tmp_path: Path) -> None:
    hub.content = CONTENT
    (tmp_path / "model.bin.part").write_bytes(b"of another file")
    fetch(hub, tmp_path / "model.bin")
    assert (tmp_path / "model.bin").read_bytes() == CONTENT


def test_a_part_that_is_complete_is_taken(hub: Hub, tmp_path: Path) -> None:
    hub.content = CONTENT
    (tmp_path / "model.bin.part").write_bytes(CONTENT)
    fetch(hub, tmp_path / "model.bin", sha256=SHA256)
    assert (tmp_path / "model.bin").read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_dropped(hub: Hub, tmp_path: Path) -> None:
    hub.content = CONTENT
    (tmp_path / "model.bin.part").write_bytes(CONTENT + b"more")
    with pytest.raises(WeightsError, match="longer than the file"):
        fetch(hub, tmp_path / "model.bin", sha256=SHA256)
    fetch(hub, tmp_path / "model.bin", sha256=SHA256)
    assert (tmp_path / "model.bin").read_bytes() == CONTENT


@pytest.mark.parametrize("declared", [False, True], ids=["known digest", "declared digest"])
def test_other_bytes_than_the_digest_says_are_dropped(
    hub: Hub, tmp_path: Path, declared: bool
) -> None:
    hub.content = CONTENT[:-1] + b"?"
    hub.redirect_headers = {"X-Linked-Etag": f'"{SHA256}"'} if declared else {}
    with pytest.raises(WeightsError, match=f"expected {SHA256[:16]}"):
        fetch(hub, tmp_path / "model.bin", sha256=None if declared else SHA256)
    assert not list(tmp_path.glob("model.bin*"))


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/octet-stream"])
def test_a_web_page_is_refused(hub: Hub, tmp_path: Path, kind: str) -> None:
    hub.content, hub.headers = b"<!DOCTYPE html><p>Please log in</p>", {"Content-Type": kind}
    with pytest.raises(WeightsError, match="a web page instead of the file"):
        fetch(hub, tmp_path / "model.bin")
    assert not (tmp_path / "model.bin").exists()


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (404, RemoteFileMissingError, "no such file"),
        (401, WeightsError, "set HF_TOKEN"),  # not logged in
        (403, WeightsError, "accept the licence"),  # logged in, licence not accepted
        (503, WeightsError, "HTTP 503"),
    ],
)
def test_refusals_say_what_to_do(
    hub: Hub, tmp_path: Path, status: int, error: type[WeightsError], words: str
) -> None:
    hub.statuses = {"model.bin": status}
    with pytest.raises(error, match=words):
        fetch(hub, tmp_path / "model.bin")


def test_without_network_the_address_is_named(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/model.bin"
    with pytest.raises(WeightsError, match=f"{url}: cannot be reached"):
        download(RemoteFile(url), tmp_path / "model.bin", label="model", on_progress=no_progress)


def test_the_token_stays_with_the_hub(hub: Hub, tmp_path: Path) -> None:
    hub.content, hub.redirect_headers = CONTENT, {}
    fetch(hub, tmp_path / "model.bin", token="secret")
    (first, first_headers), (second, second_headers) = hub.requests
    assert ("resolve" in first, "storage" in second) == (True, True)
    assert first_headers["Authorization"] == "Bearer secret"
    assert "Authorization" not in second_headers


def test_a_folder_that_cannot_be_written_is_named(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WeightsError, match="cannot be written"):
        fetch(hub, tmp_path / "file" / "model.bin")
