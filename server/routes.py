"""All HTTP routes beside the pages."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from server import blind_masks, blind_outlines, columns, images, segmentation


async def nothing_there(request: Request) -> Response:
    """Answer what no route answers; Streamlit would send its page, with status 200."""
    return PlainTextResponse(f"there is nothing at {request.url.path}", 404)


def routes() -> list[BaseRoute]:
    """The routes, in the order in which they are tried."""
    parts = (images, segmentation, blind_masks, blind_outlines, columns)
    known = [route for part in parts for route in part.ROUTES]
    return [*known, Route("/api/{path:path}", nothing_there)]
