"""GET /api/columns/{digest}: columns of a long list, fetched by the browser once.

Without it, every run of a page would send them again over the websocket.
"""

import threading
from collections import OrderedDict

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

_LIMIT_BYTES = 256 * 1024**2


class _Published:
    """Contents by digest, the last published ones up to a size."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._n_bytes = 0

    def put(self, digest: str, content: bytes) -> None:
        with self._lock:
            if digest not in self._contents:
                self._contents[digest] = content
                self._n_bytes += len(content)
            self._contents.move_to_end(digest)
            while self._n_bytes > _LIMIT_BYTES and len(self._contents) > 1:
                _, oldest = self._contents.popitem(last=False)
                self._n_bytes -= len(oldest)

    def get(self, digest: str) -> bytes | None:
        with self._lock:
            return self._contents.get(digest)


_PUBLISHED = _Published()


def publish(digest: str, content: bytes) -> str:
    """Make JSON available to the browser; publish it again in every run that shows it.

    Args:
        digest: SHA-256 of the content, hexadecimal.
        content: JSON in UTF-8.

    Returns:
        Its address on this server.
    """
    _PUBLISHED.put(digest, content)
    return f"/api/columns/{digest}"


async def columns(request: Request) -> Response:
    """Answer a request for published columns."""
    content = _PUBLISHED.get(request.path_params["digest"])
    if content is None:
        return PlainTextResponse("this list is no longer kept; reload the page", 404)
    # What a digest stands for never changes.
    headers = {"Cache-Control": "private, max-age=86400, immutable"}
    return Response(content, media_type="application/json", headers=headers)


ROUTES = (Route("/api/columns/{digest}", columns),)
