"""JSON that a page of this server has sent: anything else is refused before it is read.

A page of another site that is open in the same browser could ask this server too, so what changes
something is taken from its own pages only.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request

from cfr_core.errors import InputError

MAX_BYTES = 16 * 1024**2
"""Run lengths of a mask with millions of ragged pixels fit."""


class RefusedError(InputError):
    """A request that this server does not answer, with its HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


async def json_of(request: Request) -> Mapping[str, Any]:
    """The JSON object in a request's body.

    Raises:
        RefusedError: if it comes from a page of another site, is no JSON, or is too large.
    """
    _check_origin(request)
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RefusedError("this address takes JSON only", 415)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise RefusedError(f"a request may have {MAX_BYTES:,} bytes", 413)
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("the request is not valid JSON") from None
    if not isinstance(content, dict):
        raise InputError("the request must be a JSON object")
    return content


def _check_origin(request: Request) -> None:
    # Browsers say where a request comes from; programs without a browser say nothing.
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    if site != "same-origin" or (origin is not None and urlsplit(origin).netloc != host):
        raise RefusedError("only pages of this server may ask for this", 403)
