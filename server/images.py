"""GET /api/rows/{row_id}/image: the picture of a row in any view.

Rows are asked by id, never by path. The browser keeps what it was sent, but asks each time whether
it still holds (ETag), because a mask may have changed, or the server may serve another workspace.
"""

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from cfr_core.errors import InputError, UnknownRowError
from cfr_core.outlines import outlined, outlined_key
from cfr_core.pictures import MEDIA_TYPE, PictureSpec, picture, picture_key
from cfr_core.types import BLACK_RGB, IMAGENET_MEAN_RGB, RGB, CropRequest, Mask, View, ViewSpec
from cfr_core.workspace.store import Workspace
from server.answers import HEADERS, STATUS
from server.workspace import pictures, workspace

PHOTO = "photo"
"""Name, beside those of the views, of the whole photo with the crop's box."""

DEFAULT_SIZE_PX = 320

OUTLINE = "outline"
"""Name of the crop with the outline of its current mask, whatever the mask's state in review."""

_VIEWS = (*View, PHOTO, OUTLINE)
_PARAMETERS = ("view", "size", "fill", "silhouette", "v")
_COLOUR = re.compile(r"#?([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})")
_ROW_ID = re.compile(r"\d{1,18}")

# Drawing a 12-megapixel photo takes a core for half a second, so no more at a time than cores.
_DRAWING = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="draw-picture")

_HEADERS = {name: HEADERS[name] for name in HEADERS if name != "Cache-Control"}


def image_url(
    row_id: int,
    *,
    view: str = View.FULL,
    size_px: int = DEFAULT_SIZE_PX,
    fill_rgb: RGB = IMAGENET_MEAN_RGB,
    silhouette_rgb: RGB = BLACK_RGB,
) -> str:
    """Address of a row's picture on this server.

    Args:
        row_id: The row.
        view: A view's name, `PHOTO` or `OUTLINE`.
        size_px: Longest side at most.
        fill_rgb: Colour in place of what the view removes.
        silhouette_rgb: Colour of the animal in the silhouette view.
    """
    return f"/api/rows/{row_id}/image?" + image_query(
        view=view, size_px=size_px, fill_rgb=fill_rgb, silhouette_rgb=silhouette_rgb
    )


def image_query(
    *,
    view: str,
    size_px: int,
    fill_rgb: RGB = IMAGENET_MEAN_RGB,
    silhouette_rgb: RGB = BLACK_RGB,
) -> str:
    """The part of `image_url` after the question mark, which is the same for many rows."""
    query = {"view": str(view), "size": str(size_px)}
    if fill_rgb != IMAGENET_MEAN_RGB:
        query["fill"] = _hex(fill_rgb)
    if silhouette_rgb != BLACK_RGB:
        query["silhouette"] = _hex(silhouette_rgb)
    return urlencode(query)


async def row_image(request: Request) -> Response:
    """Answer a request for a row's picture; errors are one line of plain text."""
    try:
        known_tags = request.headers.get("if-none-match", "")
        spec = _picture_spec(request.query_params)
        crop = await run_in_threadpool(crop_of, request.path_params["row_id"])
        if request.query_params.get("view") == OUTLINE:
            _, mask = await run_in_threadpool(workspace().mask_history.current, crop.row_id)
            return await outlines_answer(crop, [mask] if mask else [], spec, known_tags)
        return await _answer(
            picture_key(crop, spec), lambda: picture(crop, spec, pictures()), known_tags
        )
    except tuple(STATUS) as error:
        status = next(code for kind, code in STATUS.items() if isinstance(error, kind))
        return PlainTextResponse(str(error), status, headers=HEADERS)


ROUTES = (Route("/api/rows/{row_id}/image", row_image),)


async def outlines_answer(
    crop: CropRequest, masks: Sequence[Mask], spec: PictureSpec, known_tags: str
) -> Response:
    """A crop with masks drawn on it, unless the browser has that picture."""
    return await _answer(
        outlined_key(crop, masks, spec),
        lambda: outlined(crop, masks, spec, pictures()),
        known_tags,
    )


async def _answer(key: str, drawn: Callable[[], bytes], known_tags: str) -> Response:
    headers = _HEADERS | {"ETag": f'"{key}"', "Cache-Control": "private, no-cache"}
    if key in known_tags:
        return Response(status_code=304, headers=headers)
    content = await run_in_threadpool(pictures().get, key)
    if content is None:
        loop = asyncio.get_running_loop()
        content = await loop.run_in_executor(_DRAWING, drawn)
    return Response(content, media_type=MEDIA_TYPE, headers=headers)


def crop_of(row_id: str) -> CropRequest:
    """Where the picture of a row is that was named in an address.

    Raises:
        UnknownRowError: if there is no such row, or the text is no number.
    """
    if not _ROW_ID.fullmatch(row_id):
        raise UnknownRowError(f"a row is asked by its number, got {row_id[:40]!r}")
    return _crop_at(workspace(), workspace().revision, int(row_id))


@lru_cache(maxsize=4096)
def _crop_at(opened: Workspace, _revision: int, row_id: int) -> CropRequest:
    # Screens ask for a row several times, in each view, and each look-up is 4 ms of DuckDB.
    return opened.crop(row_id)


def _picture_spec(query: Mapping[str, str]) -> PictureSpec:
    unknown = sorted(set(query) - set(_PARAMETERS))
    if unknown:
        raise InputError(f"unknown parameter {unknown[0]!r}; known: {', '.join(_PARAMETERS)}")
    view, size = query.get("view", View.FULL), query.get("size", str(DEFAULT_SIZE_PX))
    if view not in _VIEWS:
        raise InputError(f"view must be one of {', '.join(_VIEWS)}, got {view!r}")
    if not re.fullmatch(r"\d{1,9}", size):
        raise InputError(f"size must be a whole number of pixels, got {size!r}")
    fill = _rgb("fill", query.get("fill", _hex(IMAGENET_MEAN_RGB)))
    silhouette = _rgb("silhouette", query.get("silhouette", _hex(BLACK_RGB)))
    return PictureSpec(
        None if view in (PHOTO, OUTLINE) else ViewSpec(View(view), fill, silhouette), int(size)
    )


def _rgb(name: str, text: str) -> RGB:
    match = _COLOUR.fullmatch(text)
    if match is None:
        raise InputError(f"{name} must be a colour as six hexadecimal digits, got {text!r}")
    red, green, blue = (int(channel, 16) for channel in match.groups())
    return red, green, blue


def _hex(rgb: RGB) -> str:
    return "".join(f"{channel:02x}" for channel in rgb)
