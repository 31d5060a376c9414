"""Downloads one large file: with progress, resumed after a break, checked, then renamed into place.

Bytes go to `<name>.part`, which stays after a break. The next attempt asks for the rest (HTTP
Range), and only of the same file: by the entity tag kept in `<name>.part.tag` (If-Range), or
because the digest is known and checked at the end.
"""

import http.client
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import IO, TypeAlias

from cfr_core.errors import WeightsError
from cfr_core.fingerprint import file_sha256
from cfr_core.types import OnProgress, Progress

_LOG = logging.getLogger(__name__)
_CHUNK_BYTES = 1 << 18
_TIMEOUT_S = 30.0
_ATTEMPTS = 5
_PAUSE_S = 0.5
_SNIFFED_BYTES = 512
_SHA256_DIGITS = 64
_Report: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True)
class RemoteFile:
    """A file to fetch.

    Attributes:
        url: http or https address.
        sha256: Digest it must have; None to take the one that the server declares, if it does.
        token: Bearer token, sent to the host of `url` and to none that it redirects to.
    """

    url: str
    sha256: str | None = None
    token: str | None = None


class RemoteFileMissingError(WeightsError):
    """The server answers that it has no such file (HTTP 404)."""


def download(remote: RemoteFile, target: Path, *, label: str, on_progress: OnProgress) -> None:
    """Fetch a file to `target`, which appears only when it is complete and checked.

    Args:
        remote: The file.
        target: Final path; its folder is made.
        label: What it is, for the progress display.
        on_progress: Told the bytes done and in total.

    Raises:
        RemoteFileMissingError: if the server has no such file.
        WeightsError: if the server cannot be reached, refuses, breaks off again and again, sends
            a web page, or other bytes than the digest says.
    """
    part = target.with_name(f"{target.name}.part")

    def report(done: int, total: int) -> None:
        on_progress(Progress(f"Downloading {label}", done, total, "B"))

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        declared_sha256 = _transfer(remote, part, report)
        _check(part, remote.url, remote.sha256 or declared_sha256)
        part.replace(target)
        _tag_path(part).unlink(missing_ok=True)
    except OSError as error:
        raise WeightsError(f"{target}: cannot be written ({error})") from error


def is_web_page(path: Path) -> bool:
    """True if a file begins as a web page or a Git LFS pointer, whatever its name says."""
    with path.open("rb") as stream:
        head = stream.read(_SNIFFED_BYTES).lstrip().lower()
    return head.startswith((b"<!doctype", b"<html", b"<?xml", b"version https://git-lfs"))


class _BrokenOffError(Exception):
    """The connection failed, or ended before the file did."""


class _RedirectRecorder(urllib.request.HTTPRedirectHandler):
    """Keeps the digest that a model hub declares on the answer that redirects to its storage."""

    def __init__(self) -> None:
        self.declared_sha256: str | None = None

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        self.declared_sha256 = _declared_sha256(headers) or self.declared_sha256
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _transfer(remote: RemoteFile, part: Path, report: _Report) -> str | None:
    """Fill `part`, over several connections if they break; returns the digest declared, if any."""
    attempt = 0
    while True:
        attempt += 1
        before = _size(part)
        try:
            return _transfer_once(remote, part, report)
        except _BrokenOffError as error:
            kept = _size(part)
            if kept <= before or attempt == _ATTEMPTS:
                advice = f"; {kept} bytes are kept, run again to go on" if kept else ""
                raise WeightsError(f"{remote.url}: {error}{advice}") from error
            _LOG.warning("%s: %s; resuming at byte %d", remote.url, error, kept)
        time.sleep(_PAUSE_S)


def _transfer_once(remote: RemoteFile, part: Path, report: _Report) -> str | None:
    recorder = _RedirectRecorder()
    opener = urllib.request.build_opener(recorder)
    try:
        response = opener.open(_request(remote, part), timeout=_TIMEOUT_S)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                return _settle_full_part(error.headers, part, recorder.declared_sha256)
            raise _refusal(error, remote.url) from None
    except (OSError, http.client.HTTPException) as error:
        raise _BrokenOffError(f"cannot be reached ({getattr(error, 'reason', error)})") from error
    with response:
        if response.headers.get_content_type() == "text/html":
            raise WeightsError(f"{remote.url}: the server sent a web page instead of the file")
        _append(response, part, report)
        return recorder.declared_sha256 or _declared_sha256(response.headers)


def _request(remote: RemoteFile, part: Path) -> urllib.request.Request:
    request = urllib.request.Request(remote.url, headers={"Accept-Encoding": "identity"})
    if remote.token:
        request.add_unredirected_header("Authorization", f"Bearer {remote.token}")
    tag_path = _tag_path(part)
    tag = tag_path.read_text(encoding="ascii") if tag_path.is_file() else ""
    if _size(part) and (tag or remote.sha256):
        request.add_header("Range", f"bytes={_size(part)}-")
        if tag:
            request.add_header("If-Range", tag)
    return request


def _append(response: http.client.HTTPResponse, part: Path, report: _Report) -> None:
    """Write the body where it belongs; a server that ignores the range starts over."""
    start = _size(part) if response.status == http.client.PARTIAL_CONTENT else 0
    length = response.headers.get("Content-Length")
    total = start + int(length) if length else 0
    if not start:
        _keep_tag(response.headers.get("ETag", ""), part)
    done = start
    with part.open("ab" if start else "wb") as stream:
        while chunk := _read(response):
            stream.write(chunk)
            done += len(chunk)
            report(done, total)
    if done < total:
        raise _BrokenOffError(f"broke off after {done} of {total} bytes")


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(_CHUNK_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise _BrokenOffError(f"broke off ({error})") from error


def _settle_full_part(headers: Message, part: Path, declared_sha256: str | None) -> str | None:
    """A part at least as long as the file: done if it is just as long, else begun anew."""
    total = headers.get("Content-Range", "").rpartition("/")[2]
    if total == str(_size(part)):
        return declared_sha256
    _drop(part)
    raise _BrokenOffError(
        "the part kept on disk was longer than the file and is dropped; try again"
    )


def _refusal(error: urllib.error.HTTPError, url: str) -> WeightsError:
    if error.code == http.client.NOT_FOUND:
        return RemoteFileMissingError(f"{url}: the server has no such file (HTTP 404)")
    if error.code in (http.client.UNAUTHORIZED, http.client.FORBIDDEN):
        return WeightsError(
            f"{url}: access refused (HTTP {error.code}); accept the licence on the model's page, "
            "then set HF_TOKEN to your access token"
        )
    return WeightsError(f"{url}: the server answers HTTP {error.code} {error.reason}")


def _check(part: Path, url: str, sha256: str | None) -> None:
    if is_web_page(part):
        _drop(part)
        raise WeightsError(f"{url}: the server sent a web page instead of the file")
    if sha256 is None:
        return
    found = file_sha256(part)
    if found != sha256:
        _drop(part)
        raise WeightsError(
            f"{url}: the bytes that came have SHA-256 {found[:16]}…, expected {sha256[:16]}…; "
            "they are dropped, try again"
        )


def _declared_sha256(headers: Message) -> str | None:
    """Digest of a large file as the Hugging Face hub declares it, or None."""
    tag = headers.get("X-Linked-Etag", "").strip('"').lower()
    is_digest = len(tag) == _SHA256_DIGITS and set(tag) <= set("0123456789abcdef")
    return tag if is_digest else None


def _keep_tag(tag: str, part: Path) -> None:
    # A weak tag (W/"...") does not promise the same bytes, and If-Range may not carry it.
    if tag.isascii() and tag.startswith('"'):
        _tag_path(part).write_text(tag, encoding="ascii")
    else:
        _tag_path(part).unlink(missing_ok=True)


def _drop(part: Path) -> None:
    part.unlink()
    _tag_path(part).unlink(missing_ok=True)


def _tag_path(part: Path) -> Path:
    return part.with_name(f"{part.name}.tag")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
