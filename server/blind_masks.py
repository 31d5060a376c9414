"""Routes of the editor in a blind audit: what was drawn for it, and never the dataset's mask.

GET  /api/blind/{audit_id}/rows/{row_id}/mask   what the person drew, empty at first
POST /api/blind/{audit_id}/rows/{row_id}/mask   drawn anew; the last one counts
"""

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import Route

from cfr_core.errors import UnknownRowError
from cfr_core.types import CropRequest
from server import prompts
from server.answers import answered
from server.asked import json_of
from server.images import crop_of
from server.segmentation import mask_answer
from server.workspace import workspace


@answered
async def drawn_before(request: Request) -> dict[str, Any]:
    """What was drawn of a row for an audit."""
    return await run_in_threadpool(_drawn, **request.path_params)


@answered
async def draw(request: Request) -> dict[str, Any]:
    """Keep what a person drew."""
    asked = await json_of(request)
    return await run_in_threadpool(_draw, asked=asked, **request.path_params)


_PATH = "/api/blind/{audit_id}/rows/{row_id}/mask"
ROUTES = (
    Route(_PATH, drawn_before, methods=["GET"]),
    Route(_PATH, draw, methods=["POST"]),
)


def _drawn(audit_id: str, row_id: str) -> dict[str, Any]:
    request = _row(audit_id, row_id)
    if request.row_id in workspace().blind_audits.to_do(audit_id):
        return mask_answer(request, 0, None)
    pair = workspace().blind_audits.result(audit_id).pairs[request.row_id]
    return mask_answer(request, 1, pair.blind)


def _draw(audit_id: str, row_id: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    request = _row(audit_id, row_id)
    mask = prompts.drawn_mask(request.row_id, asked)
    workspace().blind_audits.add(audit_id, mask)
    return {"version": 1, "status": mask.status.value}


def _row(audit_id: str, row_id: str) -> CropRequest:
    request = crop_of(row_id)
    if request.row_id not in workspace().blind_audits.row_ids(audit_id):
        raise UnknownRowError(f"row {request.row_id} was not drawn for the audit {audit_id[:40]!r}")
    return request
