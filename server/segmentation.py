"""Routes of the mask editor: the mask of a row, proposals of an engine, and saving.

    GET  /api/rows/{row_id}/mask      the current version
    POST /api/rows/{row_id}/mask      a new version; 409 if somebody was first
    POST /api/rows/{row_id}/propose   masks that an engine finds from prompts
    POST /api/rows/{row_id}/clean     what a clean-up would make of a mask, with its numbers
    POST /api/segmenters/ahead        rows that come next, to be encoded while nobody waits

Masks travel as plain COCO run lengths, which both sides read without loss. Requests are taken from
pages of this server only; errors are JSON with a `message` for people.
"""

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import Route

from cfr_core.errors import InputError
from cfr_core.masks import rle
from cfr_core.masks.cleanup import CleanUp, clean_up
from cfr_core.types import CropRequest, Mask
from server import prompts
from server.answers import answered
from server.asked import json_of
from server.engines import pixels_of
from server.images import crop_of
from server.workspace import engines, workspace

_MAX_AHEAD = 16


@answered
async def current_mask(request: Request) -> dict[str, Any]:
    """The mask that counts; version 0 and all zeros where there is none."""
    return await run_in_threadpool(_current, request.path_params["row_id"])


@answered
async def save_mask(request: Request) -> dict[str, Any]:
    """Store a version, or a review of the current pixels; answers its number."""
    asked = await json_of(request)
    return await run_in_threadpool(_save, request.path_params["row_id"], asked)


@answered
async def propose_masks(request: Request) -> dict[str, Any]:
    """Candidates with scores, the engine's own order."""
    asked = await json_of(request)
    return await run_in_threadpool(_propose, request.path_params["row_id"], asked)


@answered
async def clean_mask(request: Request) -> dict[str, Any]:
    """The mask cleaned up, with what was done in words; nothing is stored."""
    asked = await json_of(request)
    return await run_in_threadpool(_clean, asked)


@answered
async def encode_ahead(request: Request) -> dict[str, Any]:
    """Take note of the rows that come next; answers at once."""
    asked = await json_of(request)
    return await run_in_threadpool(_encode_ahead, asked)


ROUTES = (
    Route("/api/segmenters/ahead", encode_ahead, methods=["POST"]),
    Route("/api/rows/{row_id}/mask", current_mask, methods=["GET"]),
    Route("/api/rows/{row_id}/mask", save_mask, methods=["POST"]),
    Route("/api/rows/{row_id}/propose", propose_masks, methods=["POST"]),
    Route("/api/rows/{row_id}/clean", clean_mask, methods=["POST"]),
)


def mask_answer(request: CropRequest, version: int, mask: Mask | None) -> dict[str, Any]:
    """A mask as the editor reads it; all zeros, of the crop's size, where there is none.

    Raises:
        ImageError: if there is no mask and the crop, whose size is then needed, cannot be read.
    """
    if mask is None:
        height, width = pixels_of(request).shape[:2]
        return {"version": 0, "size_hw": [height, width], "counts": [height * width], "status": ""}
    return {
        "version": version,
        "size_hw": list(mask.size_hw),
        "counts": rle.run_lengths(rle.decode(mask)),
        "status": mask.status.value,
        "source": mask.source,
        "author": mask.author,
        "created_at": mask.created_at,
        "reason": mask.reason,
        "score": mask.score,
        "prompts": mask.prompts,
    }


def _current(row: str) -> dict[str, Any]:
    request = crop_of(row)
    return mask_answer(request, *workspace().mask_history.current(request.row_id))


def _save(row: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    request = crop_of(row)
    history = workspace().mask_history
    mask = prompts.drawn_mask(request.row_id, asked)
    based_on = prompts.whole_number(asked, "based_on")
    version, current = history.current(request.row_id)
    if current is not None and version == based_on and current.counts == mask.counts:
        # The pixels are those that somebody made before: only the decision is new.
        version = history.review(
            request.row_id,
            mask.status,
            author=mask.author,
            based_on=based_on,
            reason=mask.reason,
        )
    else:
        version = history.add(mask, based_on=based_on)
    return {"version": version, "status": mask.status.value}


def _propose(row: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    engine = prompts.text(asked, "engine")
    proposal = engines().propose(crop_of(row), engine, prompts.prompts_of(asked))
    return {
        "candidates": [
            {"counts": rle.run_lengths(mask), "score": None if score != score else float(score)}
            for mask, score in zip(
                proposal.candidates.masks, proposal.candidates.scores, strict=True
            )
        ],
        "best": proposal.candidates.best,
        "engine_ms": round(1000 * proposal.engine_s, 1),
        "encode_ms": round(1000 * proposal.encode_s, 1),
    }


def _clean(asked: Mapping[str, Any]) -> dict[str, Any]:
    cleaned = clean_up(prompts.mask_of(asked), CleanUp())
    return {
        "counts": rle.run_lengths(cleaned.pixels),
        "changes": cleaned.added_px + cleaned.removed_px,
        "words": cleaned.words,
    }


def _encode_ahead(asked: Mapping[str, Any]) -> dict[str, Any]:
    rows = asked.get("rows")
    if not isinstance(rows, list) or len(rows) > _MAX_AHEAD:
        raise InputError(f"rows must be a list of at most {_MAX_AHEAD}")
    crops = [crop_of(str(row)) for row in rows]
    engines().encode_ahead(crops, prompts.text(asked, "engine"))
    return {"rows": len(crops)}
