"""What every route answers where it cannot do what was asked."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from cfr_core.errors import (
    CfrError,
    ImageError,
    InputError,
    MaskConflictError,
    MaskError,
    MissingMaskError,
    UnknownRowError,
    WorkspaceError,
)
from server.asked import RefusedError

STATUS: dict[type[Exception], int] = {
    UnknownRowError: 404,
    MaskConflictError: 409,
    MissingMaskError: 409,
    MaskError: 422,
    ImageError: 422,
    InputError: 400,
    WorkspaceError: 503,
}
"""Status of each error; the first class that fits counts."""

HEADERS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def refusal(error: CfrError) -> JSONResponse:
    """An error as JSON: `message` for people and, of a conflict, who was first and when."""
    content: dict[str, object] = {"message": str(error)}
    if isinstance(error, MaskConflictError):
        content |= {
            "version": error.version,
            "author": error.author,
            "created_at": error.created_at,
        }
    if isinstance(error, RefusedError):
        status = error.status
    else:
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    return JSONResponse(content, status, headers=HEADERS)


def answered(
    route: Callable[[Request], Awaitable[dict[str, Any]]],
) -> Callable[[Request], Awaitable[Response]]:
    """A route that answers its result as JSON, and a refusal where it raises."""

    @wraps(route)
    async def answer(request: Request) -> Response:
        try:
            return JSONResponse(await route(request), headers=HEADERS)
        except CfrError as error:
            return refusal(error)

    return answer
