"""GET /api/blind/{audit_id}/rows/{row_id}/outlines: both masks of a drawn row on its photo."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from cfr_core.errors import UnknownRowError
from cfr_core.pictures import PictureSpec
from cfr_core.types import CropRequest, Mask
from server.answers import HEADERS, STATUS
from server.images import crop_of, outlines_answer
from server.workspace import workspace

_SIZE_PX = 640


def blind_outlines_url(audit_id: str, row_id: int) -> str:
    """Address of the picture on this server."""
    return f"/api/blind/{audit_id}/rows/{row_id}/outlines"


async def blind_outlines(request: Request) -> Response:
    """Answer a request for a row's picture; errors are one line of plain text."""
    try:
        crop, masks = await run_in_threadpool(_asked, **request.path_params)
        known_tags = request.headers.get("if-none-match", "")
        return await outlines_answer(crop, masks, PictureSpec(None, _SIZE_PX), known_tags)
    except tuple(STATUS) as error:
        status = next(code for kind, code in STATUS.items() if isinstance(error, kind))
        return PlainTextResponse(str(error), status, headers=HEADERS)


ROUTES = (Route("/api/blind/{audit_id}/rows/{row_id}/outlines", blind_outlines),)


def _asked(audit_id: str, row_id: str) -> tuple[CropRequest, list[Mask]]:
    crop = crop_of(row_id)
    pair = workspace().blind_audits.result(audit_id).pairs.get(crop.row_id)
    if pair is None:
        # Before it is drawn, the audit would not be blind any more.
        raise UnknownRowError(f"row {crop.row_id} has not been drawn for the audit {audit_id[:40]}")
    return crop, [pair.audited, pair.blind]
